"""Requests of the Gemini API: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent.

The form follows litellm's request for the same parameters and messages (tests/model/test_direct_contract_gemini.py).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NoReturn, cast

import msgspec

from placet.model.host.catalog.efforts import OLD_GEMINI
from placet.model.host.conversations import CachedMessage
from placet.model.host.direct.gemini_options import request_options
from placet.model.host.direct.wire import Endpoint, WireRequest
from placet.model.host.errors import NotDirect
from placet.model.host.prompt import ProviderPrompt
from placet.model.host.readers.gemini import GeminiReader
from placet.model.host.readers.stream import StreamReader

HOST = "https://generativelanguage.googleapis.com"

_USUAL = re.compile(
    r"gemini-(?!.*(?:-tts|-image|-live|-audio|-embedding|-computer-use|-robotics|-transcribe|-translate))"
    r"(?:2[.-][5-9]|[3-9](?:[.-]\d{1,2})?)-(?:pro|flash)(?:-lite)?(?![a-z])"
)
"""Names of models with the usual abilities, for models which the table does not have."""
_USUAL_FACTS: Mapping[str, Any] = {"supports_system_messages": True, "supports_reasoning": True}
_NO_SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""Signature for a first call which another model made: https://ai.google.dev/gemini-api/docs/thought-signatures."""
_DATA_URI = re.compile(r"data:([^,;]+);base64,(.*)", re.DOTALL)
_IMAGE_AS_TEXT = re.compile(r"data:image/[^,]*;base64,", re.IGNORECASE)

_encode = msgspec.json.encode
Options = dict[str, Any]
Names = dict[bytes, bytes]
"""Names of the last calls by the ids of the calls, both as JSON."""


