"""Changes of the parameters for single providers of the chat-completions wire, as litellm makes the changes.

Each change gets the parameters as a dictionary of its own, and changes the dictionary in place.
"""

import re
from collections.abc import Callable
from typing import Any

from placet.core.values import replace
from placet.model.host import model_table
from placet.model.host.errors import NotDirect
from placet.model.host.providers.chat_model import ChatModel, expect

Parameters = dict[str, Any]
ParametersChange = Callable[[Parameters, ChatModel], None]

COMMON = frozenset(
    {
        *("tools", "tool_choice", "parallel_tool_calls", "temperature", "top_p", "max_tokens", "max_completion_tokens"),
        *("stop", "seed", "frequency_penalty", "presence_penalty", "response_format", "service_tier", "store"),
        *("prompt_cache_key", "safety_identifier"),
    }
)
"""Parameters of OpenAI's API which most providers take: https://platform.openai.com/docs/api-reference/chat/create."""

EXTENSIONS = frozenset(
    {
        *("top_k", "min_p", "repetition_penalty", "provider", "transforms", "models", "route", "reasoning", "plugins"),
        *("enable_thinking", "chat_template_kwargs", "thinking_budget", "safe_prompt", "include_reasoning"),
        *("reasoning_format", "reasoning_split", "random_seed", "do_sample", "extra_body"),
    }
)
"""Parameters beyond OpenAI's API, which every provider gets as the user wrote the parameters."""

_O_SERIES = re.compile(r"o\d")
_GPT_VERSION = re.compile(r"gpt-(\d+)(?:\.(\d+))?(?=[.-]|$)")
_UNKNOWN_TO_GPT = ("verbosity", "thinking")
_NOT_FOR_REASONING_GPT = ("frequency_penalty", "presence_penalty", "stop", "thinking")
_NOT_FOR_O_SERIES = ("frequency_penalty", "presence_penalty", "top_p", "verbosity", "thinking")


def unchanged(parameters: Parameters, model: ChatModel) -> None: ...


def _without(parameters: Parameters, *names: str) -> None:
    for name in names:
        parameters.pop(name, None)


def use_max_tokens(parameters: Parameters, model: ChatModel) -> None:
    """Give the limit of the answer the older name; the newer name counts where both are given."""
    if (limit := parameters.pop("max_completion_tokens", None)) is not None:
        parameters["max_tokens"] = limit


# ---------------------------------------------------------------- OpenAI


def is_reasoning_gpt(name: str) -> bool:
    """Return whether the name belongs to GPT-5 or a later family; the chat variant of GPT-5 is an older kind."""
    return ("gpt-5" in name or "gpt-6" in name) and "gpt-5-chat" not in name.rpartition("/")[2]


def gpt_version(name: str) -> tuple[int, int]:
    """Return the version in the name of a GPT model; (0, 0) for another name."""
    match = _GPT_VERSION.match(name.rpartition("/")[2])
    return (int(match[1]), int(match[2] or 0)) if match else (0, 0)


def for_openai(parameters: Parameters, model: ChatModel) -> None:
    if "audio" in model.name or ("gpt-5" in model.name and "search" in model.name):
        raise NotDirect("the model takes parameters of its own")
    is_in_catalog = bool(model.row)
    if not is_in_catalog:
        _without(parameters, "user")
    if is_in_catalog and _O_SERIES.match(model.name.rpartition("/")[2]):
        _for_o_series(parameters, model)
    elif is_reasoning_gpt(model.name):
        _for_reasoning_gpt(parameters, model)
    else:
        _without(parameters, *_UNKNOWN_TO_GPT)
        if is_in_catalog:
            _without(parameters, "reasoning_effort")
        if model.name in {"gpt-4", "gpt-3.5-turbo-16k"}:
            _without(parameters, "response_format")


def for_copilot(parameters: Parameters, model: ChatModel) -> None:
    """Treat a model as OpenAI's model of the same name; an unknown model gets no effort."""
    row = model_table.row(f"openai/{model.name}") or model.row
    if not row:
        _without(parameters, "reasoning_effort")
    for_openai(parameters, replace(model, row=row))


def _for_o_series(parameters: Parameters, model: ChatModel) -> None:
    _name_limit_anew(parameters)
    _without(parameters, *_NOT_FOR_O_SERIES)
    if parameters.get("temperature") != 1:
        _without(parameters, "temperature")
    if not model.supports("function_calling"):
        _without(parameters, "tools", "tool_choice")
    if not model.supports("parallel_function_calling"):
        _without(parameters, "parallel_tool_calls")
    if not model.supports("response_schema"):
        _without(parameters, "response_format")


def _for_reasoning_gpt(parameters: Parameters, model: ChatModel) -> None:
    _name_limit_anew(parameters)
    _without(parameters, *_NOT_FOR_REASONING_GPT)
    if not model.supports("tool_choice"):
        _without(parameters, "tool_choice")
    effort = expect(parameters.get("reasoning_effort") or "", str, "reasoning_effort")
    if effort and _refuses_effort(model, effort):
        del parameters["reasoning_effort"]
        effort = ""
    may_not_reason = model.supports("none_reasoning_effort")
    reasons = (effort or model.row.get("default_reasoning_effort")) != "none"
    if not may_not_reason or reasons:
        _without(parameters, "top_p")
        if parameters.get("temperature") != 1:
            _without(parameters, "temperature")


