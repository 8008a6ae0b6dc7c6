"""Refusal of model names that no provider can have, before anything is stored. Asks no provider.

A provider may serve a model that no list names: a local server, a proxy, a provider of the user's. Therefore a name is
refused only if nobody has its provider, or if the provider has lately listed all of its models (model/host/offers.py).
"""

from collections.abc import Sequence
from pathlib import Path

from placet.core.errors import ModelError, SettingsError
from placet.core.executor import in_thread
from placet.core.spelling import near
from placet.model import frames
from placet.model.client.providers import all_providers
from placet.model.hosted import is_hosted, is_inside
from placet.model.local.catalog import MODELS, model_of
from placet.sessions.services.services import Services
from placet.settings import Settings
from placet.settings.provider_kinds import LOCAL

_MOST_MODELS = 10_000
_MOST_HINTS = 3


async def refuse_unknown_model(name: str, services: Services) -> None:
    """Return if there may be such a model of the model host's. Raises SettingsError with names of near models."""
    if not is_hosted(name):
        return
    if not await in_thread(_may_have_provider, name, services.settings):
        await services.extensions.settled()  # A plugin may bring providers.
        if not await in_thread(_may_have_provider, name, services.settings):
            raise await in_thread(_without_provider, name, services.settings)
    if not await in_thread(_may_be_missing, name, services.settings, services.locations.model_lists):
        return
    provider = name.partition("/")[0]
    listing = frames.ListModels(
        0, providers=all_providers(services.settings), cache=str(services.locations.model_lists), only=provider
    )
    try:
        models = await services.host.models(limit=_MOST_MODELS, more=listing)
    except ModelError:  # Whatever keeps the host from answering, the turn will say.
        return
    names = [model.name for model in models.models]
    if name in names or not any(listed.is_complete for listed in models.lists):
        return
    await services.extensions.settled()  # A plugin may name the model.
    if provider not in services.settings.providers and not await in_thread(_is_alias, name, names):
        hint = f" `placet models --provider {provider} --refresh` asks {provider} for its models."
        raise SettingsError(f"{provider} has no model `{name}`{_meant(near(name, names, most=_MOST_HINTS))}{hint}")


def _may_have_provider(name: str, settings: Settings) -> bool:
    from placet.settings.provider_kinds import SERVED

    provider, _, model = name.partition("/")
    if is_inside(name, settings.providers[provider].kind if provider in settings.providers else None):
        return model_of(name) is not None
    if model and (provider in SERVED or provider in settings.providers):
        return True
    return name.startswith("ft:") or _is_in_table(name)  # litellm knows some models by their names alone.


def _is_in_table(name: str) -> bool:
    from placet.model.host import model_table  # 15 ms that a usual name does without.

    return bool(model_table.row(name)) or bool(model_table.provider_of(name))


def _without_provider(name: str, settings: Settings) -> SettingsError:
    """Return the error for a name whose provider nobody has. Takes some 100 ms."""
    from placet.model.host import model_table
    from placet.settings.provider_kinds import PROVIDERS

    provider, _, model = name.partition("/")
    if provider == LOCAL:
        names = [own.full_name for own in MODELS]
        return SettingsError(
            f"Placet has no local model `{name}`{_meant(near(name, names, most=_MOST_HINTS) or names)} "
            "`placet models --local` lists the local models."
        )
    own = [f"{provider}/{model}" for provider, its in settings.providers.items() for model in its.models]
    known = (*own, *model_table.chat_models())
    problem = f"no provider is called `{provider}`"
    if not model:
        by_model = {full.partition("/")[2]: full for full in reversed(known)}
        models = near(provider, by_model, most=_MOST_HINTS)
        names = [
            f"{maker}/{match}" if (maker := model_table.provider_of(match)) else by_model[match] for match in models
        ]
        problem = "a name is `provider/model`"
    elif providers := near(provider, [*settings.providers, *PROVIDERS], most=1):
        meant = f"{providers[0]}/{model}"
        closer = [full for full in near(meant, known, most=1) if full.startswith(f"{providers[0]}/")]
        names = [meant, *([] if meant in known else closer)]
    else:
        names = near(name, known, most=_MOST_HINTS)
    return SettingsError(f"There is no model `{name}`: {problem}{_meant(names)} `placet models` lists models.")


def _meant(names: Sequence[str]) -> str:
    if not names:
        return "."
    *others, last = (f"`{name}`" for name in names)
    return f"; did you mean {', '.join(others)} or {last}?" if others else f"; did you mean {last}?"


def _may_be_missing(name: str, settings: Settings, lists: Path) -> bool:
    """Return whether a kept list of the provider may tell that the model does not exist: a quick look at the file."""
    provider, _, model = name.partition("/")
    if provider in settings.providers or settings.options_of(name).api_base is not None:
        return False
    try:
        return model.encode() not in (lists / f"{provider}.msgpack").read_bytes()
    except OSError:
        return False


def _is_alias(name: str, listed: Sequence[str]) -> bool:
    """Return whether the name stands for a listed model: providers list dated names, and take names without a date."""
    stem = name.removesuffix("-latest")
    return any(model.startswith(f"{stem}-") for model in listed) or _is_in_table(name)