class Gemini:
    """Wire of the Gemini API: placet.model.host.direct.wire.Wire."""

    def request(self, parameters: Mapping[str, Any], prompt: ProviderPrompt, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request. Raises NotDirect."""
        model = endpoint.model
        if not model.startswith("gemini-") or "/" in model:
            raise NotDirect("the model is no Gemini")
        is_old = OLD_GEMINI.match(model) is not None
        facts = prompt.entry or (_USUAL_FACTS if _USUAL.match(model) else {})
        system = [_system_part(prompt.message(message)) for message in prompt.messages if message.role == "system"]
        if system and not facts.get("supports_system_messages"):
            raise NotDirect("litellm's table does not say that the model takes a system prompt")
        conversation = [message for message in prompt.messages if message.role != "system"]
        body: Options = {
            **({"system_instruction": {"parts": system}} if system else {}),
            **request_options(parameters, model, facts, is_old=is_old),
        }
        base = endpoint.base if endpoint.base != HOST else f"{HOST}/{'v1beta' if is_old else 'v1alpha'}"
        headers = {"content-type": "application/json"}
        if endpoint.key is not None:
            headers["x-goog-api-key"] = endpoint.key
        headers |= {name.lower(): value for name, value in endpoint.headers.items()}
        contents = _contents(prompt, conversation, is_old=is_old)
        joined = b"".join((b'{"contents":[', *contents, b"]", b"," if body else b"", _encode(body)[1:]))
        return WireRequest(f"{base}/models/{model}:streamGenerateContent?alt=sse", headers, joined)

    def reader(self) -> StreamReader:
        return GeminiReader()


def _system_part(message: dict[str, Any]) -> Options:
    if not isinstance(text := message["content"], str):
        raise NotDirect("the system prompt holds more than text")
    return {"text": text}


def _contents(prompt: ProviderPrompt, conversation: Iterable[CachedMessage], *, is_old: bool) -> Iterator[bytes]:
    """Yield the JSON of all contents in fragments; neighbours of one role are one content."""
    names: Names = {}
    end = b""
    for role, neighbours in groupby(conversation, lambda message: message.role):
        match role:
            case "assistant":
                rendered = [prompt.rendered(message, _rendered_old if is_old else _rendered) for message in neighbours]
                heads, parts = zip(*(_divided(line) for line in rendered), strict=True)
                names = {call_id: name for head in heads for call_id, name in _names(head)}
            case "tool":
                parts = [_result(prompt, message, names, is_old=is_old) for message in neighbours]
            case "user":
                parts = _user_parts([prompt.rendered(message, _rendered_user) for message in neighbours])
            case _:
                raise NotDirect(f"a message has the role {role}")
        start = b'%s{"role":"%s","parts":[' % (end and end + b",", b"model" if role == "assistant" else b"user")
        for part in filter(None, parts):
            yield start
            yield part
            start, end = b",", b"]}"
    if not end:
        raise NotDirect("the conversation has no message")
    yield end


def _user_parts(parts: list[bytes]) -> list[bytes]:
    """Return the parts of the user, with a blank where no part is text: Gemini refuses a content without text."""
    has_text = any(b'{"text":' in part for part in parts)
    return parts if has_text else [*parts, _encode({"text": " "})]


def _rendered_user(message: dict[str, Any]) -> bytes:
    content = message.get("content") or []
    items = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return _encode([_user_part(item) for item in items])[1:-1]


def _user_part(item: dict[str, Any]) -> Options:
    match item:
        case {"type": "text", "text": str(text)} if text:
            return {"text": text}
        case {"type": "image_url", "image_url": {"url": str(url), **rest}} if not rest:
            return {"inline_data": _data(url)}
        case {"type": "file", "file": {"file_data": str(url)}}:
            return {"inline_data": _data(url)}
        case _:
            raise NotDirect(f"a message holds content of the kind {item.get('type')}")


def _data(url: str) -> Options:
    if (match := _DATA_URI.fullmatch(url)) is None:
        raise NotDirect("an attachment is no base64 data")
    return {"mime_type": match[1], "data": match[2]}


def _rendered_old(message: dict[str, Any]) -> bytes:
    return _rendered_assistant(message, is_old=True)


def _rendered(message: dict[str, Any]) -> bytes:
    return _rendered_assistant(message, is_old=False)


def _rendered_assistant(message: dict[str, Any], *, is_old: bool) -> bytes:
    """Return the ids and names of the calls in a line, and the parts of the message: `_result` needs the names.

    JSON has neither tabs nor line ends within texts.
    """
    calls = message.get("tool_calls") or ()
    names = b"\t".join(_encode(text) for call in calls for text in (call["id"], call["function"]["name"]))
    return names + b"\n" + _encode(list(_assistant_parts(message, is_old=is_old)))[1:-1]


def _divided(line: bytes) -> tuple[bytes, bytes]:
    names, _, parts = line.partition(b"\n")
    return names, parts


def _names(head: bytes) -> Iterable[tuple[bytes, bytes]]:
    fields = head.split(b"\t")
    return zip(fields[::2], fields[1::2], strict=False)


def _assistant_parts(message: dict[str, Any], *, is_old: bool) -> Iterator[Options]:
    if (reasoning := message.get("reasoning_content")) is not None:
        yield {"thought": True, "text": reasoning}
    match message.get("content"):
        case None:
            pass
        case str(text):
            yield {"text": text}
        case _:
            raise NotDirect("an answer holds more than text")
    calls = message.get("tool_calls") or ()
    if is_old and len({(call["function"]["name"], call["function"]["arguments"]) for call in calls}) < len(calls):
        raise NotDirect("two calls are equal, and the model knows no ids of calls")
    for place, call in enumerate(calls):
        yield _call(call, is_old=is_old, is_first=place == 0)


def _call(call: dict[str, Any], *, is_old: bool, is_first: bool) -> Options:
    function = call["function"]
    try:
        arguments = msgspec.json.decode(function["arguments"] or '{"type":"object"}', type=msgspec.Raw)
    except msgspec.DecodeError as error:
        raise NotDirect("the arguments of a call are no JSON") from error
    made: Options = {"function_call": {"name": function["name"], "args": arguments}}
    if not is_old:
        made["function_call"]["id"] = call["id"]
    signature = (call.get("provider_specific_fields") or {}).get("thought_signature")
    if not signature and is_first and not is_old:
        signature = _NO_SIGNATURE
    return made | ({"thoughtSignature": signature} if signature else {})


def _result(prompt: ProviderPrompt, message: CachedMessage, names: Names, *, is_old: bool) -> bytes:
    """Return the JSON of the result's part, with the name of the call which the result answers."""
    call_id, _, response = prompt.rendered(message, _rendered_result).partition(b"\n")
    if (name := names.get(call_id)) is None:
        raise NotDirect("a result has no call")
    own_id = b"" if is_old else b',"id":' + call_id
    return b'{"function_response":{"name":%s,"response":%s%s}}' % (name, response, own_id)


def _rendered_result(message: dict[str, Any]) -> bytes:
    """Return the id of the call in a line, and the response: an object of JSON as such, and any other text as text."""
    text = message["content"]
    if not isinstance(text, str) or _IMAGE_AS_TEXT.match(text):
        raise NotDirect("a result holds more than text")
    value = _object(text)
    response = {"content": text} if value is None else value
    return _encode(message["tool_call_id"]) + b"\n" + json.dumps(response).encode()


def _object(text: str) -> Options | None:
    if not text.strip().startswith("{"):
        return None
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return cast("Options", value) if isinstance(value, dict) else None


def _refuse_constant(name: str) -> NoReturn:
    raise NotDirect(f"a result holds {name}, which is no JSON")
