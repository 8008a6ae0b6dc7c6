"""Options of OpenAI's Responses API, from the parameters of OpenAI's chat-completions API. Pure."""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from placet.model.host import model_table
from placet.model.host.errors import NotDirect
from placet.model.host.providers.schema_patterns import without_foreign_patterns

Options = dict[str, Any]

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


BodyChange = Callable[[Options], Options]

_TAKEN_BY_CHATGPT = {
    *("model", "instructions", "stream", "tools", "tool_choice", "reasoning", "truncation", "service_tier", "include"),
}
_SEALED_THINKING = "reasoning.encrypted_content"


def unchanged(body: Options) -> Options:
    return body


def for_chatgpt(body: Options) -> Options:
    """Return the body with the fields which ChatGPT's backend takes: the backend stores no response."""
    taken = {name: value for name, value in body.items() if name in _TAKEN_BY_CHATGPT}
    if taken.get("service_tier") not in {None, "default", "priority"}:
        del taken["service_tier"]
    include = [*taken.get("include", ())]
    return {
        **taken,
        "instructions": body.get("instructions", ""),
        "store": False,
        "include": include if _SEALED_THINKING in include else [*include, _SEALED_THINKING],
    }


def request_options(
    parameters: Mapping[str, Any], model: str, provider: str = "openai", *, is_own: bool = False
) -> Options:
    """Return the fields of the request beside the model and the messages. Raises NotDirect.

    `is_own`: a provider of the user's settings serves the model, which litellm's table need not have.
    """
    # As in litellm, the facts of OpenAI count for an offer of another provider too.
    entry = model_table.row(f"openai/{model}") or model_table.row(f"{provider}/{model}")
    if not entry and not _is_reasoning(model) and not is_own:
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
            parameters: dict[str, Any] = rest.get("parameters") or {}
            if _REFUSES_COMBINATORS.match(model) and not _COMBINATORS.isdisjoint(parameters):
                raise NotDirect("OpenAI does not take the schema of a tool as the schema is")
            known = without_foreign_patterns(parameters)
            made = {"type": "function", "name": name, "parameters": known, "strict": rest.get("strict")}
            return made | {"description": rest.get("description")}
        case _:
            raise NotDirect("a tool is no function")


def _tool_choice(choice: Any) -> Any:
    match choice:
        case "auto" | "none" | "required":
            return choice
        case {"type": "function", "function": {"name": str(name)}}:
            return {"type": "function", "name": name}
        case _:
            raise NotDirect("the option `tool_choice` has an unknown form")
