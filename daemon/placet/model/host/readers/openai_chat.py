"""Reader of OpenAI's chat-completions stream, and of the streams of similar servers.

https://platform.openai.com/docs/api-reference/chat-streaming
"""

from typing import Any

import msgspec

from placet.model import frames
from placet.model.host.readers.stream import StreamReader, count, fault_of
from placet.model.quirks import DETAILS

_DONE = b"[DONE]"
_GROWING = ("text", "summary")
"""Fields of an entry of `reasoning_details` which come in pieces; any other field of an entry comes once."""


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _Call(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Delta(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None
    """Content of the delta; a list with Mistral's and Databricks' thinking models."""
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: Any = None
    """Details from OpenRouter: the same thinking again, with the data which the model's maker wants back."""
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


_decode = msgspec.json.Decoder(_Chunk).decode
_decode_leniently = msgspec.json.Decoder(_Chunk, strict=False).decode


class OpenAiChatReader(StreamReader):
    def __init__(self) -> None:
        super().__init__()
        self._details = _ReasoningDetails()

    def read_event(self, data: bytes) -> None:
        if not data.startswith(b"{") and data.strip() == _DONE:
            self.out.put(self._details.take())
            self.complete = True
            return
        try:
            chunk = _decode(data)
        except msgspec.ValidationError:
            chunk = _decode_leniently(data)
        if chunk.error:
            raise fault_of(chunk.error)
        for choice in chunk.choices or ():
            if choice.delta is not None:
                self._read_delta(choice.delta)
            if choice.finish_reason:
                self.out.put(self._details.take())
                self.reason = choice.finish_reason
        if chunk.usage:
            self.usage = usage_of(chunk.usage)

    def _read_delta(self, delta: _Delta) -> None:
        shown = self._details.add(delta.reasoning_details) if isinstance(delta.reasoning_details, list) else ""
        if thought := delta.reasoning_content or delta.reasoning or shown:
            self.out.thought(thought)
        if delta.content or delta.tool_calls:
            self.out.put(self._details.take())
        if isinstance(delta.content, list):
            self._read_blocks(delta.content)
        elif text := delta.content or delta.refusal:
            self.out.text(text)
        for position, call in enumerate(delta.tool_calls or ()):
            function = call.function or _Function()
            arguments = function.arguments
            if isinstance(arguments, dict):
                arguments = msgspec.json.encode(arguments).decode()
            index = position if call.index is None else call.index
            self.out.put(self.calls.feed(index, call.id, function.name, arguments))

    def _read_blocks(self, blocks: list[dict[str, Any]]) -> None:
        for block in blocks:
            match block:
                case {"type": "text", "text": str(text)}:
                    self.out.text(text)
                case {"type": "thinking", "thinking": [*parts]} | {"type": "reasoning", "summary": [*parts]}:
                    self.out.thought("".join(part.get("text", "") for part in parts))
                case _:
                    pass


def usage_of(figures: dict[str, Any]) -> frames.Usage:
    """Return the token counts; here the prompt includes the cached tokens, and DeepSeek has its own name for such
    tokens.
    """
    prompt = _details(figures, "prompt_tokens_details")
    completion = _details(figures, "completion_tokens_details")
    cache_read = count(prompt, "cached_tokens") or count(figures, "cache_read_input_tokens", "prompt_cache_hit_tokens")
    cache_write = count(prompt, "cache_creation_tokens") or count(figures, "cache_creation_input_tokens")
    reasoning = count(completion, "reasoning_tokens")
    prompt_tokens, output = count(figures, "prompt_tokens"), count(figures, "completion_tokens")
    if reasoning and count(figures, "total_tokens") == prompt_tokens + output + reasoning:
        output += reasoning  # xAI counts thinking beside the answer.
    return frames.Usage(
        input=max(0, prompt_tokens - cache_read - cache_write),
        output=output,
        reasoning=reasoning,
        cache_read=cache_read,
        cache_write=cache_write,
    )


def _details(figures: dict[str, Any], name: str) -> dict[str, Any]:
    details = figures.get(name)
    return details if isinstance(details, dict) else {}


class _ReasoningDetails:
    """Entries of OpenRouter's `reasoning_details` since the last `take`: thinking in the form of the model's maker.

    A client passes the whole sequence back to the maker, unchanged and in order:
    https://openrouter.ai/docs/use-cases/reasoning-tokens.
    """

    def __init__(self) -> None:
        self._entries: list[dict[str, Any]] = []

    def add(self, details: list[Any]) -> str:
        """Add entries and return their text, as far as the text can be shown."""
        entries: list[dict[str, Any]] = [entry for entry in details if isinstance(entry, dict)]
        for entry in entries:
            last = self._entries[-1] if self._entries else {}
            if _prolongs(entry, last):
                whole_fields = {key: value for key, value in entry.items() if value is not None and key not in _GROWING}
                grown = {key: (last.get(key) or "") + entry[key] for key in _GROWING if isinstance(entry.get(key), str)}
                self._entries[-1] = {**last, **whole_fields, **grown}
            else:
                self._entries.append(entry)
        return "".join(value for entry in entries for key in _GROWING if isinstance(value := entry.get(key), str))

    def take(self) -> list[frames.Piece]:
        """Return the seal of the thinking which has ended, or nothing without entries."""
        entries, self._entries = self._entries, []
        return [frames.Thought("", DETAILS + msgspec.json.encode(entries).decode())] if entries else []


def _prolongs(entry: dict[str, Any], last: dict[str, Any]) -> bool:
    """Return whether `entry` continues `last`; an encrypted entry never comes in pieces."""
    same = all(entry.get(key) == last.get(key) for key in ("type", "index"))
    return same and any(isinstance(entry.get(key), str) for key in (*_GROWING, "signature")) and "data" not in entry
