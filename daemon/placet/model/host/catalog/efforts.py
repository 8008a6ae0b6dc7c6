"""Reasoning effort in the form of each provider: levels, budgets and parameters, from litellm's table. Pure."""

import re
from typing import Any, Literal, cast

from msgspec.structs import replace

from placet.core.effort import BUDGETS, LEVELS, Effort, Level, suited
from placet.model import frames
from placet.model.host import model_table
from placet.model.host.conversations import Conversation
from placet.model.host.providers.table import PROVIDERS

Options = dict[str, Any]

OLD_GEMINI = re.compile(r"gemini-(?:[12](?:\.\d+)?|exp|(?:pro|flash)(?!-(?:lite-)?latest$))(?:-|$)")
"""Gemini models before Gemini 3: these take budgets for thinking, and later models take levels."""

_CHOSEN_OTHERWISE = {"reasoning_effort", "thinking", "reasoning"}
"""Options with which a plugin sets the thinking itself."""
_LEAST_CLAUDE_BUDGET = 1024
_GEMINI_BUDGETS = {"gemini-2.5-pro": (128, 32_768), "gemini-2.5-flash-lite": (512, 24_576)}
"""Smallest and largest budget: https://ai.google.dev/gemini-api/docs/thinking."""
_USUAL_GEMINI_BUDGETS = (1, 24_576)

_REASONS_AT_COPILOT = re.compile(r"gpt-[56]|o\d")
"""Models of GitHub Copilot for which litellm sends an effort; the others get none."""

_LEVELS_OF_XAI: tuple[tuple[re.Pattern[str], tuple[Level, ...]], ...] = (
    (re.compile(r"grok-4\.3(?!\d)"), ("none", "low", "medium", "high")),
    (re.compile(r"grok-4\.[56](?!\d)"), ("low", "medium", "high")),
    (re.compile(r"grok-4\.7(?!\d)"), ("low", "medium", "high", "xhigh")),
)
"""Levels by the beginning of the name. Every other model of xAI refuses an effort, or takes the effort as a number of
agents: https://docs.x.ai/developers/model-capabilities/text/reasoning.
"""
_SWITCHED_AT_GROQ = re.compile(r"qwen/qwen3")
"""Models of Groq which only think or do not think, as `default` and `none`: https://console.groq.com/docs/reasoning."""
_SWITCHED_AT_MOONSHOT = re.compile(r"kimi-k2\.[56](?!\d)")
"""Models of Moonshot which only think or do not think; the others without levels in the table always think:
https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model.
"""


def levels(name: str, row: model_table.Row) -> list[Level] | None:
    """Return the levels of the model, the lowest first; None if the table has no row of the model."""
    provider, model = _provider_and_model(name)
    if provider in frames.OLLAMA:
        return ["none", "low", "medium", "high"]
    if _takes_no_effort(provider) or (provider == "github_copilot" and not _REASONS_AT_COPILOT.match(model)):
        return []
    if not row:
        return _openrouter_levels() if provider == "openrouter" else None
    given = row.get("reasoning_effort_levels")
    if given is not None:
        return [level for level in LEVELS if level in given]
    if not (row.get("supports_reasoning") or row.get("supports_adaptive_thinking")):
        return []
    return [level for level in LEVELS if level in _levels_of(provider, model, row)]


def takes_budget(name: str, row: model_table.Row) -> bool:
    """Return whether the model takes a budget of tokens for its thinking."""
    provider, model = _provider_and_model(name)
    if provider == "openrouter":
        return True
    if _is_claude(provider, model):
        return bool(row) and (not row.get("supports_adaptive_thinking") or bool(row.get("supports_legacy_thinking")))
    return _is_gemini(provider, model) and OLD_GEMINI.match(_gemini_name(model)) is not None


def with_effort(ask: frames.Ask, conversation: Conversation) -> frames.Ask:
    """Return the ask with its effort in the parameters of litellm, clamped to what the model has.

    A plugin's own option for thinking outweighs the effort.
    """
    if ask.effort is None or ask.options.keys() & _CHOSEN_OTHERWISE:
        return ask
    row = model_table.row(ask.model)
    known = ask.provider.facts_of(ask.model) if ask.provider is not None else None
    has = known.efforts if known is not None and known.efforts is not None else levels(ask.model, row)
    effort = suited(ask.effort, has, takes_budget=takes_budget(ask.model, row))
    if effort is None:
        return ask
    provider, model = _provider_and_model(ask.model)
    if _is_claude(provider, model) and row:
        return _for_claude(ask, effort, row, conversation)
    return replace(ask, options=_with(ask.options, _parameters(effort, provider, model)))


def _with(options: Options, parameters: Options) -> Options:
    """Return the options with the parameters of the effort; the user's own fields of the body stay, and outweigh."""
    own = options.get("extra_body")
    if "extra_body" not in parameters or own is None:
        return {**options, **parameters}
    if not isinstance(own, dict):
        return options  # The request reports the mistake.
    return {**options, "extra_body": {**parameters["extra_body"], **cast("Options", own)}}


