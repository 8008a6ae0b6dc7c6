"""Models of the sessions of a front end: the list, the user's marks, the checks of a name, and the keys at hand.

Services that a first prompt does without are imported by the methods that use them.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from placet.core.executor import in_thread
from placet.model.frames import ModelFacts, Transport
from placet.model.select import ready_model
from placet.permissions.rules import Rule
from placet.project.processes.process_secrets import whole_environment
from placet.sessions.services.services import Services
from placet.settings.profile import ProfileChoice, ProfileInUse

if TYPE_CHECKING:
    from placet.sessions.inline_completion import WorkspaceCompletion
    from placet.sessions.services.login import Login
    from placet.sessions.services.model_catalog import Catalog
    from placet.sessions.services.model_marks import ModelMarks


class SessionModels:
    """Models for one front end; Sessions owns the object."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def list(
        self, *, query: str, limit: int, named: Sequence[str], refresh: bool = False, only: str | None = None
    ) -> "Catalog":
        """Return the models to choose from, after the named models. Raises ModelError."""
        from placet.sessions.services.model_catalog import model_catalog

        services = self._services
        return await model_catalog(
            services.settings,
            services.host,
            services.locations,
            query=query,
            limit=limit,
            named=named,
            refresh=refresh,
            only=only,
        )

    async def mark(self, model: str, *, favourite: bool) -> "ModelMarks":
        """Make the model a favourite of the user, or no favourite. Raises SettingsError."""
        from placet.sessions.services.model_marks import ModelMarkStore

        marks = self._services.locations.model_marks
        return await in_thread(lambda: ModelMarkStore(marks).mark(model, favourite=favourite))

    async def check(self, model: str) -> None:
        """Ask the model for a word. Raises ModelError, SettingsError."""
        from placet.sessions.services.model_check import check_model

        await check_model(self._services, model)

    async def refuse_unknown(self, model: str) -> None:
        """Return if there may be such a model; asks no provider. Raises SettingsError with names of near models."""
        from placet.sessions.services.model_names import refuse_unknown_model

        await refuse_unknown_model(model, self._services)
        await ready_model(model, self._services.settings, self._services.host)

    def completion(
        self, rules: Callable[[], Sequence[Rule]], is_edited: Callable[[Path], bool]
    ) -> "WorkspaceCompletion":
        """Return the access of an editor's inline completion to the workspace (WorkspaceCompletion)."""
        from placet.sessions.inline_completion import WorkspaceCompletion

        return WorkspaceCompletion(self._services, rules, is_edited)

    async def profile(self, model: str, chosen: ProfileChoice | None = None) -> ProfileInUse:
        """Return the profile in which the model works; `chosen` is a session's choice. Raises SettingsError."""
        from placet.sessions.turns.models.profile import profile_of

        await ready_model(model, self._services.settings, self._services.host)
        return await profile_of(model, chosen, self._services)

    def listed_profile(self, facts: ModelFacts) -> ProfileInUse:
        """Return the profile in which a listed model works in a session without a choice."""
        from placet.sessions.turns.models.profile import profile_by_facts

        return profile_by_facts(facts.name, facts, None, self._services)

    def transport(self, model: str) -> Transport | None:
        """Return the way in which answers of this model are carried, or None until the host has told."""
        return self._services.host.transport(model)

    async def login(self, model: str | None = None) -> "Login":
        """Return the model, or the model of sessions that name none, and whether a key for the model is at hand."""
        from placet.sessions.services.login import login_of

        settings = self._services.settings
        environment = await in_thread(whole_environment)
        return await login_of(model or settings.model, settings, self._services.locations.keys, environment)
