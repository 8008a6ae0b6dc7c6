"""Whether there is a key for a model, and where it would come from. Its value is not read, and never passed on."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

from placet.auth.keys import KeyStore, Place
from placet.core.errors import SettingsError
from placet.core.executor import in_thread
from placet.core.messages import Value
from placet.model.hosted import BUILT_IN_PREFIX, OWN_SERVERS, is_hosted
from placet.settings import Settings
from placet.settings.provider_keys import variables_of


class Login(Value):
    """A model, and the key for it."""

    id: str
    key: Literal["environment", "keyring", "file", "missing", "not_needed"]
    """Where the key is kept; `not_needed` also where a server of one's own may or may not want one."""
    variables: tuple[str, ...] = ()
    """The environment variables one of which holds it."""

    @property
    def lacks_model(self) -> bool:
        """Return whether the user has no language model yet: the built-in planner, or a model without its key."""
        return self.key == "missing" or self.id.startswith(BUILT_IN_PREFIX)


async def login_of(model: str, settings: Settings, keys: Path, environment: Mapping[str, str]) -> Login:
    """How the model's provider would be logged in to; `keys` is the file of `placet auth`."""
    provider = model.partition("/")[0]
    if not is_hosted(model):
        return Login(id=model, key="not_needed")
    own = settings.providers.get(provider)
    if own is not None and (own.key is False or (own.key or "").startswith("{file:")):
        return Login(id=model, key="not_needed")
    variables = variables_of(provider) if own is None or not own.key else (own.key.removeprefix("{env:")[:-1],)
    if any(environment.get(variable) for variable in variables):
        return Login(id=model, key="environment", variables=variables)
    places: Mapping[str, Place] = {}
    # The model host reports a fault of the file when asked for an answer.
    with suppress(SettingsError):
        places = await in_thread(KeyStore(keys).places)
    place: Place | None = next((places[variable] for variable in variables if variable in places), None)
    if place is not None:
        return Login(id=model, key=place, variables=variables)
    has_address = settings.model_options.api_base is not None if own is None else own.api_base and not own.key
    if provider in OWN_SERVERS or has_address:
        return Login(id=model, key="not_needed", variables=variables)
    return Login(id=model, key="missing", variables=variables)
