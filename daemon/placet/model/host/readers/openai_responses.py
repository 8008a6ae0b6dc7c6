"""Reader of OpenAI's Responses stream: https://platform.openai.com/docs/api-reference/responses-streaming."""

from typing import TYPE_CHECKING, Any

import msgspec

from placet.model import frames
from placet.model.host.readers.stream import StreamReader, count, fault_of
from placet.model.quirks import REASONING_ITEM

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_TEXT = {"response.output_text.delta", "response.refusal.delta"}
_THOUGHT = {"response.reasoning_summary_text.delta", "response.reasoning_text.delta"}


class _Item(msgspec.Struct):
    type: str = ""
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    id: str | None = None
    summary: list[dict[str, Any]] = []
    encrypted_content: str | None = None


class _Details(msgspec.Struct):
    reason: str | None = None


class _Response(msgspec.Struct):
    usage: dict[str, Any] | None = None
    incomplete_details: _Details | None = None
    error: Any = None


class _Event(msgspec.Struct):
    type: str = ""
    output_index: int = 0
    delta: Any = None
    item: _Item | None = None
    response: _Response | None = None
    error: Any = None
    message: str | None = None
    code: str | None = None


_decode = msgspec.json.Decoder(_Event).decode


class OpenAiResponsesReader(StreamReader):
    def __init__(self) -> None:
        super().__init__()
        self._silent_calls: set[int] = set()
        """Calls without arguments so far, by index of the output."""

    def read_event(self, data: bytes) -> None:
        if data.strip() == b"[DONE]":
            return
        event = _decode(data)
        match event.type:
            case kind if kind in _TEXT:
                self.out.text(event.delta)
            case kind if kind in _THOUGHT:
                self.out.thought(event.delta)
            case "response.function_call_arguments.delta" if event.delta:
                self._silent_calls.discard(event.output_index)
                self.out.put(self.calls.feed(event.output_index, None, None, event.delta))
            case "response.output_item.added" if _is_call(event.item):
                self._silent_calls.add(event.output_index)
                self.out.put(self.calls.feed(event.output_index, event.item.call_id, event.item.name, None))
            case "response.output_item.done" if _is_call(event.item):
                if event.output_index in self._silent_calls:
                    self._silent_calls.discard(event.output_index)
                    self.out.put(self.calls.feed(event.output_index, None, None, event.item.arguments))
            case "response.output_item.done" if event.item is not None and event.item.encrypted_content:
                self.out.put([_sealed(event.item)])
            case "response.completed" | "response.incomplete" if event.response is not None:
                self._end(event.response)
            case "response.failed":
                raise fault_of(event.response.error if event.response else None)
            case "error":
                raise fault_of(event.error or {"message": event.message, "code": event.code})
            case _ if event.error:
                raise fault_of(event.error)
            case _:
                pass

    def _end(self, response: _Response) -> None:
        details = response.incomplete_details
        self.reason = (details.reason if details else None) or "stop"
        self.complete = True
        if response.usage:
            self.usage = usage_of(response.usage)


def _sealed(item: _Item) -> frames.Thought:
    """Return the seal of the encrypted thinking, with which the next request gives the thinking back."""
    kept = {"id": item.id, "type": "reasoning", "encrypted_content": item.encrypted_content, "summary": item.summary}
    return frames.Thought("", REASONING_ITEM + msgspec.json.encode(kept).decode())


def _is_call(item: _Item | None) -> "TypeIs[_Item]":
    return item is not None and item.type == "function_call"


def usage_of(figures: dict[str, Any]) -> frames.Usage:
    """Return the token counts; on this wire `input_tokens` includes the cached tokens."""
    read = count(figures.get("input_tokens_details"), "cached_tokens")
    return frames.Usage(
        input=max(0, count(figures, "input_tokens") - read),
        output=count(figures, "output_tokens"),
        reasoning=count(figures.get("output_tokens_details"), "reasoning_tokens"),
        cache_read=read,
    )