def _refuses_effort(model: ChatModel, effort: str) -> bool:
    """Return whether the model is known to refuse the effort; `xhigh` is refused unless the table names the effort."""
    match effort:
        case "max":
            return False
        case "xhigh":
            return not model.supports("xhigh_reasoning_effort")
        case _:
            return model.lacks(f"{effort}_reasoning_effort")


def _name_limit_anew(parameters: Parameters) -> None:
    """Give the limit of the answer the newer name."""
    if (limit := parameters.pop("max_tokens", None)) is not None:
        if "max_completion_tokens" in parameters:
            raise NotDirect("the parameters `max_tokens` and `max_completion_tokens` are both given")
        parameters["max_completion_tokens"] = limit


# ---------------------------------------------------------------- other providers


def for_openrouter(parameters: Parameters, model: ChatModel) -> None:
    """Ask for the usage with its price, and call the highest effort by OpenRouter's name."""
    if parameters.get("reasoning_effort") == "max":
        parameters["reasoning_effort"] = "xhigh"
    parameters.setdefault("usage", {"include": True})


def for_deepseek(parameters: Parameters, model: ChatModel) -> None:
    """Say only whether the model is to think: https://api-docs.deepseek.com/guides/thinking_mode."""
    thinking = parameters.pop("thinking", None)
    effort = parameters.pop("reasoning_effort", None)
    if isinstance(thinking, dict) and thinking.get("type") in {"enabled", "disabled"}:
        parameters["thinking"] = {"type": thinking["type"]}
    elif effort is not None:
        parameters["thinking"] = {"type": "disabled" if effort == "none" else "enabled"}


def reason_if_known(parameters: Parameters, model: ChatModel) -> None:
    """Leave out an effort for a model which is not known to reason."""
    if not model.supports("reasoning"):
        _without(parameters, "reasoning_effort")


def reason_if_known_with_max_tokens(parameters: Parameters, model: ChatModel) -> None:
    use_max_tokens(parameters, model)
    reason_if_known(parameters, model)


def for_mistral(parameters: Parameters, model: ChatModel) -> None:
    use_max_tokens(parameters, model)
    if "seed" in parameters:
        parameters["random_seed"] = parameters.pop("seed")
    if (choice := parameters.pop("tool_choice", None)) is not None and isinstance(choice, str):
        parameters["tool_choice"] = choice if choice in {"auto", "none"} else "any"
    if not model.supports("reasoning") and "magistral" not in model.name.lower():
        _without(parameters, "reasoning_effort", "thinking")
    elif parameters.keys() & {"reasoning_effort", "thinking"}:
        raise NotDirect("the thinking of Mistral's models is set by litellm's own prompt")


def for_xai(parameters: Parameters, model: ChatModel) -> None:
    use_max_tokens(parameters, model)
    if any(family in model.name for family in ("grok-3-mini", "grok-4", "grok-code-fast")):
        _without(parameters, "stop")
    if any(family in model.name for family in ("grok-4", "grok-code-fast")):
        _without(parameters, "frequency_penalty")
    reason_if_known(parameters, model)


def for_together(parameters: Parameters, model: ChatModel) -> None:
    if model.lacks("function_calling"):
        _without(parameters, "tools", "tool_choice", "parallel_tool_calls")
    if "reasoning_effort" in parameters:
        raise NotDirect("the efforts of Together's models differ")


def for_fireworks(parameters: Parameters, model: ChatModel) -> None:
    use_max_tokens(parameters, model)
    if model.lacks("function_calling"):
        _without(parameters, "tools", "parallel_tool_calls")
    if parameters.get("reasoning_effort") == "auto":
        _without(parameters, "reasoning_effort")
    expect(parameters.get("reasoning_effort") or "", str, "reasoning_effort")
    if parameters.keys() & {"reasoning_effort", "thinking"} and not model.supports("reasoning"):
        raise NotDirect("litellm knows by similar names whether a model of Fireworks reasons")


def for_moonshot(parameters: Parameters, model: ChatModel) -> None:
    """Leave out a temperature which a reasoning model refuses, and keep a temperature at most 1."""
    use_max_tokens(parameters, model)
    if "kimi-thinking-preview" in model.name:
        _without(parameters, "tools", "tool_choice")
    if parameters.get("tool_choice") == "required":
        raise NotDirect("litellm asks Moonshot for a call by a message")
    if model.supports("reasoning"):
        _without(parameters, "temperature")
        expect(parameters.get("reasoning_effort") or "", str, "reasoning_effort")
    else:
        _without(parameters, "reasoning_effort")
        if (temperature := parameters.get("temperature")) is not None:
            if not isinstance(temperature, int | float):
                raise NotDirect("the temperature is no number")
            parameters["temperature"] = min(temperature, 1)


def for_sambanova(parameters: Parameters, model: ChatModel) -> None:
    """Leave out tools for a model which is not known to call tools."""
    use_max_tokens(parameters, model)
    if not model.supports("function_calling"):
        _without(parameters, "tools", "tool_choice", "parallel_tool_calls")


def for_wandb(parameters: Parameters, model: ChatModel) -> None:
    use_max_tokens(parameters, model)
    if model.row:
        reason_if_known(parameters, model)


def think_if_known(parameters: Parameters, model: ChatModel) -> None:
    """Leave out `thinking` for a model which is not known to reason."""
    if not model.supports("reasoning"):
        _without(parameters, "thinking")


def for_litellm_proxy(parameters: Parameters, model: ChatModel) -> None:
    parameters.setdefault("max_retries", 0)
