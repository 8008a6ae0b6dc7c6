"""Profile of the models of a session: the user's choice, or what suits the model."""

from urllib.parse import urlsplit

from placet.core.errors import ModelError
from placet.core.events import Notice
from placet.model.client.providers import options_of, provider_of, wire_name
from placet.model.frames import ModelFacts
from placet.model.hosted import is_hosted
from placet.model.profile import automatic_profile, is_own_server
from placet.sessions.services.services import Services
from placet.settings import Settings
from placet.settings.profile import ProfileChoice, ProfileInUse


async def profile_of(model: str, chosen: ProfileChoice | None, services: Services) -> ProfileInUse:
    """Return the profile for the model; `chosen` is the session's choice, or None.

    Asks the model host about a model on a server of the user's own whose name says nothing.
    """
    used = profile_by_facts(model, None, chosen, services)
    if used.profile != "full" or not is_hosted(model) or not is_on_own_server(model, services.settings):
        return used
    services.host.model(model, services.settings)
    try:
        facts = await services.host.facts_soon(model)
    except ModelError:  # The turn tells why the host cannot answer.
        return used
    return profile_by_facts(model, facts, chosen, services)


def profile_by_facts(
    model: str, facts: ModelFacts | None, chosen: ProfileChoice | None, services: Services
) -> ProfileInUse:
    """Return the profile for the model as `profile_of` does, by facts at hand."""
    context_size = None if facts is None else facts.context_size
    return profile_by_settings(model, context_size, chosen, services.settings, services.host.prompt_speed(model))


def profile_by_settings(
    model: str,
    context_size: int | None,
    chosen: ProfileChoice | None,
    settings: Settings,
    tokens_per_second: float | None = None,
) -> ProfileInUse:
    """Return the profile for the model as `profile_of` does, without a model host."""
    choice = settings.profile_of(model) if chosen is None else chosen
    if choice != "auto":
        return ProfileInUse(choice, "your settings say so" if chosen is None else "you chose it")
    return automatic_profile(
        model.partition("/")[2],
        context_size,
        is_own_server=is_hosted(model) and is_on_own_server(model, settings),
        tokens_per_second=tokens_per_second,
    )


def is_on_own_server(model: str, settings: Settings) -> bool:
    """Return whether a server of the user's own serves the model of the model host."""
    provider = provider_of(model, settings)
    address = options_of(model, settings).api_base or (None if provider is None else provider.api_base)
    kind = wire_name(model, provider).partition("/")[0]
    return is_own_server(kind, None if address is None else urlsplit(address).hostname)


async def leaves_server_alone(model: str, session_model: str, chosen: ProfileChoice | None, services: Services) -> bool:
    """Return whether `model` is not to be asked beside the turns of the session, which needs the server for itself.

    A small model's server often answers one request at a time, and keeps the beginning of one conversation alone.
    """
    if not is_hosted(model) or model.partition("/")[0] != session_model.partition("/")[0]:
        return False
    if not is_on_own_server(session_model, services.settings):
        return False
    return (await profile_of(session_model, chosen, services)).profile != "full"


class TurnProfiles:
    """Profiles of one turn, by model: the choice and the facts of the beginning hold until the turn's end."""

    def __init__(self, chosen: ProfileChoice | None, services: Services) -> None:
        self._chosen: ProfileChoice | None = chosen
        self._services = services
        self._found: dict[str, ProfileInUse] = {}

    async def of(self, model: str) -> ProfileInUse:
        if model not in self._found:
            self._found[model] = await profile_of(model, self._chosen, self._services)
        return self._found[model]


def profile_notice(turn_id: str, model: str, used: ProfileInUse) -> Notice:
    """Return the notice that the model works in this profile."""
    message = f"{model} works in the profile `{used.profile}`: {used.reason}."
    return Notice(turn_id=turn_id, code="profile", message=message, hint=_HINTS[used.profile])


_HINTS = {
    "full": "",
    "small": "It has six tools and a short prompt; the setting `profile` changes this.",
    "smallest": "It has no tools: Placet finds the files, and it answers with whole files. The setting `profile` "
    "changes this.",
}
