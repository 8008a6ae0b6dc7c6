"""Choices for a session: the agent, the model, the effort, the review of changes, the caution and the title.

An agent's own model answers from the choice of the agent on. A model that the user chooses later outweighs the agent's
model, until another agent is chosen; the user's model also answers for every agent without a model of its own.
"""

from placet.agent.agents.agent import Agent
from placet.core.effort import Effort
from placet.core.events import (
    CautionUpdate,
    CurrentModeUpdate,
    EffortUpdate,
    ProfileUpdate,
    ReviewModeUpdate,
    SessionInfoUpdate,
    Update,
)
from placet.core.ids import now
from placet.core.messages import JsonObject, whole_characters
from placet.model.base import Model
from placet.permissions.caution import Caution
from placet.sessions.services.model_catalog import choose_model
from placet.sessions.services.services import Services
from placet.sessions.store.records import SessionInfo
from placet.sessions.turns.recorder import Recorder
from placet.settings.profile import ProfileChoice
from placet.settings.review_modes import ReviewMode


class SessionChoices:
    """Choices for one session, which the session's entry in the store keeps; made by the session for each use.

    Each `set_…` returns the entry after the store has saved the choice, so that every other process sees the choice.
    """

    def __init__(
        self, services: Services, recorder: Recorder, models: dict[str, Model], employer: "SessionChoices | None"
    ) -> None:
        """Create the choices; `models` are the opened models, and `employer` the choices for a subagent's employer."""
        self._services = services
        self._recorder = recorder
        self._models = models
        self._employer = employer

    @property
    def review(self) -> ReviewMode:
        """Return how the user reviews changes of the session; a subagent's changes are reviewed as the employer's."""
        if self._employer is not None:
            return self._employer.review
        services = self._services
        return self._info.review or services.settings.review or services.ports.review

    @property
    def caution(self) -> Caution:
        """Return how careful the session is; a subagent's session is as careful as the employer's."""
        if self._employer is not None:
            return self._employer.caution
        return self._info.caution or "default"

    async def set_review(self, mode: ReviewMode) -> SessionInfo:
        """Review changes so from now on, also within a running turn."""
        return await self._choose({"review": mode}, ReviewModeUpdate(review=mode))

    async def set_caution(self, caution: Caution) -> SessionInfo:
        """Be so careful from the next call on, also within a running turn."""
        return await self._choose({"caution": caution}, CautionUpdate(caution=caution))

    async def set_effort(self, effort: Effort | None) -> SessionInfo:
        """Let the model think so much from its next call on; None: as the agent and the settings say."""
        return await self._choose({"effort": effort}, EffortUpdate(effort=effort))

    async def set_profile(self, profile: ProfileChoice | None) -> SessionInfo:
        """Ask so much of the model from the next turn on; None: as the settings say."""
        return await self._choose({"profile": profile}, ProfileUpdate(profile=profile))

    async def set_title(self, title: str) -> SessionInfo:
        title = whole_characters(title)
        return await self._choose({"title": title}, SessionInfoUpdate(title=title))

    async def set_agent(self, agent: str) -> SessionInfo:
        """Use the agent and its model from the next turn on. Raises RequestError unless it is one for the user."""
        self.switch_agent(self._services.agents.find_primary(agent))
        return await self._stored()

    def switch_agent(self, agent: Agent) -> None:
        """Use the agent and its model from now on."""
        info = self._info
        self._save({"agent": agent.name, "model": agent.model or info.base_model or info.model})
        self._recorder.emit(CurrentModeUpdate(agent=agent.name, model=self._info.model))

    async def set_model(self, model: str) -> SessionInfo:
        """Use the model from now on, whatever the agent's own. Raises SettingsError for an impossible name."""
        self._models[model] = await choose_model(model, self._services)
        choice = {"model": model, "base_model": model}
        return await self._choose(choice, CurrentModeUpdate(agent=self._info.agent, model=model))

    def take_over(self, model: str, effort: Effort | None, agent: Agent, commanded: Effort | None) -> None:
        """Choose the agent for a subagent, and the employer's model and effort where the agent has none of its own.

        `commanded` is the effort of the command that the subagent carries out, which outweighs the agent's.
        """
        if commanded is None and agent.effort is None:
            commanded = effort
        self._save({"model": agent.model or model, "base_model": model, "agent": agent.name, "effort": commanded})

    @property
    def _info(self) -> SessionInfo:
        return self._recorder.info

    async def _choose(self, choice: JsonObject, update: Update) -> SessionInfo:
        self._save(choice)
        self._recorder.emit(update)
        return await self._stored()

    def _save(self, choice: JsonObject) -> None:
        self._recorder.save_info(self._info.model_copy(update={**choice, "updated": now()}))

    async def _stored(self) -> SessionInfo:
        await self._recorder.flushed()
        return self._info
