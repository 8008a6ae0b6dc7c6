"""Reading of a stream into batches of pieces with Finish at the end, by the reader of the wire.

A batch without pieces means only: the provider is alive.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Protocol

import msgspec

from placet.model import frames
from placet.model.host.errors import BrokenOff
from placet.model.host.readers.lines import EventLines
from placet.model.host.readers.stream import NoJson, StreamReader, closing_pieces

Price = Callable[[frames.Usage], float]
"""Price of the tokens in US dollars."""

_LINGER_SECONDS = 0.02
"""Seconds of wait for the end of the body: the last event and the end mostly come together."""


class Body(Protocol):
    """Body of a response."""

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body in pieces as the pieces come."""
        ...

    async def drain(self) -> None:
        """Read the rest of the body and ignore errors, so that the connection can serve the next request."""
        ...


async def read_stream(reader: StreamReader, body: Body, price: Price) -> AsyncGenerator[list[frames.Piece], None]:
    """Read the events of an answer.

    Raises StreamFault, NoJson, BrokenOff for a stream which ends too early, and the errors of `body`.
    """
    lines = EventLines()
    try:
        async for data in body.chunks():
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
    yield [*priced(reader.usage, price), *closing_pieces(reader.calls, reader.reason or "stop")]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            await body.drain()


def _read_last(reader: StreamReader, lines: EventLines) -> list[frames.Piece]:
    """Return the pieces at the end of the stream, where the last event, or half of an event, lacks a line end."""
    try:
        return reader.read(lines.finish())
    except NoJson as error:
        raise BrokenOff("the stream ended in the middle of an event") from error


def priced(usage: frames.Usage | None, price: Price) -> list[frames.Piece]:
    """Return the figures with their price, or nothing without figures."""
    return [] if usage is None else [msgspec.structs.replace(usage, cost=price(usage))]
