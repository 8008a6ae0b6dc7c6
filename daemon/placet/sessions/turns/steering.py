"""Steering: words of the user that reach the model within the running turn."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from placet.core.errors import TurnStopped
from placet.core.events import Notice, UserMessageAdded
from placet.core.messages import PromptPart, UserMessage
from placet.sessions.services.services import Services
from placet.sessions.turns.context import SessionContext
from placet.sessions.turns.recorder import Recorder
from placet.sessions.turns.turn_hooks import TurnHooks


class Steering:
    """Steering of the turns of one session, which owns the object."""

    def __init__(self, services: Services, recorder: Recorder, context: SessionContext, hooks: TurnHooks) -> None:
        self._services = services
        self._recorder = recorder
        self._context = context
        self._hooks = hooks
        self._turn_id: str | None = None
        """The turn whose loop runs; further words of the user reach the model in this turn."""

    @contextmanager
    def of(self, turn_id: str) -> Generator[None]:
        """Take words for the turn while the context lasts."""
        self._turn_id = turn_id
        try:
            yield
        finally:
            self._turn_id = None

    async def steer(self, parts: Sequence[PromptPart]) -> bool:
        """Put the user's words into the running turn, for the model's next request. Return False if no turn takes
        words.
        """
        info = self._recorder.info
        user = UserMessage(agent=info.agent, model=info.model, parts=tuple(parts), steers=self._turn_id)
        turn_id = self._turn_id or ""
        try:
            user, _ = await self._hooks.submitted(user, info.agent)
        except TurnStopped as stop:
            self._recorder.emit(Notice(turn_id=turn_id, code=stop.code, message=stop.message, hint=stop.hint))
            return True
        from placet.agent.mentions.references import as_steering

        attached = as_steering(await self._context.attach(user.parts))
        if self._turn_id is None:
            return False
        message = user.model_copy(update={"parts": attached, "steers": self._turn_id})
        self._recorder.emit(UserMessageAdded(message=message))
        return True
