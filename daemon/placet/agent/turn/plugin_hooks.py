"""Points in a turn at which plugins are called, each with the shapes which OpenCode gives to the hook."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import TypeAdapter

from placet.agent.turn.turn import Turn
from placet.core.messages import DEFERRED, FilePart, JsonObject, Message, Part
from placet.core.values import replace
from placet.extensions.plugins.hooks import Hooks
from placet.model.base import ModelRequest
from placet.tools.framework.define import ReadyTool, ToolResult

_MESSAGES: TypeAdapter[tuple[Message, ...]] = TypeAdapter(tuple[Message, ...], config=DEFERRED)
_PARTS: TypeAdapter[tuple[Part, ...]] = TypeAdapter(tuple[Part, ...], config=DEFERRED)
_FILES: TypeAdapter[tuple[FilePart, ...]] = TypeAdapter(tuple[FilePart, ...], config=DEFERRED)
_TEXTS: TypeAdapter[tuple[str, ...]] = TypeAdapter(tuple[str, ...], config=DEFERRED)
_HEADERS: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str], config=DEFERRED)


async def request_after_plugins(turn: Turn, request: ModelRequest) -> ModelRequest:
    """Return the request as plugins change the request: messages, system prompt, parameters and headers."""
    hooks = turn.hooks
    hook_input = _facts(turn)
    if hooks.has("experimental.chat.messages.transform"):
        plain = _MESSAGES.dump_python(request.messages, mode="json", by_alias=True, exclude_none=True)
        output = await hooks.call(
            "experimental.chat.messages.transform", hook_input, {"messages": plain}, check=_messages
        )
        if output["messages"] != plain:
            request = replace(request, messages=_messages(output))
    if hooks.has("experimental.chat.system.transform"):
        output = await hooks.call(
            "experimental.chat.system.transform", hook_input, {"system": list(request.system)}, check=_system
        )
        request = replace(request, system=_system(output))
    if hooks.has("chat.params"):
        output = await hooks.call(
            "chat.params", hook_input, _parameters(request), check=lambda parameters: _with(request, parameters)
        )
        request = _with(request, output)
    if hooks.has("chat.headers"):
        output = await hooks.call("chat.headers", hook_input, {"headers": {}}, check=_headers)
        request = replace(request, headers=_headers(output))
    return request


def _facts(turn: Turn) -> JsonObject:
    return {
        "sessionID": turn.session_id,
        "agent": turn.agent.name,
        "model": turn.model.id,
        "messageID": turn.user.id,
    }


async def continues_after_compaction(turn: Turn, *, overflow: bool) -> bool:
    """Return whether the turn goes on after a summary made within the turn (`experimental.compaction.autocontinue`).

    `overflow`: the provider found the context too long.
    """
    output = await turn.hooks.call(
        "experimental.compaction.autocontinue",
        {**_facts(turn), "overflow": overflow},
        {"enabled": True},
        check=_is_enabled,
    )
    return _is_enabled(output)


async def parts_after_plugins(
    hooks: Hooks, hook_input: JsonObject, message: JsonObject, parts: tuple[Part, ...]
) -> tuple[Part, ...]:
    """Return the parts of a prompt as plugins change the parts (`chat.message`)."""
    plain = _PARTS.dump_python(parts, mode="json", by_alias=True, exclude_none=True)
    output = await hooks.call("chat.message", hook_input, {"message": message, "parts": plain}, check=_parts)
    return parts if output["parts"] == plain else _parts(output)


async def tools_after_plugins(hooks: Hooks, tools: Mapping[str, ReadyTool]) -> dict[str, ReadyTool]:
    """Return the tools as plugins want the model to see the tools (`tool.definition`)."""
    return {id: tool if tool.hidden else await _tool_after_plugins(hooks, tool) for id, tool in tools.items()}


async def _tool_after_plugins(hooks: Hooks, tool: ReadyTool) -> ReadyTool:
    output = await hooks.call(
        "tool.definition",
        {"toolID": tool.id},
        {"description": tool.description, "parameters": tool.schema},
        check=lambda output: _described(tool, output),
    )
    return _described(tool, output)


async def arguments_before(hooks: Hooks, hook_input: JsonObject, arguments: JsonObject) -> JsonObject:
    """Return the arguments of a call as plugins change the arguments (`tool.execute.before`)."""
    return _arguments(await hooks.call("tool.execute.before", hook_input, {"args": arguments}, check=_arguments))


async def result_after(hooks: Hooks, hook_input: JsonObject, result: ToolResult) -> ToolResult:
    """Return the result of a call as plugins change the result (`tool.execute.after`)."""
    output: JsonObject = {
        "title": result.title,
        "output": result.output,
        "metadata": result.metadata,
        "attachments": _FILES.dump_python(result.attachments, mode="json", by_alias=True, exclude_none=True),
    }
    return _result(await hooks.call("tool.execute.after", hook_input, output, check=_result))


async def completed_text(turn: Turn, message_id: str, part_id: str, text: str) -> str:
    """Return a text of the answer as plugins want the text to be kept (`experimental.text.complete`)."""
    hook_input: JsonObject = {"sessionID": turn.session_id, "messageID": message_id, "partID": part_id}
    return _text(await turn.hooks.call("experimental.text.complete", hook_input, {"text": text}, check=_text))


async def compaction_words(hooks: Hooks, session_id: str, prompt: str) -> tuple[str, tuple[str, ...]]:
    """Return the prompt which sums up, and texts beside the conversation (`experimental.session.compacting`)."""
    if not hooks.has("experimental.session.compacting"):
        return prompt, ()
    output = await hooks.call(
        "experimental.session.compacting", {"sessionID": session_id}, {"context": [], "prompt": prompt}, check=_words
    )
    return _words(output)


# ---------------------------------------------------------------- reading a plugin's results


def _messages(output: JsonObject) -> tuple[Message, ...]:
    return _MESSAGES.validate_python(output["messages"])


def _parts(output: JsonObject) -> tuple[Part, ...]:
    return _PARTS.validate_python(output["parts"])


def _system(output: JsonObject) -> tuple[str, ...]:
    return _TEXTS.validate_python(output["system"])


def _headers(output: JsonObject) -> dict[str, str]:
    return _HEADERS.validate_python(output["headers"])


def _is_enabled(output: JsonObject) -> bool:
    if not isinstance(output["enabled"], bool):
        raise TypeError("enabled: neither true nor false")
    return output["enabled"]


def _text(output: JsonObject) -> str:
    if not isinstance(output["text"], str):
        raise TypeError("text: not a string")
    return output["text"]


def _words(output: JsonObject) -> tuple[str, tuple[str, ...]]:
    if not isinstance(output["prompt"], str):
        raise TypeError("prompt: not a string")
    return output["prompt"], _TEXTS.validate_python(output["context"])


def _arguments(output: JsonObject) -> JsonObject:
    if not isinstance(output["args"], dict):
        raise TypeError("args: not an object")
    return cast("JsonObject", output["args"])


def _result(output: JsonObject) -> ToolResult:
    if not isinstance(output["output"], str) or not isinstance(output["title"], str):
        raise TypeError("title and output: not both strings")
    if not isinstance(output["metadata"], dict):
        raise TypeError("metadata: not an object")
    metadata = cast("JsonObject", output["metadata"])
    return ToolResult(output["title"], output["output"], metadata, _FILES.validate_python(output["attachments"]))


def _described(tool: ReadyTool, output: JsonObject) -> ReadyTool:
    if not isinstance(output["description"], str):
        raise TypeError("description: not a string")
    schema = output["parameters"]
    if not isinstance(schema, dict) or cast("JsonObject", schema).get("type") != "object":
        raise TypeError("parameters: not a JSON Schema of type object")
    return replace(tool, description=output["description"], schema=cast("JsonObject", schema))


_NUMBERS: TypeAdapter[float | None] = TypeAdapter(float | None, config=DEFERRED)
_WHOLE: TypeAdapter[int | None] = TypeAdapter(int | None, config=DEFERRED)
_OPTIONS: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any], config=DEFERRED)


def _parameters(request: ModelRequest) -> JsonObject:
    return {
        "temperature": request.temperature,
        "topP": None,
        "topK": None,
        "maxOutputTokens": request.max_output_tokens,
        "options": {},
    }


def _with(request: ModelRequest, output: JsonObject) -> ModelRequest:
    top_p, top_k = _NUMBERS.validate_python(output["topP"]), _WHOLE.validate_python(output["topK"])
    given = {"top_p": top_p, "top_k": top_k}
    options = {name: value for name, value in given.items() if value is not None}
    return replace(
        request,
        temperature=_NUMBERS.validate_python(output["temperature"]),
        max_output_tokens=_WHOLE.validate_python(output["maxOutputTokens"]),
        options={**options, **_OPTIONS.validate_python(output["options"])},
    )
