# pyright: basic
# litellm is not typed strictly.
"""Readers of an answer, into batches of pieces with Finish at the end: our own reader, and litellm's.

A batch without pieces means only: the provider is alive. Both raise BrokenOff for a stream which ends too early.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import httpx
import msgspec

from placet.model import frames
from placet.model.host.chunks import ChunkReader, usage_of
from placet.model.host.errors import BrokenOff
from placet.model.host.readers.lines import EventLines
from placet.model.host.readers.stream import NoJson, StreamReader, closing_pieces

Price = Callable[[frames.Usage], float]
"""Price of the tokens in US dollars."""

# A provider's last words and the end of the stream mostly come together.
_LINGER_SECONDS = 0.02


async def read_fast(
    reader: StreamReader, response: httpx.Response, price: Price
) -> AsyncGenerator[list[frames.Piece], None]:
    """Read a stream which the transport kept. Raises httpx.HTTPError, StreamFault and NoJson."""
    lines = EventLines()
    body = response.aiter_bytes()
    try:
        async for data in body:
            yield reader.read(lines.feed(data))
            if reader.complete:
                break
        else:
            yield _read_last(reader, lines)
    except Exception:
        yield reader.out.take()
        raise
    if not reader.ended:
        raise BrokenOff("the stream ended before the answer was complete")
    yield [*_priced(reader.usage, price), *closing_pieces(reader.calls, reader.reason or "stop")]
    # A stream read to its end leaves a connection for the next request.
    with contextlib.suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(_LINGER_SECONDS):
            async for _ in body:
                pass


def _read_last(reader: StreamReader, lines: EventLines) -> list[frames.Piece]:
    """Return the pieces at the end of the stream, where the last event, or half of an event, lacks a line end."""
    try:
        return reader.read(lines.finish())
    except NoJson as error:
        raise BrokenOff("the stream ended in the middle of an event") from error


async def read_compatible(stream: Any, price: Price) -> AsyncGenerator[list[frames.Piece], None]:
    """Read a stream through litellm. Raises the exceptions of litellm."""
    reader = ChunkReader()
    async with aclosing(stream):
        async for chunk in stream:
            yield reader.read(chunk)
        # litellm makes up a `stop` for a stream that just ends; these two hold the provider's own reason.
        reason = stream.received_finish_reason or stream.intermittent_finish_reason
    if reason is None:
        raise BrokenOff("the stream ended before the answer was complete")
    usage = None if reader.usage is None else usage_of(reader.usage)
    yield [*_priced(usage, price), *closing_pieces(reader.calls, reason)]


def _priced(usage: frames.Usage | None, price: Price) -> list[frames.Piece]:
    return [] if usage is None else [msgspec.structs.replace(usage, cost=price(usage))]
