"""An answer as OpenAI's chat-completions stream: https://platform.openai.com/docs/api-reference/chat-streaming."""

import json
from collections.abc import Iterator
from typing import Any

from wire_servers.answers import (
    Answer,
    Bytes,
    Call,
    Effect,
    Finish,
    Raw,
    Status,
    StreamError,
    Text,
    Thought,
    Usage,
    pieces,
)

USAGE_BY_DEFAULT = Usage()


def error_body(status: Status) -> dict[str, Any]:
    return {"error": {"message": status.message, "type": status.type, "param": None, "code": None, **status.more}}


def stream(answer: Answer, request: dict[str, Any]) -> Iterator[bytes | Effect]:
    """Bytes to send and effects to have, in order; ends after `[DONE]`."""
    usage = USAGE_BY_DEFAULT
    reason = None
    calls = 0

    def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return _event({**_head(request), "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for step in answer:
        match step:
            case Text():
                for piece in pieces(step.text, step.pieces):
                    yield chunk({"content": piece})
            case Thought():
                for piece in pieces(step.text, step.pieces):
                    yield chunk({"reasoning_content": piece})
            case Call():
                for delta in _call_deltas(step, calls):
                    yield chunk({"tool_calls": [delta]})
                calls += 1
            case Usage():
                usage = step
            case Finish():
                reason = step.reason
            case StreamError():
                yield _event({"error": {"message": step.message, "type": step.type, "code": step.type}})
                return
            case Raw():
                yield _event(dict(step.data))
            case Bytes():
                yield step.data
            case Status():
                raise ValueError("an HTTP status must be the only step of its answer")
            case _:
                yield step
    yield chunk({}, reason or ("tool_calls" if calls else "stop"))
    if request.get("stream_options", {}).get("include_usage"):
        yield _event({**_head(request), "choices": [], "usage": _usage(usage)})
    yield b"data: [DONE]\n\n"


def _head(request: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1_760_000_000,
        "model": request.get("model", "scripted"),
    }


def _call_deltas(call: Call, index: int) -> Iterator[dict[str, Any]]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    call_id = call.id or f"call_{index}_{call.name}"
    yield {"index": index, "id": call_id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    for piece in pieces(arguments, call.pieces):
        yield {"index": index, "function": {"arguments": piece}}


def _usage(usage: Usage) -> dict[str, Any]:
    prompt = usage.input + usage.cache_read
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"
