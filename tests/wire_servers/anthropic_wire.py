"""An answer as Anthropic's messages stream: https://docs.anthropic.com/en/docs/build-with-claude/streaming."""

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

STOP_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}


def error_body(status: Status) -> dict[str, Any]:
    return {"type": "error", "error": {"type": status.type, "message": status.message}}


def stream(answer: Answer, request: dict[str, Any]) -> Iterator[bytes | Effect]:
    """Bytes to send and effects to have, in order; ends after `message_stop`."""
    usage = next((step for step in answer if isinstance(step, Usage)), Usage())
    reason = None
    index = 0
    called = False
    yield _event({"type": "message_start", "message": _message(request, usage)})
    for step in answer:
        match step:
            case Text():
                block = {"type": "text", "text": ""}
                deltas = [{"type": "text_delta", "text": piece} for piece in pieces(step.text, step.pieces)]
                yield from _block(index, block, deltas)
                index += 1
            case Thought(redacted=str()):
                yield from _block(index, {"type": "redacted_thinking", "data": step.redacted}, [])
                index += 1
            case Thought():
                deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(step.text, step.pieces)]
                if step.signature:
                    deltas.append({"type": "signature_delta", "signature": step.signature})
                yield from _block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
                index += 1
            case Call():
                arguments = step.arguments if isinstance(step.arguments, str) else json.dumps(step.arguments)
                block_id = step.id or f"toolu_{index}_{step.name}"
                block = {"type": "tool_use", "id": block_id, "name": step.name, "input": {}}
                deltas = [
                    {"type": "input_json_delta", "partial_json": piece} for piece in pieces(arguments, step.pieces)
                ]
                yield from _block(index, block, deltas)
                index += 1
                called = True
            case Usage():
                pass
            case Finish():
                reason = step.reason
            case StreamError():
                yield _event({"type": "error", "error": {"type": step.type, "message": step.message}})
                return
            case Raw():
                yield _event(dict(step.data))
            case Bytes():
                yield step.data
            case Status():
                raise ValueError("an HTTP status must be the only step of its answer")
            case _:
                yield step
    reason = reason or ("tool_calls" if called else "stop")
    delta = {"stop_reason": STOP_REASONS.get(reason, reason), "stop_sequence": None}
    yield _event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage.output}})
    yield _event({"type": "message_stop"})


def _message(request: dict[str, Any], usage: Usage) -> dict[str, Any]:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", "scripted"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation_input_tokens": usage.cache_write,
            "output_tokens": 1,
        },
    }


def _block(index: int, block: dict[str, Any], deltas: list[dict[str, Any]]) -> Iterator[bytes]:
    yield _event({"type": "content_block_start", "index": index, "content_block": block})
    for delta in deltas:
        yield _event({"type": "content_block_delta", "index": index, "delta": delta})
    yield _event({"type": "content_block_stop", "index": index})


def _event(data: dict[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
