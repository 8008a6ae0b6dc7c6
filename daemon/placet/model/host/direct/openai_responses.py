"""Requests of OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses/create.

The form follows litellm's request for the same parameters and messages (tests/model/test_direct_contract.py).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import msgspec

from placet.model.host import model_table
from placet.model.host.direct.wire import Endpoint, NotDirect, WireRequest, path_below
from placet.model.host.prompt import Prompt
from placet.model.host.readers.openai_responses import OpenAiResponsesReader
from placet.model.host.readers.stream import StreamReader

_PREFIX = "responses/"
"""Beginning of a model's name by which the user asks for this API."""
_LEAST_OUTPUT_TOKENS = 16
_LONGEST_USER = 64

_REASONING_SERIES = re.compile(r"gpt-(5(?!-chat)|6)")
_O_SERIES = re.compile(r"o\d")
_REFUSES_COMBINATORS = re.compile(r"(ft:)?(gpt-4|gpt-3\.5|chatgpt-4o|o1|o3|o4)")
_COMBINATORS = {"allOf", "anyOf", "oneOf", "enum", "const", "not"}

_UNCHANGED = {"prompt_cache_key", "service_tier", "safety_identifier", "store", "truncation", "include"}
_LEFT_OUT = {
    *("seed", "stop", "frequency_penalty", "presence_penalty", "logit_bias", "n", "thinking", "top_k", "drop_params"),
    "prompt_cache_retention",
}
_NAMES_A_FUNCTION = {"function", "type"}

_encode = msgspec.json.encode
Options = dict[str, Any]


