"""An answer as the Gemini API's stream: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse."""

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

FINISH_REASONS = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
STATUSES = {"overloaded_error": 503, "rate_limit_error": 429}


def error_body(status: Status) -> dict[str, Any]:
    return {"error": {"code": status.status, "message": status.message, "status": status.type}}


def stream(answer: Answer, _: dict[str, Any]) -> Iterator[bytes | Effect]:
    """Bytes to send and effects to have, in order; ends after the figures."""
    usage = next((step for step in answer if isinstance(step, Usage)), None)
    reason = None
    for step in answer:
        match step:
            case Text():
                yield from (_parts({"text": piece}) for piece in pieces(step.text, step.pieces))
            case Thought(redacted=str()):
                pass
            case Thought():
                yield from (_parts({"text": piece, "thought": True}) for piece in pieces(step.text, step.pieces))
            case Call():
                arguments = json.loads(step.arguments) if isinstance(step.arguments, str) else step.arguments
                call = {"name": step.name, "args": arguments} | ({"id": step.id} if step.id else {})
                yield _parts({"functionCall": call})
            case Usage():
                pass
            case Finish():
                reason = step.reason
            case StreamError():
                error = {"code": STATUSES.get(step.type, 500), "message": step.message, "status": step.type}
                yield _event({"error": error})
                return
            case Raw():
                yield _event(dict(step.data))
            case Bytes():
                yield step.data
            case Status():
                raise ValueError("an HTTP status must be the only step of its answer")
            case _:
                yield step
    reason = FINISH_REASONS.get(reason or "stop", reason)
    last = {"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": reason, "index": 0}]}
    yield _event(last | ({"usageMetadata": _figures(usage)} if usage is not None else {}))


def _parts(part: dict[str, Any]) -> bytes:
    return _event({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]})


def _figures(usage: Usage) -> dict[str, int]:
    prompt = usage.input + usage.cache_read
    return {
        "promptTokenCount": prompt,
        "candidatesTokenCount": usage.output - usage.reasoning,
        "thoughtsTokenCount": usage.reasoning,
        "cachedContentTokenCount": usage.cache_read,
        "totalTokenCount": prompt + usage.output,
    }


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\r\n\r\n".encode()
