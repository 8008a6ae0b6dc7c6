"""Reading of litellm's stream chunks into pieces of an answer. Reads attributes only: needs no litellm."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from placet.model import frames
from placet.model.host.calls import CallTracker
from placet.model.host.errors import BrokenOff
from placet.model.host.readers.stream import closing_pieces
from placet.model.host.reading import Price, priced
from placet.model.quirks import REASONING_ITEM


async def read_chunks(stream: Any, price: Price) -> AsyncGenerator[list[frames.Piece], None]:
    """Read a stream through litellm, Finish last. Raises BrokenOff for an early end, and the exceptions of litellm."""
    reader = ChunkReader()
    async with aclosing(stream):
        async for chunk in stream:
            yield reader.read(chunk)
        # litellm makes up a `stop` for a stream that just ends; these two hold the provider's own reason.
        reason = stream.received_finish_reason or stream.intermittent_finish_reason
    if reason is None:
        raise BrokenOff("the stream ended before the answer was complete")
    usage = None if reader.usage is None else usage_of(reader.usage)
    yield [*priced(usage, price), *closing_pieces(reader.calls, reason)]


@dataclass(slots=True)
class ChunkReader:
    """Reader of the chunks of one answer, in order."""

    calls: CallTracker = field(default_factory=CallTracker)
    usage: Any = None
    """Figures of the provider in litellm's form, once a chunk brought the figures."""

    def read(self, chunk: Any) -> list[frames.Piece]:
        # The chunk with the usage has no choices on some wires (empty `choices`), an idle one on other wires.
        self.usage = getattr(chunk, "usage", None) or self.usage
        return [piece for choice in chunk.choices for piece in self._read_delta(choice.delta)]

    def _read_delta(self, delta: Any) -> list[frames.Piece]:
        pieces: list[frames.Piece] = []
        if blocks := getattr(delta, "thinking_blocks", None):
            pieces += [_thought(block) for block in blocks]
        elif reasoning := getattr(delta, "reasoning_content", None):
            pieces.append(frames.Thought(reasoning))
        for item in getattr(delta, "reasoning_items", None) or ():
            if item.get("encrypted_content"):
                pieces.append(frames.Thought("", REASONING_ITEM + json.dumps(dict(item))))
        if delta.content:
            pieces.append(frames.Text(delta.content))
        for call in delta.tool_calls or ():
            function = call.function
            pieces += self.calls.feed(call.index, call.id, function.name, function.arguments)
        return pieces


def _thought(block: dict[str, Any]) -> frames.Thought:
    return frames.Thought(block.get("thinking") or "", block.get("signature") or None, block.get("data") or None)


def usage_of(usage: Any) -> frames.Usage:
    """Return the token counts; litellm's prompt includes cached tokens on every wire, here `input` excludes them."""
    prompt = getattr(usage, "prompt_tokens_details", None)
    completion = getattr(usage, "completion_tokens_details", None)
    cache_read = _count(usage, "cache_read_input_tokens") or _count(prompt, "cached_tokens")
    cache_write = _count(usage, "cache_creation_input_tokens") or _count(prompt, "cache_creation_tokens")
    return frames.Usage(
        input=max(0, _count(usage, "prompt_tokens") - cache_read - cache_write),
        output=_count(usage, "completion_tokens"),
        reasoning=_count(completion, "reasoning_tokens"),
        cache_read=cache_read,
        cache_write=cache_write,
    )


def _count(figures: Any, name: str) -> int:
    return getattr(figures, name, None) or 0
