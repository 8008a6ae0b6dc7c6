"""An answer as OpenAI's Responses stream: https://platform.openai.com/docs/api-reference/responses-streaming."""

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
from wire_servers.openai_wire import error_body

__all__ = ["error_body", "stream"]


def stream(answer: Answer, request: dict[str, Any]) -> Iterator[bytes | Effect]:
    """Bytes to send and effects to have, in order; ends after `response.completed`."""
    usage = next((step for step in answer if isinstance(step, Usage)), Usage())
    reason = None
    output: list[dict[str, Any]] = []
    yield _event({"type": "response.created", "response": _response(request, [], "in_progress")})
    for step in answer:
        index = len(output)
        match step:
            case Text():
                item: dict[str, Any] = {
                    "type": "message",
                    "id": f"msg_{index}",
                    "role": "assistant",
                    "status": "completed",
                }
                item["content"] = [{"type": "output_text", "text": step.text, "annotations": []}]
                deltas = {"type": "response.output_text.delta", "content_index": 0}
                yield from _item(index, item, deltas, pieces(step.text, step.pieces))
                output.append(item)
            case Thought():
                item = {"type": "reasoning", "id": f"rs_{index}"}
                item["summary"] = [{"type": "summary_text", "text": step.text}]
                if step.redacted is not None and "reasoning.encrypted_content" in request.get("include", ()):
                    item["encrypted_content"] = step.redacted
                deltas = {"type": "response.reasoning_summary_text.delta", "summary_index": 0}
                yield from _item(index, item, deltas, pieces(step.text, step.pieces))
                output.append(item)
            case Call():
                arguments = step.arguments if isinstance(step.arguments, str) else json.dumps(step.arguments)
                item = {"type": "function_call", "id": f"fc_{index}", "call_id": step.id or f"call_{index}"}
                item |= {"name": step.name, "arguments": arguments, "status": "completed"}
                deltas = {"type": "response.function_call_arguments.delta"}
                yield from _item(index, item, deltas, pieces(arguments, step.pieces))
                output.append(item)
            case Usage():
                pass
            case Finish():
                reason = step.reason
            case StreamError():
                yield _event({"type": "error", "code": step.type, "message": step.message, "param": None})
                return
            case Raw():
                yield _event(dict(step.data))
            case Bytes():
                yield step.data
            case Status():
                raise ValueError("an HTTP status must be the only step of its answer")
            case _:
                yield step
    cut = reason == "length"
    response = _response(request, output, "incomplete" if cut else "completed")
    response["incomplete_details"] = {"reason": "max_output_tokens"} if cut else None
    response["usage"] = {
        "input_tokens": usage.input + usage.cache_read,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.cache_read + usage.output,
    }
    yield _event({"type": f"response.{response['status']}", "response": response})


def _response(request: dict[str, Any], output: list[dict[str, Any]], status: str) -> dict[str, Any]:
    model = request.get("model", "scripted")
    fields = {"id": "resp_scripted", "object": "response", "created_at": 1_760_000_000, "model": model}
    return {**fields, "status": status, "output": list(output), "tools": [], "tool_choice": "auto", "usage": None}


def _item(index: int, item: dict[str, Any], delta: dict[str, Any], texts: Iterator[str] | Any) -> Iterator[bytes]:
    begun = {**item, "status": "in_progress"}
    for name in ("content", "summary"):
        if name in begun:
            begun[name] = []
    if "arguments" in begun:
        begun["arguments"] = ""
    yield _event({"type": "response.output_item.added", "output_index": index, "item": begun})
    for text in texts:
        yield _event({**delta, "item_id": item["id"], "output_index": index, "delta": text})
    yield _event({"type": "response.output_item.done", "output_index": index, "item": item})


def _event(data: dict[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
