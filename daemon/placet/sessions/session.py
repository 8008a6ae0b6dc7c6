"""One conversation: prompts in, turns run one at a time, everything recorded, anything undone."""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placet.agent.agents import find_agent, find_primary
from placet.agent.doom_loop import watch_since_the_user
from placet.agent.instructions import system_prompt
from placet.agent.loop import Turn, run_turn
from placet.agent.references import as_steering, attach_files
from placet.changes.ledger import Ledger
from placet.changes.undo import UndoneFile
from placet.errors import ModelError, PlacetError, TurnStopped
from placet.events import (
    CurrentModeUpdate,
    SessionEvent,
    SessionInfoUpdate,
    TurnEnded,
    TurnStarted,
    UserMessageAdded,
)
from placet.messages import (
    AssistantMessage,
    JsonObject,
    Message,
    Part,
    PromptPart,
    Queue,
    StopReason,
    TextPart,
    Tokens,
    TurnError,
    UserMessage,
    Value,
    now,
)
from placet.model.base import Model
from placet.model.select import ready_model
from placet.ports import Document
from placet.sessions.calls import CallContexts
from placet.sessions.house import House
from placet.sessions.recorder import Recorder
from placet.sessions.standing import Standing
from placet.sessions.store import SessionInfo
from placet.tools.registry import ready_tools

if TYPE_CHECKING:
    from placet.sessions.subagents import Subagents

logger = logging.getLogger(__name__)

UNTITLED = "New session"


class TurnResult(Value):
    """How a turn ended. `tokens` and `cost` (US dollars) are sums over its steps."""

    stop_reason: StopReason
    message_id: str = ""
    """The user message that opened the turn, which is the turn's id; empty if it never began."""
    tokens: Tokens = Tokens()
    cost: float = 0.0
    error: TurnError | None = None


