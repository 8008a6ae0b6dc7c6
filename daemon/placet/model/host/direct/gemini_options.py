"""Options of the Gemini API, from the parameters of OpenAI's chat-completions API. Pure."""

from collections.abc import Mapping
from typing import Any

from placet.model.host.direct.gemini_schemas import cleaned
from placet.model.host.errors import NotDirect

Options = dict[str, Any]

_LEAST_BUDGETS = {"gemini-2.5-flash-lite": 512, "gemini-2.5-pro": 128, "gemini-2.5-flash": 1}
_BUDGETS = {"minimal": 128, "low": 1024, "medium": 2048, "high": 4096, "disable": 0, "none": 0}
"""Budget for thinking, in tokens, by effort."""
_LEVELS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "disable": "low", "none": "low"}
"""Level of thinking by effort, for the models which set their own budget."""
_UNTHINKING = {"disable", "none"}

_CONFIGURED = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "seed": "seed",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
}
_PENALTIES = {"frequency_penalty", "presence_penalty"}
_LEFT_OUT = {
    *("user", "store", "verbosity", "prompt_cache_key", "safety_identifier", "logit_bias", "parallel_tool_calls"),
    *("drop_params", "top_logprobs"),
}
_MODES = {"none": "NONE", "auto": "AUTO", "required": "ANY"}


def request_options(parameters: Mapping[str, Any], model: str, facts: Mapping[str, Any], *, is_old: bool) -> Options:
    """Return the fields of the request beside the messages. Raises NotDirect."""
    options: Options = {}
    config: Options = {} if is_old else {"temperature": 1.0}
    for name, value in parameters.items():
        match name:
            case _ if name in _LEFT_OUT or value is None:
                pass
            case _ if name in _CONFIGURED:
                config[_CONFIGURED[name]] = value
            case _ if name in _PENALTIES:
                config |= {name: value} if is_old else {}
            case "stop" if isinstance(value, str | list):
                config["stop_sequences"] = [value] if isinstance(value, str) else value
            case "reasoning_effort" | "thinking":
                if not is_old or facts.get("supports_reasoning"):
                    config["thinkingConfig"] = _thinking(name, value, model, facts, is_old=is_old)
            case "tools":
                options["tools"] = [{"function_declarations": [_function(tool) for tool in value]}]
            case "tool_choice":
                options["toolConfig"] = {"functionCallingConfig": _mode(value)}
            case "safety_settings":
                options["safetySettings"] = value
            case _:
                raise NotDirect(f"the option `{name}`")
    if {"reasoning_effort", "thinking"} <= parameters.keys():
        raise NotDirect("both `reasoning_effort` and `thinking` are set")
    return options | ({"generationConfig": config} if config else {})


def _thinking(name: str, value: Any, model: str, facts: Mapping[str, Any], *, is_old: bool) -> Options:
    if name == "thinking":
        return _given_thinking(value, is_old=is_old)
    if not isinstance(value, str) or value not in _BUDGETS:
        raise NotDirect(f"the effort `{value}`")
    shown = {"includeThoughts": value not in _UNTHINKING}
    if is_old:
        least = next((budget for part, budget in _LEAST_BUDGETS.items() if part in model), _BUDGETS["minimal"])
        return {"thinkingBudget": least if value == "minimal" else _BUDGETS[value], **shown}
    knows_least = "flash" in model and facts.get("supports_minimal_reasoning_effort") is not False
    wants_least = value == "minimal" or value in _UNTHINKING
    return {"thinkingLevel": "minimal" if knows_least and wants_least else _LEVELS[value], **shown}


def _given_thinking(thinking: Any, *, is_old: bool) -> Options:
    match thinking:
        case {"type": "enabled", "budget_tokens": int(budget)}:
            if is_old:
                return {"thinkingBudget": budget, **({"includeThoughts": True} if budget else {})}
            return {"includeThoughts": budget != 0}
        case {"type": "disabled", **rest} if not rest:
            return {} if is_old else {"includeThoughts": False}
        case _:
            raise NotDirect("the option `thinking` has an unknown form")


def _function(tool: Mapping[str, Any]) -> Options:
    match tool:
        case {"type": "function", "function": {"name": str(name), **rest}, **others} if not others:
            parameters = rest.get("parameters")
            made: Options = {"name": name}
            if rest.get("description") is not None:
                made["description"] = rest["description"]
            return made | ({} if parameters is None else {"parameters": cleaned(parameters)})
        case _:
            raise NotDirect("a tool is no function")


def _mode(choice: Any) -> Options:
    match choice:
        case "none" | "auto" | "required":
            return {"mode": _MODES[choice]}
        case {"function": {"name": str(name)}}:
            return {"mode": "ANY", "allowed_function_names": [name]}
        case _:
            raise NotDirect("the option `tool_choice` has an unknown form")
