"""Reader of the Gemini API's stream: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse."""

import uuid
from typing import Any

import msgspec

from placet.model import frames
from placet.model.host.readers.stream import StreamReader, count, fault_of

_SIGNATURE = "__thought__"
"""Separator between the id of a call and the signature, as model/client/messages.py reads both."""

_UNSAFE = {
    *("SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"),
    *("IMAGE_PROHIBITED_CONTENT", "NO_IMAGE", "IMAGE_RECITATION", "IMAGE_OTHER", "ESCALATION"),
}


class _Function(msgspec.Struct):
    name: str | None = None
    args: dict[str, Any] | None = None
    id: str | None = None


class _Part(msgspec.Struct, rename="camel"):
    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: _Function | None = None


class _Content(msgspec.Struct):
    parts: list[_Part] | None = None


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None


class _Chunk(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] | None = None
    usage_metadata: dict[str, Any] | None = None
    prompt_feedback: _Feedback | None = None
    error: Any = None


_decode = msgspec.json.Decoder(_Chunk).decode
_decode_leniently = msgspec.json.Decoder(_Chunk, strict=False).decode


class GeminiReader(StreamReader):
    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def read_event(self, data: bytes) -> None:
        try:
            chunk = _decode(data)
        except msgspec.ValidationError:
            chunk = _decode_leniently(data)
        if chunk.error:
            raise fault_of(chunk.error)
        if chunk.prompt_feedback is not None and chunk.prompt_feedback.block_reason:
            self.reason = "content_filter"
        for candidate in chunk.candidates or ():
            parts = (candidate.content.parts if candidate.content is not None else None) or []
            self._read_parts(parts)
            if candidate.finish_reason:
                self.reason = _reason(candidate.finish_reason)
        if chunk.usage_metadata:
            self.usage = usage_of(chunk.usage_metadata)

    def _read_parts(self, parts: list[_Part]) -> None:
        for part in parts:
            if part.text and part.thought:
                self.out.thought(part.text)
            elif part.text:
                self.out.text(part.text)
            if part.function_call is not None:
                self._read_call(part.function_call, part.thought_signature)

    def _read_call(self, function: _Function, signature: str | None) -> None:
        call_id = function.id or f"call_{uuid.uuid4().hex[:28]}"
        if signature:
            call_id += _SIGNATURE + signature
        arguments = msgspec.json.encode(function.args or {}).decode()
        self.out.put(self.calls.feed(self._calls, call_id, function.name, arguments))
        self._calls += 1


def _reason(reason: str) -> str:
    if reason == "MAX_TOKENS":
        return "length"
    return "content_filter" if reason in _UNSAFE else "stop"


def usage_of(figures: dict[str, Any]) -> frames.Usage:
    """Return the token counts; here the prompt includes the cached tokens, and thinking stands beside the answer."""
    cached, reasoning = count(figures, "cachedContentTokenCount"), count(figures, "thoughtsTokenCount")
    prompt, output = count(figures, "promptTokenCount"), count(figures, "candidatesTokenCount")
    of_tools = count(figures, "toolUsePromptTokenCount")
    if prompt + output + of_tools != count(figures, "totalTokenCount"):
        output += reasoning
    return frames.Usage(input=max(0, prompt + of_tools - cached), output=output, reasoning=reasoning, cache_read=cached)
