"""Providers of the settings, in the form for the model host. Pure."""

import msgspec

from placet.model import frames
from placet.model.hosted import is_hosted
from placet.settings import ModelSettings, ProviderSettings, Settings
from placet.settings.provider_kinds import LOCAL


def provider_of(model: str, settings: Settings) -> frames.Provider | None:
    """Return the provider of the settings which serves the model, with the facts of this model alone."""
    name, _, served = model.partition("/")
    if (provider := settings.providers.get(name)) is None:
        return None
    return _provider(name, provider, [served] if served in provider.models else [])


def options_of(model: str, settings: Settings) -> ModelSettings:
    """Return the options of the model; the address of the settings holds for the provider of the setting `model`."""
    options = settings.options_of(model)
    if is_hosted(settings.model) and settings.model.partition("/")[0] != model.partition("/")[0]:
        return options.model_copy(update={"api_base": None})
    return options


def prepare_order(model: str, settings: Settings) -> frames.Prepare:
    return frames.Prepare(model, provider_of(model, settings), options_of(model, settings).api_base)


def all_providers(settings: Settings) -> list[frames.Provider]:
    """Return all servers of the settings, with the facts of all their models."""
    return [
        _provider(name, provider, list(provider.models))
        for name, provider in settings.providers.items()
        if provider.kind != LOCAL
    ]


def engine_of(settings: Settings) -> frames.EngineOptions:
    """Return the settings of Placet's own engine."""
    return frames.EngineOptions(settings.local_models.idle_seconds, settings.local_models.threads)


def wire_name(model: str, provider: frames.Provider | None) -> str:
    """Return litellm's name for the model, by which the differences of providers and models are known."""
    return model if provider is None else provider.wire_name(model)


def _provider(name: str, provider: ProviderSettings, models: list[str]) -> frames.Provider:
    return frames.Provider(
        name,
        provider.kind or name,
        provider.api_base,
        provider.key or None,
        provider.key is False,
        provider.headers,
        [_facts(model, provider) for model in models],
    )


def _facts(name: str, provider: ProviderSettings) -> frames.ModelFacts:
    written = provider.models[name]
    facts = frames.ModelFacts(
        name,
        written.context_size,
        written.output_limit,
        written.vision,
        written.tools,
        written.input_price,
        written.output_price,
        written.documents,
        efforts=None if written.efforts is None else list(written.efforts),
    )
    return msgspec.structs.replace(
        facts,
        cache_read_price=written.cache_read_price,
        cache_write_price=written.cache_write_price,
        context_source="set in your settings" if written.context_size is not None else "",
    )
