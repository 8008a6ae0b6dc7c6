"""Choice of the model by its name in the settings. Imports no provider library; the built-in model only on demand."""

from importlib import import_module
from pathlib import Path

from placet.core.errors import SettingsError
from placet.core.executor import in_thread
from placet.model.base import Model
from placet.model.client.host import HostedModel, ModelHost
from placet.model.hosted import BUILT_IN_PREFIX, SCRIPTED, is_hosted
from placet.settings import Settings

BUILT_IN = "builtin/rules"

__all__ = ["BUILT_IN", "is_hosted", "open_model", "ready_model"]


async def ready_model(name: str, settings: Settings, host: ModelHost) -> Model:
    """Open the model as open_model does, and start the host if the host serves the model; the host gets ready by
    itself.
    """
    if name == BUILT_IN:
        # The rules' patterns take a while to compile, and the loop has editors to answer.
        await in_thread(import_module, "placet.model.rules")
    model = open_model(name, settings, host)
    if isinstance(model, HostedModel):
        await host.start()
    return model


def open_model(name: str, settings: Settings, host: ModelHost) -> Model:
    """Open `builtin/rules`, `scripted/PATH` (a JSON script, played from its first turn), or a model of the host.

    Raises SettingsError for a script which cannot be read, for another `builtin/` name, and for a name with an
    address, to which litellm would send the key of the provider.
    """
    if name == BUILT_IN:
        from placet.model.rules import BuiltinRules

        return BuiltinRules()
    if name.startswith(BUILT_IN_PREFIX):
        raise SettingsError(f"setting `model`: there is no model `{name}`; the only built-in model is `builtin/rules`")
    if name.startswith(SCRIPTED):
        from placet.model.scripted import ScriptedModel

        return ScriptedModel.read(Path(name.removeprefix(SCRIPTED)))
    if "://" in name:
        raise SettingsError(
            f"setting `model`: `{name}` holds an address; write the address into `providers.NAME.apiBase`"
        )
    return host.model(name, settings)
