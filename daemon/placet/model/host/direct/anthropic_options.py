"""Options of Anthropic's Messages API, from the parameters of OpenAI's chat-completions API. Pure."""

import re
from collections.abc import Mapping
from typing import Any

from placet.model.host.errors import NotDirect

Options = dict[str, Any]

_ANSWER_TOKENS = 4096
"""Limit of the answer for a model which the table does not have, and beside a budget for thinking."""
_LEAST_BUDGET = 1024
_BUDGETS = {"minimal": _LEAST_BUDGET, "low": 1024, "medium": 2048, "high": 4096, "xhigh": 8192, "max": 16384}
"""Budget for thinking, in tokens, by effort."""
_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "max"}
"""Effort of the models which set their own budget, by effort."""

_LEFT_OUT = {
    *("prompt_cache_key", "frequency_penalty", "presence_penalty", "logit_bias", "seed", "logprobs", "top_logprobs"),
    *("verbosity", "service_tier", "safety_identifier", "store", "drop_params"),
}
"""Parameters of OpenAI which Anthropic does not have."""

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SCHEMA_KEYS = {"type", "properties", "additionalProperties", "required", "$defs", "strict"}
_OTHER_DEFINITIONS = {"definitions", "components"}

_MAIL_OR_PHONE = re.compile(r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}|\+?[\d\s\(\)-]{7,}")
"""Names of users which Anthropic refuses."""

# The table has lost the models which Anthropic has retired; litellm knows these by their names.
_OLD_WITHOUT_THINKING = re.compile(r"claude-3-(?!7-sonnet).*")
_OLD_WITH_THINKING = re.compile(r"claude-3-7-sonnet.*|claude-(sonnet|opus)-4(-[01])?(-\d{8})?")


def request_options(parameters: Mapping[str, Any], model: str, entry: Mapping[str, Any]) -> Options:
    """Return the fields of the request beside the model and the messages. Raises NotDirect."""
    facts = entry or _facts_by_name(model)
    options: Options = {"max_tokens": facts.get("max_output_tokens", facts.get("max_tokens", _ANSWER_TOKENS))}
    for name, value in parameters.items():
        match name:
            case _ if name in _LEFT_OUT or value is None:
                pass
            case "max_tokens" | "max_completion_tokens" if isinstance(value, int):
                options["max_tokens"] = parameters.get("max_completion_tokens", value)
            case "tools":
                options["tools"] = [_tool(tool) for tool in value]
            case "temperature" | "top_p" | "top_k":
                if facts.get("supports_sampling_params", True) or (name == "temperature" and value == 1):
                    options[name] = value
            case "stop" if isinstance(value, str | list):
                stops: list[str] = [value] if isinstance(value, str) else value
                if kept := [stop for stop in stops if not stop.isspace()]:
                    options["stop_sequences"] = kept
            case "user" if isinstance(value, str):
                if not _MAIL_OR_PHONE.fullmatch(value):
                    options["metadata"] = {"user_id": value}
            case "tool_choice" | "parallel_tool_calls" | "reasoning_effort" | "thinking":
                pass  # Below, as these depend on one another.
            case _:
                raise NotDirect(f"the option `{name}`")
    if choice := _tool_choice(parameters, facts):
        options["tool_choice"] = choice
    return options | _thinking(parameters, facts)


def _facts_by_name(model: str) -> Mapping[str, Any]:
    """Return the facts of a model which the table does not have. Raises NotDirect."""
    if _OLD_WITH_THINKING.fullmatch(model):
        return {"supports_reasoning": True}
    if "claude" not in model or _OLD_WITHOUT_THINKING.fullmatch(model):
        return {}
    raise NotDirect("litellm's table does not have the model")


def _tool(tool: Mapping[str, Any]) -> Options:
    function = tool.get("function")
    if tool.keys() - {"type", "function"} or tool.get("type") != "function" or function is None:
        raise NotDirect("a tool is no function")
    if function.keys() - {"name", "description", "parameters", "strict"}:
        raise NotDirect("a tool has fields beside its schema")
    if not _TOOL_NAME.fullmatch(function["name"]):
        raise NotDirect("the name of a tool must be changed")
    made = {"name": function["name"], "input_schema": _schema(function.get("parameters") or {}), "type": "custom"}
    return made if function.get("description") is None else {**made, "description": function["description"]}


