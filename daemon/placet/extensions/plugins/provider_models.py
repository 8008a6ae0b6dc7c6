"""Models of a provider from the user's plugins (`provider`)."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from placet.core.messages import JsonObject
from placet.extensions.plugins.hooks import Hooks

_SHOWN = ("kind", "apiBase", "models", "modelOptions")
"""Settings of a provider that a plugin sees: neither the key nor the headers."""


async def models_of_plugins(
    hooks: Hooks, settings: JsonObject, tell: Callable[[str], None]
) -> list[tuple[str, JsonObject]]:
    """Return the settings of each provider for which a plugin names models, with the name of the plugin.

    What `settings` say of a model outweighs the plugin. `tell` receives texts for the user.
    """
    providers: JsonObject = settings.get("providers") or {}
    shown = {name: {key: provider[key] for key in _SHOWN if key in provider} for name, provider in providers.items()}
    found: list[tuple[str, JsonObject]] = []
    for plugin in hooks.plugins:
        if not plugin.has("provider"):
            continue
        if not plugin.is_own:
            tell(f"The plugin {plugin.name}: only your own plugins can name the models of a provider.")
            continue
        nothing: JsonObject = {"id": None, "models": {}}
        output = await hooks.call_one(plugin, "provider", {"providers": shown}, nothing, check=_models)
        if models := _models(output):
            provider = shown.get(output["id"], {})
            found.append((plugin.name, {"providers": {output["id"]: {"models": _beside(models, provider)}}}))
    return found


def _models(output: JsonObject) -> Mapping[str, JsonObject]:
    """Return the models in the output of the hook. Raises TypeError."""
    provider, models = output["id"], output["models"]
    if provider is None:
        return {}
    if not isinstance(provider, str):
        raise TypeError("id: not the name of a provider")
    if not isinstance(models, dict):
        raise TypeError("models: not a dict of models by name")
    for name, facts in cast("JsonObject", models).items():
        if not isinstance(facts, dict):
            raise TypeError(f"models: the facts of `{name}` are no dict")
    return cast("Mapping[str, JsonObject]", models)


def _beside(models: Mapping[str, JsonObject], provider: Mapping[str, Any]) -> dict[str, JsonObject]:
    """Return the models without the facts that the provider's settings tell."""
    written: Mapping[str, Mapping[str, Any]] = provider.get("models") or {}
    return {
        name: {key: value for key, value in facts.items() if written.get(name, {}).get(key) is None}
        for name, facts in models.items()
    }
