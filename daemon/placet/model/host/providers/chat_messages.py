"""Changes of messages and tools for single providers of the chat-completions wire, as litellm makes the changes. Pure.

A message is a dictionary of its own; a change may change the message in place.
"""

from collections.abc import Callable
from typing import Any

from placet.model.host.errors import NotDirect
from placet.model.host.providers.chat_model import ChatModel
from placet.model.host.providers.schema_patterns import without_foreign_patterns

Message = dict[str, Any]
MessageChange = Callable[[Message, ChatModel], Message]
Tool = dict[str, Any]
ToolsChange = Callable[[list[Tool], ChatModel], list[Tool]]

_REFUSED_AT_THE_TOP = frozenset({"oneOf", "anyOf", "allOf", "enum", "const", "not"})
_DEPTH_OF_MISTRAL = 10


def unchanged(message: Message, model: ChatModel) -> Message:
    return message


# ---------------------------------------------------------------- messages


def for_openai(message: Message, model: ChatModel) -> Message:
    """Let the user say the system prompt to the first models of the o-series, which take no system prompt."""
    if message["role"] == "system" and _is_early_o_series(model):
        return {"role": "user", "content": message["content"]}
    return message


def _is_early_o_series(model: ChatModel) -> bool:
    name = model.name.rpartition("/")[2]
    is_o_series = bool(model.row) and name[:1] == "o" and name[1:2].isdigit()
    return is_o_series and not model.supports("system_messages")


def without_thinking_blocks(message: Message, model: ChatModel) -> Message:
    message.pop("thinking_blocks", None)
    return message


def for_fireworks(message: Message, model: ChatModel) -> Message:
    content = message.get("content")
    if isinstance(content, list) and any(item["type"] == "file" for item in content):
        raise NotDirect("Fireworks takes no files")
    return without_thinking_blocks(message, model)


def for_mistral(message: Message, model: ChatModel) -> Message:
    """Leave out fields of an answer which Mistral refuses in a question."""
    message.pop("reasoning_content", None)
    message.pop("thinking_blocks", None)
    for call in message.get("tool_calls") or ():
        call.pop("provider_specific_fields", None)
    return message


def for_openrouter(message: Message, model: ChatModel) -> Message:
    """Move the mark for the cache into the content of a result: a result has no place for a mark there."""
    if (mark := message.pop("cache_control", None)) is not None:
        message["content"] = [{"type": "text", "text": message["content"], "cache_control": mark}]
    return message


def for_deepseek(message: Message, model: ChatModel) -> Message:
    """Keep only the text for a model which takes no images."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    kinds = {item["type"] for item in content}
    return message if model.supports("vision") and "file" not in kinds else text_only(message, model)


def text_only(message: Message, model: ChatModel) -> Message:
    """Keep only the text of a message with attachments."""
    content = message.get("content")
    if isinstance(content, list) and (text := "".join(item.get("text", "") for item in content)):
        message["content"] = text
    return message


def for_moonshot(message: Message, model: ChatModel) -> Message:
    """Add empty thinking where a reasoning model wants thinking before its calls."""
    if message.get("tool_calls") and not message.get("reasoning_content") and model.supports("reasoning"):
        message["reasoning_content"] = " "
    return message


# ---------------------------------------------------------------- tools


def same_tools(tools: list[Tool], model: ChatModel) -> list[Tool]:
    return tools


def tools_for_openai(tools: list[Tool], model: ChatModel) -> list[Tool]:
    """Return the tools with expressions which OpenAI knows. Raises NotDirect for schemas which litellm rewrites."""
    schemas = [tool["function"]["parameters"] for tool in tools]
    if model.is_hosted_by_openai and any(not _REFUSED_AT_THE_TOP.isdisjoint(schema) for schema in schemas):
        raise NotDirect("OpenAI does not take the schema of a tool as the schema is")
    return [_with_schema(tool, without_foreign_patterns(schema)) for tool, schema in zip(tools, schemas, strict=True)]


def _with_schema(tool: Tool, schema: dict[str, Any]) -> Tool:
    return {**tool, "function": {**tool["function"], "parameters": schema}}


def tools_for_mistral(tools: list[Tool], model: ChatModel) -> list[Tool]:
    """Leave out the names of schemas, which Mistral tries to look up."""
    return _pruned(tools, lambda key, value: key in {"$id", "$schema"}, _DEPTH_OF_MISTRAL)


def tools_for_vllm(tools: list[Tool], model: ChatModel) -> list[Tool]:
    return _pruned(tools, lambda key, value: key == "strict" or (key == "additionalProperties" and value is False))


def lenient_tools(tools: list[Tool], model: ChatModel) -> list[Tool]:
    return _pruned(tools, lambda key, value: key == "strict")


def tools_for_fireworks(tools: list[Tool], model: ChatModel) -> list[Tool]:
    if any("definitions" in tool["function"]["parameters"] for tool in tools):
        raise NotDirect("litellm writes out the definitions in a schema of a tool")
    return tools


def _pruned(value: Any, is_left_out: Callable[[str, Any], bool], depth: int = 1 << 30) -> Any:
    """Return the value without some keys, down to a depth."""
    if depth == 0:
        return value
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if not is_left_out(key, inner)}
        return {key: _pruned(inner, is_left_out, depth - 1) for key, inner in kept.items()}
    if isinstance(value, list):
        return [_pruned(item, is_left_out, depth - 1) for item in value]
    return value
