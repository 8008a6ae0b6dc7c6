"""Requests of OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses/create.

The form follows litellm's request for the same parameters and messages (tests/model/test_direct_contract.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from placet.model.host.direct.responses_options import BodyChange, request_options, unchanged
from placet.model.host.direct.wire import Endpoint, WireRequest, path_below
from placet.model.host.errors import NotDirect
from placet.model.host.prompt import ProviderPrompt
from placet.model.host.readers.openai_responses import OpenAiResponsesReader
from placet.model.host.readers.stream import StreamReader
from placet.model.quirks import REASONING_ITEMS

_PREFIX = "responses/"
"""Beginning of a model's name by which the user asks for this API."""
_encode = msgspec.json.encode
Options = dict[str, Any]


class OpenAiResponses:
    """Wire of OpenAI's Responses API: placet.model.host.direct.wire.Wire."""

    def __init__(self, change: BodyChange = unchanged) -> None:
        """Create the wire; `change` makes the body suit a provider."""
        self._change = change

    def request(self, parameters: Mapping[str, Any], prompt: ProviderPrompt, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request. Raises NotDirect."""
        model = endpoint.model.removeprefix(_PREFIX)
        instructions, items = _messages(prompt)
        body: Options = {
            "model": model,
            **({"instructions": instructions} if instructions else {}),
            **request_options(parameters, model, endpoint.provider, is_own=endpoint.is_own),
            "stream": True,
        }
        body = self._change(body)
        headers = {"content-type": "application/json"}
        headers |= {name.lower(): value for name, value in endpoint.headers.items()}
        if endpoint.key is not None:
            headers["authorization"] = f"Bearer {endpoint.key}"
        joined = b"".join((b'{"input":[', *_separated(items), b"],", _encode(body)[1:]))
        return WireRequest(path_below(endpoint.base, "/responses"), headers, joined)

    def reader(self) -> StreamReader:
        return OpenAiResponsesReader()


def _messages(prompt: ProviderPrompt) -> tuple[str, list[bytes]]:
    """Return the instructions, and the JSON of the items of each message. Raises NotDirect."""
    instructions: list[str] = []
    items: list[bytes] = []
    for message in prompt.messages:
        if message.role != "system":
            items.append(prompt.rendered(message, _rendered))
        elif items or not isinstance(text := prompt.message(message)["content"], str):
            raise NotDirect("a system message is not at the beginning, or more than text")
        else:
            instructions.append(text)
    if not items:
        raise NotDirect("the conversation has no message")
    return " ".join(instructions), [item for item in items if item]


def _separated(items: list[bytes]) -> list[bytes]:
    """Return the items with a comma after each item but the last."""
    return [fragment for item in items for fragment in (item, b",")][:-1]


def _rendered(message: dict[str, Any]) -> bytes:
    """Return the JSON of the message's items, joined by commas."""
    return _encode(list(_items(message)))[1:-1]


def _items(message: dict[str, Any]) -> Iterator[Options]:
    role, content = message["role"], message.get("content")
    if message.get("thinking_blocks"):
        raise NotDirect("signed thinking")
    match role:
        case "tool" if isinstance(content, str):
            output = [{"type": "input_text", "text": content}]
            yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": output}
        case "user" if content is not None:
            yield {"type": "message", "role": role, "content": _user_content(content)}
        case "assistant" if content is None or isinstance(content, str):
            calls = message.get("tool_calls") or ()
            yield from map(_thinking, message.get(REASONING_ITEMS) or ())
            if content or (content is not None and not calls):
                text = {"type": "output_text", "text": content}
                yield {"type": "message", "role": role, "content": [text]}
            yield from map(_call, calls)
        case _:
            raise NotDirect(f"a message of the role {role} has an unknown form")


def _thinking(item: dict[str, Any]) -> Options:
    return {
        "type": "reasoning",
        "id": item["id"],
        "summary": item["summary"],
        "encrypted_content": item["encrypted_content"],
    }


def _user_content(content: str | Iterable[dict[str, Any]]) -> list[Options]:
    if isinstance(content, str):
        return [{"type": "input_text", "text": content}]
    return [_user_item(item) for item in content]


def _user_item(item: dict[str, Any]) -> Options:
    match item:
        case {"type": "text", "text": str(text)}:
            return {"type": "input_text", "text": text}
        case {"type": "image_url", "image_url": {"url": str(url), **rest}}:
            return {"type": "input_image", "image_url": url, "detail": rest.get("detail") or "auto"}
        case {"type": "file", "file": {"file_data": str(data), "filename": str(name)}}:
            return {"type": "input_file", "file_data": data, "filename": name}
        case _:
            raise NotDirect(f"a message holds content of the kind {item.get('type')}")


def _call(call: dict[str, Any]) -> Options:
    function = call["function"]
    return {
        "type": "function_call",
        "call_id": call["id"],
        "name": function["name"],
        "arguments": function["arguments"],
    }
