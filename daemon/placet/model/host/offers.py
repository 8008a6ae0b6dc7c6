"""Models on offer: named models, models of local servers and the user's providers, and models of known providers."""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from placet.auth.subscriptions.names import SUBSCRIPTIONS
from placet.model import frames
from placet.model.host import model_table
from placet.model.host.catalog import model_facts
from placet.model.host.model_lists import FRESH_SECONDS, Listing, ModelLists, is_chat
from placet.model.host.providers.table import PROVIDERS

Facts = frames.ModelFacts

_COMPLETE = frozenset({"anthropic", "cerebras", "deepseek", "gemini", "groq", "mistral", "moonshot", "openai", "xai"})
"""Providers whose lists name each model that a key can use; routers and hosts of the user's own models are missing."""


async def offers(asked: frames.ListModels, local: Sequence[Facts], lists: ModelLists) -> frames.Models:
    """Return the models asked for, and the lists that count. Asks providers as far as the order says."""
    cache_directory = None if asked.cache is None else Path(asked.cache)
    own = [provider for provider in asked.providers if asked.only in (None, provider.name)]
    own_names = {provider.name for provider in asked.providers}
    listings = await lists.of(own, cache_directory, asked.ask)
    names = (name for name in PROVIDERS if name not in own_names and name not in SUBSCRIPTIONS)
    keyed = [frames.Provider(name, name) for name in names if asked.only in (None, name) and model_facts.has_key(name)]
    listings |= await lists.of(keyed, cache_directory, asked.ask_known)
    return _matching(asked, local, listings)


def _matching(asked: frames.ListModels, local: Sequence[Facts], listings: Mapping[str, Listing]) -> frames.Models:
    words = asked.query.lower().split()
    offered = {facts.name: facts for facts in local}
    own = {facts.name: facts for provider in asked.providers for facts in _own(provider, listings.get(provider.name))}
    first = {name: _named(name, offered | own, asked.providers) for name in asked.named} | offered | own
    matches: list[Facts] = []
    total = 0
    for facts in (*first.values(), *_of_known(asked, first, listings)):
        is_asked = asked.only is None or facts.name.partition("/")[0] == asked.only
        if is_asked and all(word in facts.name.lower() for word in words):
            total += 1
            if total <= asked.limit:
                matches.append(facts)
    lists = [
        frames.ProviderList(
            name, listing.listed.asked if listing.listed else None, listing.problem, _is_complete(name, listing)
        )
        for name, listing in listings.items()
        if listing.listed is not None or listing.problem
    ]
    return frames.Models(asked.number, matches, total, lists)


def _named(name: str, known: Mapping[str, Facts], providers: Sequence[frames.Provider]) -> Facts:
    if name in known:
        return known[name]
    provider = next((provider for provider in providers if provider.name == name.partition("/")[0]), None)
    return model_facts.facts(name) if provider is None else model_facts.own(provider, name)


def _own(provider: frames.Provider, listing: Listing | None) -> Iterator[Facts]:
    """Yield the models of a provider of the user's: the models of the settings, then the listed models by name."""
    listed = {facts.name: facts for facts in listing.listed.models} if listing and listing.listed else {}
    rest = sorted(name for name in listed.keys() - {facts.name for facts in provider.models})
    for name in (*(facts.name for facts in provider.models), *rest):
        full = f"{provider.name}/{name}"
        table = model_facts.own(msgspec.structs.replace(provider, models=[]), full)
        yield model_facts.over(provider.facts_of(full), model_facts.over(listed.get(name), table))
    if not provider.models and not listed and provider.kind == provider.name:
        yield from (facts for facts in _of_table() if facts.name.startswith(f"{provider.name}/"))


def _of_table() -> Iterator[Facts]:
    yield from (model_facts.facts(name) for name in sorted(model_table.chat_models()))


def _of_known(asked: frames.ListModels, first: Mapping[str, Facts], listings: Mapping[str, Listing]) -> Iterator[Facts]:
    """Yield the models of known providers with a key, by name. A list outweighs the table, but for other names of
    listed models.
    """
    with_key = cache(model_facts.has_key)
    own = {provider.name for provider in asked.providers}
    table = model_table.chat_models()
    listed: dict[str, Facts] = {}
    for provider, listing in listings.items():
        if provider not in own and listing.listed is not None:
            listed |= {f"{provider}/{facts.name}": facts for facts in listing.listed.models}
    known = {name for name in listed if name in table or is_chat(*name.split("/", 1))}
    known |= {name for name in table if _counts(name, listings)}
    for name in sorted(known - first.keys()):
        provider = name.partition("/")[0]
        if provider not in own and with_key(provider):
            yield model_facts.over(listed.get(name), model_facts.of_row(name, table.get(name, {})))


def _is_complete(provider: str, listing: Listing) -> bool:
    """Return whether the list is of today, by the provider itself, and the provider serves no other model."""
    listed = listing.listed
    if provider not in _COMPLETE or listed is None or time.time() - listed.asked >= FRESH_SECONDS:
        return False
    return listed.address.startswith(PROVIDERS[provider].base)


def _counts(name: str, listings: Mapping[str, Listing]) -> bool:
    """Return whether a model of the table counts: its provider has no list, or the list has a model of this name."""
    provider, _, model = name.partition("/")
    listing = listings.get(provider)
    if listing is None or listing.listed is None:
        return True
    stem = model.removesuffix("-latest")
    return any(facts.name == model or facts.name.startswith(f"{stem}-") for facts in listing.listed.models)