class OpenAiResponses:
    """Wire of OpenAI's Responses API: placet.model.host.direct.wire.Wire."""

    def request(self, parameters: Mapping[str, Any], prompt: Prompt, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request. Raises NotDirect."""
        model = endpoint.model.removeprefix(_PREFIX)
        instructions, items = _messages(prompt)
        body: Options = {
            "model": model,
            **({"instructions": instructions} if instructions else {}),
            **_options(parameters, model),
            "stream": True,
        }
        headers = {"content-type": "application/json"}
        headers |= {name.lower(): value for name, value in endpoint.headers.items()}
        if endpoint.key is not None:
            headers["authorization"] = f"Bearer {endpoint.key}"
        joined = b"".join((b'{"input":[', *_separated(items), b"],", _encode(body)[1:]))
        return WireRequest(path_below(endpoint.base, "/responses"), headers, joined)

    def reader(self) -> StreamReader:
        return OpenAiResponsesReader()


# ---------------------------------------------------------------- messages


def _messages(prompt: Prompt) -> tuple[str, list[bytes]]:
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
            if content or (content is not None and not calls):
                text = {"type": "output_text", "text": content}
                yield {"type": "message", "role": role, "content": [text]}
            yield from map(_call, calls)
        case _:
            raise NotDirect(f"a message of the role {role} has an unknown form")


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


# ---------------------------------------------------------------- options


def _options(parameters: Mapping[str, Any], model: str) -> Options:
    """Return the fields of the request beside the model and the messages. Raises NotDirect."""
    entry = model_table.row(f"openai/{model}")
    if not entry and not _is_reasoning(model):
        raise NotDirect("litellm's table does not have the model")
    if entry.get("supports_native_streaming") is False:
        raise NotDirect("the model does not stream over this API")
    if parameters.get("tools") and entry.get("supports_function_calling") is False:
        raise NotDirect("the model takes no functions")
    effort = _effort(parameters.get("reasoning_effort"), model, entry)
    samples_freely = _samples_freely(effort, model, entry)
    options: Options = {"reasoning": {"effort": effort}} if effort is not None else {}
    for name, value in parameters.items():
        match name:
            case _ if name in _LEFT_OUT or value is None:
                pass
            case _ if name in _UNCHANGED:
                options[name] = value
            case "max_tokens" | "max_completion_tokens" if isinstance(value, int):
                limit = cast("int", parameters.get("max_completion_tokens", value))
                options["max_output_tokens"] = max(limit, _LEAST_OUTPUT_TOKENS)
            case "tools":
                options["tools"] = [_tool(tool, model) for tool in value]
            case "tool_choice" if entry.get("supports_tool_choice"):
                options["tool_choice"] = _tool_choice(value)
            case "parallel_tool_calls" if entry and not _O_SERIES.match(model):
                options[name] = value
            case "temperature" if samples_freely or value == 1:
                options[name] = value
            case "top_p" if samples_freely:
                options[name] = value
            case "temperature" | "top_p" | "reasoning_effort":
                pass
            case "user" if isinstance(value, str) and entry:
                options["user"] = value[:_LONGEST_USER]
            case "verbosity":
                options |= {"text": {"verbosity": value}} if _is_reasoning(model) else {}
            case _:
                raise NotDirect(f"the option `{name}`")
    return options


def _is_reasoning(model: str) -> bool:
    return _REASONING_SERIES.search(model) is not None


def _effort(effort: Any, model: str, entry: Mapping[str, Any]) -> str | None:
    """Return the effort, or None for an effort which the model does not know. Raises NotDirect."""
    if effort is not None and not isinstance(effort, str):
        raise NotDirect("the option `reasoning_effort` is no word")
    if effort is None or (entry and not entry.get("supports_reasoning")):
        return None
    supported = entry.get(f"supports_{effort}_reasoning_effort")
    if effort == "max" or not _is_reasoning(model):
        return effort
    refused = not supported if effort == "xhigh" else supported is False
    return None if refused else effort


def _samples_freely(effort: str | None, model: str, entry: Mapping[str, Any]) -> bool:
    """Return whether the model takes any temperature and top-p: a model which reasons takes the default only."""
    if _is_reasoning(model):
        resolved = effort or entry.get("default_reasoning_effort")
        return bool(entry.get("supports_none_reasoning_effort")) and resolved == "none"
    return not (entry and _O_SERIES.match(model))


def _tool(tool: Mapping[str, Any], model: str) -> Options:
    match tool:
        case {"type": "function", "function": {"name": str(name), **rest}} if len(tool) == len(_NAMES_A_FUNCTION):
            parameters = rest.get("parameters")
            if _needs_changes(parameters, model):
                raise NotDirect("the schema of a tool must be changed")
            made = {"type": "function", "name": name, "parameters": parameters, "strict": rest.get("strict")}
            return made | {"description": rest.get("description")}
        case _:
            raise NotDirect("a tool is no function")


def _needs_changes(schema: Any, model: str) -> bool:
    """Return whether OpenAI refuses the schema: an unknown regular expression, or alternatives at the top."""
    if isinstance(schema, Mapping) and _REFUSES_COMBINATORS.match(model) and schema.keys() & _COMBINATORS:
        return True
    if b'"pattern"' not in _encode(schema):
        return False  # The walk takes much longer than the encoder.
    return not all(map(_is_pattern, _patterns(schema)))


def _patterns(schema: Any) -> Iterator[Any]:
    if isinstance(schema, Mapping):
        for key, value in cast("Mapping[str, Any]", schema).items():
            if key == "pattern":
                yield value
            yield from _patterns(value)
    elif isinstance(schema, list):
        for value in cast("list[Any]", schema):
            yield from _patterns(value)


def _is_pattern(pattern: Any) -> bool:
    try:
        re.compile(pattern if isinstance(pattern, str) else "")
    except re.error:
        return False
    return True


def _tool_choice(choice: Any) -> Any:
    match choice:
        case "auto" | "none" | "required":
            return choice
        case {"type": "function", "function": {"name": str(name)}}:
            return {"type": "function", "name": name}
        case _:
            raise NotDirect("the option `tool_choice` has an unknown form")
