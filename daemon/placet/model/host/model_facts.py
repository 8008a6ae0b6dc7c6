# pyright: basic
# litellm's table is typed as plain dicts.
"""Facts of models from litellm's own table: sizes, abilities, prices, and the models on offer. No network."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import litellm

from placet.auth.keys import variables_of
from placet.model.frames import ListModels, ModelFacts, Models

# The table names some providers otherwise than a model's name does.
_PROVIDERS = {"bedrock_converse": "bedrock", "cohere_chat": "cohere"}
_GROUPS = ("vertex_ai",)

_MODES = {"chat", "responses"}
_PER = 1_000_000


def facts(name: str) -> ModelFacts:
    """Return the facts of a model by its name; only the name if the table does not have the model."""
    # Not litellm.get_model_info: for some providers (Ollama) that asks a server.
    return _facts(name, _table().get(name) or litellm.model_cost.get(name) or {})


def matching(asked: ListModels, local: Sequence[ModelFacts] = ()) -> Models:
    """Return the models asked for: named models, then models of local servers, then models with a key, by name."""
    words = asked.query.lower().split()
    with_key = cache(has_key)
    table = _table()
    offered = {facts.name: facts for facts in local}
    named = {name: offered.get(name) or facts(name) for name in asked.named} | offered
    others = (name for name in sorted(table.keys() - named.keys()) if with_key(name.partition("/")[0]))
    matches: list[ModelFacts] = []
    total = 0
    for name in (*named, *others):
        if all(word in name.lower() for word in words):
            total += 1
            if total <= asked.limit:
                matches.append(named.get(name) or _facts(name, table[name]))
    return Models(asked.number, matches, total)


def has_key(provider: str) -> bool:
    """Return whether the environment holds a key, or the start of a login, for the provider."""
    return any(os.environ.get(variable) for variable in variables_of(provider))


@cache
def _table() -> dict[str, Mapping[str, Any]]:
    """Return chat models by `provider/name`. Made once: litellm's table does not change while the host runs."""
    return dict(_rows(litellm.model_cost.items()))


def _rows(entries: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, entry in entries:
        provider = entry.get("litellm_provider", "")
        if entry.get("mode") not in _MODES or not provider or name.startswith("ft:"):
            continue
        provider = next((group for group in _GROUPS if provider.startswith(f"{group}-")), provider)
        provider = _PROVIDERS.get(provider, provider)
        yield (name if name.startswith(f"{provider}/") else f"{provider}/{name}"), entry


def _facts(name: str, entry: Mapping[str, Any]) -> ModelFacts:
    return ModelFacts(
        name,
        _whole(entry.get("max_input_tokens") or entry.get("max_tokens")),
        _whole(entry.get("max_output_tokens")),
        _yes_or_no(entry, "supports_vision"),
        entry.get("supports_function_calling"),  # The table is silent about most models with the ability.
        _price(entry.get("input_cost_per_token")),
        _price(entry.get("output_cost_per_token")),
        _takes_documents(entry),
    )


def _yes_or_no(entry: Mapping[str, Any], ability: str) -> bool | None:
    """Return the ability; the table lists the abilities of a model, and rarely a missing ability."""
    return bool(entry.get(ability)) if entry else None


def _takes_documents(entry: Mapping[str, Any]) -> bool | None:
    """Return whether the model takes documents; the table rarely says so, but a model without images takes none."""
    if (takes_pdf := entry.get("supports_pdf_input")) is not None:
        return bool(takes_pdf)
    return False if _yes_or_no(entry, "supports_vision") is False else None


def _whole(value: Any) -> int | None:
    """Return the number as an integer; some entries of the table have numbers as text or as floats."""
    try:
        return int(float(value)) or None
    except (TypeError, ValueError):
        return None


def _price(value: Any) -> float | None:
    try:
        return round(float(value) * _PER, 6)
    except (TypeError, ValueError):
        return None
