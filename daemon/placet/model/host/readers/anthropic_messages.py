"""Reader of Anthropic's messages stream: https://docs.anthropic.com/en/docs/build-with-claude/streaming."""

from typing import Any

import msgspec

from placet.model import frames
from placet.model.host.readers.stream import StreamReader, count, fault_of


class _Delta(msgspec.Struct):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class _Block(msgspec.Struct):
    type: str = ""
    id: str | None = None
    name: str | None = None
    text: str | None = None
    thinking: str | None = None
    data: str | None = None
    input: Any = None


class _Message(msgspec.Struct):
    usage: dict[str, Any] | None = None


class _Event(msgspec.Struct):
    type: str = ""
    index: int = 0
    delta: _Delta | None = None
    content_block: _Block | None = None
    message: _Message | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


_decode = msgspec.json.Decoder(_Event).decode
_decode_leniently = msgspec.json.Decoder(_Event, strict=False).decode


class AnthropicReader(StreamReader):
    def __init__(self) -> None:
        super().__init__()
        self._figures: dict[str, Any] = {}
        self._call_blocks: set[int] = set()
        self._whole_inputs: dict[int, Any] = {}
        """Arguments from the block's start, by index; used if no deltas follow."""

    def read_event(self, data: bytes) -> None:
        try:
            event = _decode(data)
        except msgspec.ValidationError:
            event = _decode_leniently(data)
        match event.type:
            case "content_block_delta" if event.delta is not None:
                self._read_delta(event.index, event.delta)
            case "content_block_start" if event.content_block is not None:
                self._start_block(event.index, event.content_block)
            case "content_block_stop":
                if whole := self._whole_inputs.pop(event.index, None):
                    arguments = msgspec.json.encode(whole).decode()
                    self.out.put(self.calls.feed(event.index, None, None, arguments))
            case "message_start" if event.message is not None:
                self._count(event.message.usage)
            case "message_delta":
                self._count(event.usage)
                if event.delta is not None and event.delta.stop_reason:
                    self.reason = event.delta.stop_reason
            case "message_stop":
                self.complete = True
            case "error":
                raise fault_of(event.error)
            case _ if event.error:
                raise fault_of(event.error)
            case _:
                pass

    def _read_delta(self, index: int, delta: _Delta) -> None:
        if delta.text:
            self.out.text(delta.text)
        elif delta.partial_json and index in self._call_blocks:
            self._whole_inputs.pop(index, None)
            self.out.put(self.calls.feed(index, None, None, delta.partial_json))
        elif delta.thinking:
            self.out.thought(delta.thinking)
        elif delta.signature:
            self.out.put([frames.Thought("", delta.signature)])

    def _start_block(self, index: int, block: _Block) -> None:
        self._call_blocks.discard(index)
        match block.type:
            case "tool_use":
                self._call_blocks.add(index)
                self.out.put(self.calls.feed(index, block.id, block.name, None))
                if block.input:
                    self._whole_inputs[index] = block.input
            case "redacted_thinking":
                self.out.put([frames.Thought("", None, block.data)])
            case "text" if block.text:
                self.out.text(block.text)
            case "thinking" if block.thinking:
                self.out.thought(block.thinking)
            case _:
                pass

    def _count(self, figures: dict[str, Any] | None) -> None:
        """Add the figures: the figures come in parts, and later figures are final."""
        if not figures:
            return
        self._figures |= {name: value for name, value in figures.items() if value is not None}
        self.usage = usage_of(self._figures)


def usage_of(figures: dict[str, Any]) -> frames.Usage:
    """Return the token counts; on this wire `input_tokens` excludes the cached tokens."""
    return frames.Usage(
        input=count(figures, "input_tokens"),
        output=count(figures, "output_tokens"),
        cache_read=count(figures, "cache_read_input_tokens"),
        cache_write=count(figures, "cache_creation_input_tokens"),
    )
