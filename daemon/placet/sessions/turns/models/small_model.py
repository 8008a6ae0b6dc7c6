"""Small model of a session: the model for titles, summaries, commit messages and judgements."""

from placet.core.messages import JsonObject
from placet.sessions.services.services import Services

_HOOK = "experimental.provider.small_model"


def may_have_small_model(services: Services) -> bool:
    """Return whether the settings name a small model, or a plugin may name one."""
    return services.settings.small_model is not None or services.extensions.hooks.has(_HOOK)


async def small_model(services: Services, model: str) -> str | None:
    """Return the small model that the settings name, else the small model that plugins name beside `model`, or None."""
    if services.settings.small_model is not None:
        return services.settings.small_model
    hooks = services.extensions.hooks
    if not hooks.has(_HOOK):
        return None
    hook_input = {"provider": model.partition("/")[0], "model": model}
    return _named(await hooks.call(_HOOK, hook_input, {"model": None}, check=_named))


def _named(output: JsonObject) -> str | None:
    name = output["model"]
    if name is not None and (not isinstance(name, str) or not name.partition("/")[2]):
        raise TypeError("model: neither null nor a name such as `provider/model`")
    return name