def _schema(schema: Mapping[str, Any]) -> Options:
    """Return the schema with the keywords which Anthropic takes at the top."""
    if schema.keys() & _OTHER_DEFINITIONS:
        raise NotDirect("the schema of a tool has definitions outside of `$defs`")
    taken = {key: value for key, value in schema.items() if key in _SCHEMA_KEYS}
    return {"properties": {}, **taken, "type": "object"}


def _tool_choice(parameters: Mapping[str, Any], facts: Mapping[str, Any]) -> Options | None:
    wish, parallel = parameters.get("tool_choice"), parameters.get("parallel_tool_calls")
    match wish:
        case None:
            choice = None
        case "auto" | "none":
            choice = {"type": wish}
        case "required":
            choice = {"type": "any"}
        case {"function": {"name": str(name)}}:
            choice = {"type": "tool", "name": name}
        case _:
            raise NotDirect("the option `tool_choice` has an unknown form")
    if parallel is not None and wish != "none":
        choice = {**(choice or {"type": "auto"}), "disable_parallel_tool_use": not parallel}
    if choice and choice["type"] in {"any", "tool"} and facts.get("supports_forced_tool_use") is False:
        return {key: value for key, value in choice.items() if key != "name"} | {"type": "auto"}
    return choice


def _thinking(parameters: Mapping[str, Any], facts: Mapping[str, Any]) -> Options:
    """Return the fields for thinking: a budget for older models, an effort for models which set their own budget."""
    effort, thinking = parameters.get("reasoning_effort"), parameters.get("thinking")
    if effort is not None and thinking is not None:
        raise NotDirect("both `reasoning_effort` and `thinking` are set")
    if not (facts.get("supports_reasoning") or facts.get("supports_adaptive_thinking")):
        return {}
    limit = parameters.get("max_tokens") or parameters.get("max_completion_tokens")
    if thinking is not None:
        return _given_thinking(thinking, facts, limit)
    if isinstance(effort, dict):
        raise NotDirect("the option `reasoning_effort` is no word")
    if effort is None or effort == "none":
        return {}
    if effort not in _BUDGETS:
        raise NotDirect(f"the effort `{effort}`")
    if not facts.get("supports_adaptive_thinking"):
        return _budget({"type": "enabled", "budget_tokens": _BUDGETS[effort]}, limit)
    if effort == "xhigh" and not facts.get("supports_xhigh_reasoning_effort"):
        raise NotDirect("the model does not know the effort `xhigh`")
    return {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": _EFFORTS[effort]}}


def _given_thinking(thinking: Any, facts: Mapping[str, Any], limit: int | None) -> Options:
    match thinking:
        case {"type": "disabled", **rest} if not rest:
            return {} if facts.get("thinking_always_on") else {"thinking": thinking}
        case {"type": "adaptive", **rest} if facts.get("supports_adaptive_thinking") and not rest:
            return {"thinking": thinking}
        case {"type": "enabled", "budget_tokens": int(tokens), **rest} if not rest:
            if facts.get("supports_adaptive_thinking") and not facts.get("supports_legacy_thinking"):
                return {"thinking": {"type": "adaptive"}, "output_config": {"effort": _effort_of(tokens, facts)}}
            return _budget(thinking, limit)
        case _:
            raise NotDirect("the option `thinking` does not suit the model")


def _effort_of(budget: int, facts: Mapping[str, Any]) -> str:
    """Return the effort for a budget, for a model which sets the budget itself."""
    if budget >= _BUDGETS["xhigh"] and facts.get("supports_xhigh_reasoning_effort"):
        return "xhigh"
    return next((effort for effort in ("high", "medium") if budget >= _BUDGETS[effort]), "low")


def _budget(thinking: Options, limit: int | None) -> Options:
    """Return the thinking, with room for the answer beside the budget if no limit is set."""
    if limit is not None:
        return {"thinking": thinking}
    return {"thinking": thinking, "max_tokens": thinking["budget_tokens"] + _ANSWER_TOKENS}
