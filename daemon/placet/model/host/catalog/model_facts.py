"""Facts of models from litellm's table: sizes, abilities, prices, and the models on offer. No network."""

import os
from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict, replace

from placet.auth.subscriptions.names import is_covered
from placet.model.frames import RESPONSES, Ask, ModelFacts, Provider
from placet.model.host import model_table
from placet.model.host.catalog import efforts
from placet.settings.provider_keys import variables_of

_PER = 1_000_000


def facts(name: str) -> ModelFacts:
    """Return the facts of a model by its name; only the name if the table does not have the model."""
    return of_row(name, model_table.row(name))


def of(ask: Ask) -> ModelFacts:
    """Return the facts of the model of an ask in litellm's names, the facts of the settings over the table's."""
    table = facts(ask.model)
    return table if ask.provider is None else own(ask.provider, ask.model)


def own(provider: Provider, model: str, served: ModelFacts | None = None) -> ModelFacts:
    """Return the facts of a model `provider/name` or `kind/name` of a provider of the settings, under the given name.

    Facts of the settings outweigh the facts from the model's server (`served`), and these outweigh the table. A row of
    another provider tells sizes and abilities, and no prices.
    """
    named = (
        model.partition("/")[2].removeprefix("responses/") if provider.kind == RESPONSES else model.partition("/")[2]
    )
    wire_name = f"{'openai' if provider.kind == RESPONSES else provider.kind}/{named}"
    known = facts(wire_name)
    if known == ModelFacts(wire_name, efforts=known.efforts, takes_budget=known.takes_budget):
        elsewhere = of_row(wire_name, model_table.any_row(named))
        known = replace(elsewhere, input_price=None, output_price=None)
    return over(provider.facts_of(model), over(served, replace(known, name=model)))


def over(facts: ModelFacts | None, below: ModelFacts) -> ModelFacts:
    """Return the known facts of the first, and the facts below for the rest, under the name below."""
    if facts is None:
        return below
    known = {name: value for name, value in asdict(facts).items() if value is not None and name != "name"}
    if facts.context_size is None:
        known["context_source"] = below.context_source
    return replace(below, **{**known, "takes_budget": facts.takes_budget or below.takes_budget})


def has_key(provider: str) -> bool:
    """Return whether the environment holds a key, or the start of a login, for the provider."""
    return any(os.environ.get(variable) for variable in variables_of(provider))


def of_row(name: str, entry: Mapping[str, Any]) -> ModelFacts:
    """Return the facts of a model from its row in the table."""
    covered = is_covered(name)
    return ModelFacts(
        name,
        _whole(entry.get("max_input_tokens") or entry.get("max_tokens")),
        _whole(entry.get("max_output_tokens")),
        _yes_or_no(entry, "supports_vision"),
        entry.get("supports_function_calling"),  # The table is silent about most models with the ability.
        None if covered else _price(entry.get("input_cost_per_token")),
        None if covered else _price(entry.get("output_cost_per_token")),
        _takes_documents(entry),
        efforts=efforts.levels(name, entry),
        takes_budget=efforts.takes_budget(name, entry),
        context_source="of litellm's table" if entry.get("max_input_tokens") or entry.get("max_tokens") else "",
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
