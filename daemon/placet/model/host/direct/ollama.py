"""Wire of Ollama's own interface, which alone takes the size of the context: https://docs.ollama.com/api/chat.

A request that does not fit the context fails (`truncate`), and so does an answer that fills it (`shift`): by default
Ollama drops the oldest part of either without a word.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from placet.model.host.direct.wire import Endpoint, WireRequest
from placet.model.host.errors import NotDirect
from placet.model.host.prompt import ProviderPrompt
from placet.model.host.readers.ollama import OllamaReader

_KEEP_ALIVE = "30m"
"""Time for which Ollama keeps the model in memory after an answer; Ollama's own 5 minutes are shorter than a pause."""
_OPTIONS = {
    "max_tokens": "num_predict",
    **{name: name for name in ("num_ctx", "temperature", "top_p", "top_k", "min_p", "seed", "stop")},
    **{name: name for name in ("presence_penalty", "frequency_penalty", "repeat_penalty")},
}
"""Names of Ollama's model options by the names of the parameters."""
_DROPPED = frozenset({"verbosity", "thinking", "tool_choice", "parallel_tool_calls"})
"""Parameters which no model of Ollama knows, though the user may set the parameters for all models."""
_DATA_URI = re.compile(r"data:image/[^,;]+;base64,(.*)", re.DOTALL)


class Ollama:
    """Wire of Ollama: placet.model.host.direct.wire.Wire."""

    def request(self, parameters: Mapping[str, Any], prompt: ProviderPrompt, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request. Raises NotDirect."""
        body = {
            "model": endpoint.model,
            "messages": _messages(prompt.chat()),
            "stream": True,
            "truncate": False,
            "shift": False,
            "keep_alive": _KEEP_ALIVE,
            **_fields({name: value for name, value in parameters.items() if name not in _DROPPED}, endpoint.model),
        }
        headers = {"content-type": "application/json", **endpoint.headers}
        if endpoint.key is not None:
            headers["authorization"] = f"Bearer {endpoint.key}"
        address, mark, query = endpoint.base.partition("?")
        url = f"{address.removesuffix('/v1')}/api/chat{mark}{query}"
        return WireRequest(url, headers, msgspec.json.encode(body))

    def reader(self) -> OllamaReader:
        return OllamaReader()


def _fields(parameters: dict[str, Any], model: str) -> dict[str, Any]:
    """Return the fields of the body for the parameters. Raises NotDirect for a parameter that only litellm knows."""
    options = {_OPTIONS[name]: parameters.pop(name) for name in _OPTIONS if name in parameters}
    fields: dict[str, Any] = {"options": options} if options else {}
    if (effort := parameters.pop("reasoning_effort", None)) is not None:
        # Only these models have levels of thinking; the others think or do not think.
        fields["think"] = effort if model.startswith("gpt-oss") else effort != "none"
    fields |= {name: parameters.pop(name) for name in ("tools", "keep_alive") if name in parameters}
    if parameters:
        raise NotDirect(f"the parameter `{min(parameters)}`")
    return fields


def _messages(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages in Ollama's form. Raises NotDirect for content that Ollama does not take."""
    names: dict[str, str] = {}
    made: list[dict[str, Any]] = []
    for message in messages:
        text, images = _content(message.get("content"))
        one = {"role": message["role"], "content": text}
        if images:
            one["images"] = images
        if thinking := message.get("reasoning_content"):
            one["thinking"] = thinking
        if calls := message.get("tool_calls"):
            one["tool_calls"] = [_call(call) for call in calls]
            names |= {call["id"]: call["function"]["name"] for call in calls}
        if (call_id := message.get("tool_call_id")) is not None:
            one |= {"tool_call_id": call_id, "tool_name": names.get(call_id, "")}
        made.append(one)
    return made


def _content(content: Any) -> tuple[str, list[str]]:
    """Return the text and the images, as base64."""
    if not isinstance(content, list):
        return content or "", []
    texts: list[str] = []
    images: list[str] = []
    for item in content:
        match item:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "image_url", "image_url": {"url": str(url)}} if match := _DATA_URI.fullmatch(url):
                images.append(match[1])
            case _:
                raise NotDirect("a message holds content that is neither text nor an image")
    return "\n\n".join(texts), images


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    try:
        arguments = msgspec.json.decode(function["arguments"] or "{}", type=dict[str, msgspec.Raw])
    except msgspec.MsgspecError as error:
        raise NotDirect("the arguments of a call are no object") from error
    return {"id": call["id"], "function": {"name": function["name"], "arguments": arguments}}