class Session:
    """A conversation and what it may do; made by Sessions."""

    def __init__(self, house: House, recorder: Recorder, ledger: Ledger, subagents: "Subagents") -> None:
        self.standing = Standing()
        """For whom it works; set by whoever has it work."""
        self._subagents = subagents
        self._background: set[asyncio.Task[None]] = set()
        self._house = house
        self._recorder = recorder
        self._ledger = ledger
        self._queue = asyncio.Lock()
        self._turn: asyncio.Task[TurnResult] | None = None
        self._steerable: str | None = None
        """The turn whose loop runs, so that the model will see what the user still says."""
        self.model: Model | None = None
        """What answers; opened with the first turn."""

    @property
    def info(self) -> SessionInfo:
        return self._recorder.info

    @property
    def messages(self) -> tuple[Message, ...]:
        return self._recorder.transcript.messages

    @property
    def running(self) -> bool:
        return self._turn is not None

    async def prompt(self, parts: Sequence[PromptPart], *, queue: Queue = "after") -> TurnResult:
        """Run a turn, after those that were asked for before; or steer the one that runs, and wait for its end.

        Never raises for what happens in the turn: its end is the result. Cancelling the caller cancels the
        turn, and the result then says so.
        """
        try:
            if queue == "steer" and (steered := await self._steer(parts)) is not None:
                return await self._end_of(steered)
            async with self._queue:
                self._turn = asyncio.create_task(self._run(parts), name=f"turn of {self.info.id}")
                try:
                    return await self._end_of(self._turn)
                finally:
                    self._turn = None
        except asyncio.CancelledError:
            return TurnResult(stop_reason="cancelled")

    async def _steer(self, parts: Sequence[PromptPart]) -> "asyncio.Task[TurnResult] | None":
        """Put the user's words into the running turn, where the model's next request has them; None if none runs."""
        if self._turn is None:
            return None
        attached = as_steering(await attach_files(parts, self._house.workspace, self._read))
        if self._steerable is None:
            return None
        message = UserMessage(agent=self.info.agent, model=self.info.model, parts=attached, steers=self._steerable)
        self._recorder.emit(UserMessageAdded(message=message))
        return self._turn

    async def _end_of(self, turn: "asyncio.Task[TurnResult]") -> TurnResult:
        """How the turn ended. Cancelling the caller cancels the turn."""
        try:
            return await asyncio.shield(turn)
        except asyncio.CancelledError:
            if not turn.done():
                await self.cancel()
            return TurnResult(stop_reason="cancelled") if turn.cancelled() else turn.result()

    async def cancel(self) -> None:
        """Stop the running turn and the subagents in the background, if any; returns when they have ended."""
        stopping = [task for task in (self._turn, *self._background) if task is not None]
        for task in stopping:
            task.cancel()
        if stopping:
            await asyncio.wait(stopping)

    def keep_running(self, work: Coroutine[Any, Any, None]) -> None:
        """Own work that goes on beside the turns, until it ends or the session is cancelled."""
        task = asyncio.create_task(work, name=f"background of {self.info.id}")
        self._background.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Background work of session %s failed", self.info.id, exc_info=error)

    async def undo(
        self,
        *,
        turn_id: str | None = None,
        message_id: str | None = None,
        change_ids: Sequence[str] | None = None,
    ) -> list[UndoneFile]:
        """Take back what a turn, a message or the given changes did; else the last turn that did anything."""
        return await self._house.undo.undo(
            self.info.id,
            emit=self._recorder.emit,
            ledger=self._ledger,
            turn_id=turn_id,
            message_id=message_id,
            change_ids=change_ids,
        )

    async def redo(self) -> list[UndoneFile]:
        """Take back the last undo."""
        return await self._house.undo.redo(self.info.id, emit=self._recorder.emit, ledger=self._ledger)

    async def changes(self) -> list[JsonObject]:
        """Every change of the session, oldest first, with its files and state."""
        return await self._house.journal.describe(self.info.id)

    def replay(self, since: int = 0) -> list[SessionEvent]:
        """What a client needs that has seen everything up to `since`."""
        return self._recorder.replay(since)

    async def rename(self, title: str) -> SessionInfo:
        self._save(title=title)
        self._recorder.emit(SessionInfoUpdate(title=title))
        return self.info

    async def set_agent(self, agent: str) -> SessionInfo:
        """Raises RequestError if there is none of that name for the user to talk to."""
        self._save(agent=find_primary(agent).name)
        self._recorder.emit(CurrentModeUpdate(agent=agent))
        return self.info

    async def set_model(self, model: str) -> SessionInfo:
        """Raises SettingsError if the name cannot be a model's."""
        self.model = await ready_model(model, self._house.settings, self._house.host)
        self._save(model=model)
        return self.info

    async def close(self) -> None:
        """Cancel what runs, end its jobs, and store what is left."""
        await self.cancel()
        await self._house.jobs.end_session(self.info.id)
        await self._recorder.flushed()

    def _save(self, **changed: str) -> None:
        self._recorder.save_info(self.info.model_copy(update={**changed, "updated": now()}))

    async def _run(self, parts: Sequence[PromptPart]) -> TurnResult:
        """A turn from its user message to its end; the edge where whatever goes wrong becomes a reason."""
        user = UserMessage(agent=self.info.agent, model=self.info.model, parts=tuple(parts))
        abort = asyncio.Event()
        reason: StopReason = "error"
        error: TurnError | None = None
        self._house.store.set_running(self.info.id, running=True)
        try:
            ended = await self._run_turn(user, abort)
            await self._recorder.flushed()
            reason = ended
        except asyncio.CancelledError:
            reason = "cancelled"
        except (ModelError, TurnStopped) as failure:
            error = TurnError(code=failure.code, message=failure.message, hint=failure.hint)
        except PlacetError as failure:
            error = TurnError(code="failed", message=str(failure))
        except Exception:  # The session's edge: our own bug ends this turn and nothing else.
            logger.exception("A turn of session %s failed", self.info.id)
            error = TurnError(code="internal", message="Placet itself failed.", hint="Its log says where.")
        finally:
            abort.set()
            self._house.store.set_running(self.info.id, running=False)
        self._recorder.emit(TurnEnded(turn_id=user.id, stop_reason=reason, error=error))
        return self._result(user, reason, error)

    async def _run_turn(self, user: UserMessage, abort: asyncio.Event) -> StopReason:
        self._save(title=_title(self.info.title, user.parts))
        house, settings = self._house, self._house.settings
        self.model = self.model or await ready_model(self.info.model, settings, house.host)
        parts = await attach_files(user.parts, house.workspace, self._read)
        self._recorder.emit(UserMessageAdded(message=user.model_copy(update={"parts": parts})))
        self._recorder.emit(TurnStarted(turn_id=user.id))
        agent = find_agent(self.info.agent)
        contexts = CallContexts(
            house,
            self._recorder,
            self._ledger,
            agent,
            turn_id=user.id,
            abort=abort,
            standing=self.standing,
            delegate=partial(self._subagents.run, self),
        )
        turn = Turn(
            user=user,
            session_id=self.info.id,
            agent=agent,
            model=self.model,
            system=system_prompt(agent, house.workspace),
            tools=await ready_tools(contexts.view(), contexts.is_denied),
            transcript=self._recorder.transcript,
            emit=self._recorder.emit,
            new_context=contexts.new_context,
            renewed=lambda turn: self._renewed(turn, contexts),
            max_steps=agent.max_steps or settings.max_steps,
            temperature=settings.model_options.temperature,
            max_output_tokens=settings.model_options.max_output_tokens,
            max_retry_wait_seconds=settings.model_options.max_retry_wait_seconds,
            watch=watch_since_the_user(self.messages),
        )
        await self._recorder.flushed()  # What the user wrote is kept before anything is done about it.
        self._steerable = user.id
        try:
            return await run_turn(turn)
        finally:
            self._steerable = None

    async def _renewed(self, turn: Turn, contexts: CallContexts) -> Turn:
        """The turn in the hands of the agent that a call switched to."""
        agent = contexts.agent
        if agent is turn.agent:
            return turn
        return replace(
            turn,
            agent=agent,
            system=system_prompt(agent, self._house.workspace),
            tools=await ready_tools(contexts.view(), contexts.is_denied),
            max_steps=agent.max_steps or self._house.settings.max_steps,
        )

    async def _read(self, path: Path) -> Document:
        document = await self._house.ports.documents.read(path)
        self._ledger.note(document)
        return document

    def _result(self, user: UserMessage, reason: StopReason, error: TurnError | None) -> TurnResult:
        answers = [
            message
            for message in self._recorder.transcript.messages
            if isinstance(message, AssistantMessage) and message.parent_id == user.id
        ]
        return TurnResult(
            stop_reason=reason,
            message_id=user.id,
            tokens=sum((answer.tokens for answer in answers), Tokens()),
            cost=sum(answer.cost for answer in answers),
            error=error,
        )


def _title(title: str, parts: Sequence[Part]) -> str:
    """The first line of the first prompt, until a better title is known."""
    if title != UNTITLED:
        return title
    words = " ".join(part.text for part in parts if isinstance(part, TextPart)).split()
    return (" ".join(words) or UNTITLED)[:100]
