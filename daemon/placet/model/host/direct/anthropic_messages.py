"""Requests of Anthropic's Messages API: https://docs.anthropic.com/en/api/messages.

The form follows litellm's request for the same parameters and messages, except where the contract test
(tests/model/test_direct_contract.py) names a difference.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from placet.model.host.conversations import CachedMessage
from placet.model.host.direct.anthropic_options import request_options
from placet.model.host.direct.wire import Endpoint, WireRequest, path_below
from placet.model.host.errors import NotDirect
from placet.model.host.prompt import ProviderPrompt
from placet.model.host.readers.anthropic_messages import AnthropicReader
from placet.model.host.readers.stream import StreamReader

_VERSION = "2023-06-01"
_SIGN_IN_PREFIX = "sk-ant-oat"
"""Beginning of a token from a sign-in (OAuth), which has another header than a key."""
_SIGN_IN_BETA = "oauth-2025-04-20"
_DATA_URI = re.compile(r"data:([^,;]+);base64,(.*)", re.DOTALL)
_DUMMY_TOOL = {
    "type": "function",
    "function": {
        "name": "dummy_tool",
        "description": "This is a dummy tool call",
        "parameters": {"type": "object", "properties": {}},
    },
}
"""Tool for a request without tools whose conversation has calls: Anthropic refuses calls without tools."""

_encode = msgspec.json.encode


class AnthropicMessages:
    """Wire of Anthropic's Messages API: placet.model.host.direct.wire.Wire."""

    def request(self, parameters: Mapping[str, Any], prompt: ProviderPrompt, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request. Raises NotDirect."""
        system, conversation = _divided(prompt)
        options = dict(parameters)
        if not options.get("tools") and any(message.role == "tool" for message in conversation):
            options["tools"] = [_DUMMY_TOOL]
        body: dict[str, Any] = {
            "model": endpoint.model,
            **request_options(options, endpoint.model, prompt.entry),
            "stream": True,
        }
        if blocks := [block for message in system for block in _system_blocks(prompt.message(message))]:
            body["system"] = blocks
        joined = b"".join((b'{"messages":[', *_messages(prompt, conversation), b"],", _encode(body)[1:]))
        return WireRequest(path_below(endpoint.base, "/v1/messages"), _headers(endpoint), joined)

    def reader(self) -> StreamReader:
        return AnthropicReader()


def _headers(endpoint: Endpoint) -> dict[str, str]:
    headers = {name.lower(): value for name, value in endpoint.headers.items()}
    betas = {beta.strip() for beta in headers.pop("anthropic-beta", "").split(",")} - {""}
    key = endpoint.key
    if (token := headers.get("authorization", "").removeprefix("Bearer ")).startswith(_SIGN_IN_PREFIX):
        key = token
    headers |= {"anthropic-version": _VERSION, "content-type": "application/json"}
    if key is not None and key.startswith(_SIGN_IN_PREFIX):
        headers.pop("x-api-key", None)
        headers |= {"authorization": f"Bearer {key}", "anthropic-dangerous-direct-browser-access": "true"}
        betas.add(_SIGN_IN_BETA)
    elif key is not None:
        headers["x-api-key"] = key
    return headers | ({"anthropic-beta": ",".join(sorted(betas))} if betas else {})


def _divided(prompt: ProviderPrompt) -> tuple[Sequence[CachedMessage], Sequence[CachedMessage]]:
    """Return the system prompt and the conversation. Raises NotDirect for system messages in the conversation."""
    messages = prompt.messages
    start = next((place for place, message in enumerate(messages) if message.role != "system"), len(messages))
    system, conversation = messages[:start], messages[start:]
    if not conversation:
        raise NotDirect("the conversation has no message")
    if any(message.role == "system" for message in conversation):
        raise NotDirect("a system message stands within the conversation")
    return system, conversation


def _system_blocks(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = message["content"]
    for item in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if item["type"] != "text":
            raise NotDirect("the system prompt holds more than text")
        if item["text"]:
            yield _with_mark({"type": "text", "text": item["text"]}, item)


def _messages(prompt: ProviderPrompt, conversation: Sequence[CachedMessage]) -> Iterator[bytes]:
    """Yield the JSON of all messages in fragments; neighbours of one side are one message."""
    last = conversation[-1]
    end = b""
    for role, neighbours in groupby(conversation, _side):
        start = b'%s{"role":"%s","content":[' % (end and end + b",", role.encode())
        for message in neighbours:
            is_end = message is last and role == "assistant"
            blocks = _rendered_last(prompt.message(message)) if is_end else prompt.rendered(message, _rendered)
            if blocks:
                yield start
                yield blocks
                start, end = b",", b"]}"
    yield end


def _side(message: CachedMessage) -> str:
    match message.role:
        case "assistant":
            return "assistant"
        case "user" | "tool":
            return "user"
        case role:
            raise NotDirect(f"a message has the role {role}")


def _rendered(message: dict[str, Any]) -> bytes:
    """Return the JSON of the message's blocks, joined by commas."""
    return _encode(list(_blocks(message)))[1:-1]


def _rendered_last(message: dict[str, Any]) -> bytes:
    """Return the JSON of the blocks of a last message by the assistant: Anthropic refuses white space at the end."""
    blocks = list(_blocks(message))
    return _encode([block | {"text": block["text"].rstrip()} if "text" in block else block for block in blocks])[1:-1]


def _blocks(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    match message["role"]:
        case "tool":
            yield _result(message)
        case "user":
            yield from _content(message.get("content"))
        case _:
            yield from map(_thinking, message.get("thinking_blocks") or ())
            yield from _content(message.get("content"))
            yield from map(_call, message.get("tool_calls") or ())


def _content(content: str | Iterable[dict[str, Any]] | None) -> Iterator[dict[str, Any]]:
    if isinstance(content, str):
        yield _text(content)
    for item in content if content is not None and not isinstance(content, str) else ():
        yield _with_mark(_block(item), item)


def _block(item: dict[str, Any]) -> dict[str, Any]:
    match item:
        case {"type": "text", "text": str(text)}:
            return _text(text)
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            return {"type": "image", "source": _source(url)}
        case {"type": "file", "file": {"file_data": str(url)}}:
            return {"type": "document", "source": _source(url)}
        case _:
            raise NotDirect(f"a message holds content of the kind {item.get('type')}")


def _text(text: str) -> dict[str, Any]:
    if not text.strip():
        raise NotDirect("a message holds an empty text")
    return {"type": "text", "text": text}


def _source(url: str) -> dict[str, Any]:
    if (match := _DATA_URI.fullmatch(url)) is None:
        raise NotDirect("an attachment is no base64 data")
    return {"type": "base64", "media_type": match[1], "data": match[2]}


def _thinking(block: dict[str, Any]) -> dict[str, Any]:
    match block:
        case {"type": "redacted_thinking", "data": str()} | {"type": "thinking", "signature": str()}:
            return block
        case _:
            raise NotDirect("thinking without a signature")


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    try:
        arguments = msgspec.json.decode(function["arguments"] or "{}", type=msgspec.Raw)
    except msgspec.DecodeError as error:
        raise NotDirect("the arguments of a call are no JSON") from error
    return _with_mark({"type": "tool_use", "id": call["id"], "name": function["name"], "input": arguments}, call)


def _result(message: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(message["content"], str):
        raise NotDirect("a result holds more than text")
    result = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
    return _with_mark(result, message)


def _with_mark(block: dict[str, Any], source: Mapping[str, Any]) -> dict[str, Any]:
    """Return the block with the mark for the cache, if the source has a mark."""
    if (mark := source.get("cache_control")) is not None:
        block["cache_control"] = mark
    return block