def _levels_of(provider: str, model: str, row: model_table.Row) -> set[Level]:
    """Return the levels of a model which reasons."""
    if _is_claude(provider, model):
        return _levels_of_claude(row)
    if _is_gemini(provider, model):
        return _levels_of_gemini(_gemini_name(model), row)
    if provider == "xai":
        return {level for family, has in _LEVELS_OF_XAI if family.match(model) for level in has}
    if provider == "moonshot" and not _SWITCHED_AT_MOONSHOT.match(model):
        return set()
    if _is_switched(provider) or provider == "moonshot" or _is_switched_at_groq(provider, model):
        return {"none", "high"}
    if provider == "openrouter":
        return set(_openrouter_levels())
    usual: tuple[Level, ...] = ("low", "medium", "high")
    rarer: tuple[Level, ...] = ("none", "minimal", "xhigh", "max")
    known: set[Level] = {level for level in usual if row.get(f"supports_{level}_reasoning_effort") is not False}
    named: set[Level] = {level for level in rarer if row.get(f"supports_{level}_reasoning_effort") is True}
    return known | named


def _openrouter_levels() -> list[Level]:
    """Return the levels of OpenRouter, which turns a level into what the model has."""
    return [level for level in LEVELS if level != "max"]


def _levels_of_claude(row: model_table.Row) -> set[Level]:
    if not row.get("supports_adaptive_thinking"):
        return set(LEVELS)
    found: set[Level] = {"low", "medium", "high"}
    if not row.get("thinking_always_on"):
        found.add("none")
    if row.get("supports_xhigh_reasoning_effort"):
        found.add("xhigh")
    if row.get("supports_max_reasoning_effort"):
        found.add("max")
    return found


def _levels_of_gemini(model: str, row: model_table.Row) -> set[Level]:
    found: set[Level] = {"low", "medium", "high"}
    if OLD_GEMINI.match(model):
        found.add("minimal")
        if "2.5-pro" not in model:
            found.add("none")
    elif "flash" in model and row.get("supports_minimal_reasoning_effort") is not False:
        found.add("minimal")
    return found


def _parameters(effort: Effort, provider: str, model: str) -> Options:
    """Return the parameters for a model of another maker than Anthropic."""
    if provider == "openrouter":
        return {"reasoning": {"effort": effort} if isinstance(effort, str) else {"max_tokens": effort}}
    place = _place_of_effort(provider)
    if place == "thinking" and isinstance(effort, str):
        return {"thinking": {"type": "disabled" if effort == "none" else "enabled"}}
    if provider == "moonshot" and _SWITCHED_AT_MOONSHOT.match(model):
        return {"extra_body": {"thinking": {"type": "disabled" if effort == "none" else "enabled"}}}
    if _is_switched_at_groq(provider, model):
        return {"reasoning_effort": "none" if effort == "none" else "default"}
    if place == "extra_body":
        return {"extra_body": {"reasoning_effort": effort}}
    if isinstance(effort, int):
        least, most = next((bounds for part, bounds in _GEMINI_BUDGETS.items() if part in model), _USUAL_GEMINI_BUDGETS)
        return {"thinking": {"type": "enabled", "budget_tokens": min(max(effort, least), most)}}
    return {"reasoning_effort": effort}


def _for_claude(ask: frames.Ask, effort: Effort, row: model_table.Row, conversation: Conversation) -> frames.Ask:
    """Return the ask with an effort for the models which set their own budget, and with a budget for the others.

    A budget leaves half of the answer's limit for the answer. A model which thinks takes no temperature.
    """
    if effort == "none":
        return replace(ask, options={**ask.options, "thinking": {"type": "disabled"}})
    if isinstance(effort, str) and row.get("supports_adaptive_thinking"):
        return replace(ask, temperature=None, options={**ask.options, "reasoning_effort": effort})
    limit = ask.max_output_tokens or row.get("max_output_tokens") or row.get("max_tokens") or 0
    budget = effort if isinstance(effort, int) else BUDGETS[effort]
    budget = max(min(budget, limit // 2), _LEAST_CLAUDE_BUDGET)
    if limit <= budget or _continues_without_thinking(conversation):
        return ask
    thinking = {"type": "enabled", "budget_tokens": budget}
    return replace(ask, temperature=None, max_output_tokens=limit, options={**ask.options, "thinking": thinking})


def _continues_without_thinking(conversation: Conversation) -> bool:
    """Return whether the request continues calls which the model made without thinking.

    Anthropic refuses thinking with a budget there: the thinking must begin before the calls.
    """
    last = next((message for message in reversed(conversation.messages) if message.role != "tool"), None)
    return last is not None and last.role == "assistant" and not last.message().get("thinking_blocks")


def _is_claude(provider: str, model: str) -> bool:
    return provider == "anthropic" or (provider in {"bedrock", "vertex_ai", "azure_ai"} and "claude" in model)


def _takes_no_effort(provider: str) -> bool:
    row = PROVIDERS.get(provider)
    return row is not None and row.effort is None and "reasoning_effort" in row.drops


def _place_of_effort(provider: str) -> Literal["parameter", "extra_body", "thinking"]:
    row = PROVIDERS.get(provider)
    return "parameter" if row is None or row.effort is None else row.effort


def _is_switched(provider: str) -> bool:
    row = PROVIDERS.get(provider)
    return row is not None and row.is_switched


def _is_switched_at_groq(provider: str, model: str) -> bool:
    return provider == "groq" and _SWITCHED_AT_GROQ.match(model) is not None


def _is_gemini(provider: str, model: str) -> bool:
    return provider in {"gemini", "vertex_ai"} and "gemini" in model


def _gemini_name(model: str) -> str:
    return model.rpartition("/")[2]


def _provider_and_model(name: str) -> tuple[str, str]:
    """Return the provider and the model; a name without a provider is looked up in litellm's table."""
    provider, slash, model = name.partition("/")
    return (provider, model) if slash else (model_table.provider_of(name), name)
