"""Conversation of a session: takes prompts, runs turns in sequence, records everything, can undo any change."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from placet.agent.agents.agent import Agent
from placet.agent.turn.doom_loop import LoopWatch, watch_since_the_user
from placet.agent.turn.loop import run_turn
from placet.agent.turn.turn import Turn
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.unfinished import is_back
from placet.changes.ledger import Ledger
from placet.core.events import (
    QueuedPrompt,
    SessionEvent,
    TurnEnded,
    UserMessageAdded,
)
from placet.core.ids import now
from placet.core.messages import (
    CompactionPart,
    JsonObject,
    Message,
    Part,
    PromptPart,
    Queue,
    StopReason,
    TurnError,
    UserMessage,
)
from placet.core.ports import PermissionRequest
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.extensions.mcp.session_servers import SessionServers
from placet.model.base import Model
from placet.sessions.prompts.commands import (
    CalledCommand,
    CommandParts,
    called_command,
    calls_command,
    parts_of_command,
)
from placet.sessions.services.services import Services
from placet.sessions.store.records import SessionInfo
from placet.sessions.turns.budget import Budget
from placet.sessions.turns.change_news import change_news
from placet.sessions.turns.choices import SessionChoices
from placet.sessions.turns.compactor import Compactor
from placet.sessions.turns.context import SessionContext
from placet.sessions.turns.decision_watch import DecisionWatch
from placet.sessions.turns.delegation import Delegation
from placet.sessions.turns.models.profile import TurnProfiles, profile_notice
from placet.sessions.turns.outputs import outputs_of
from placet.sessions.turns.recorder import Recorder
from placet.sessions.turns.steering import Steering
from placet.sessions.turns.subagents import DelegatingSession, Subagents
from placet.sessions.turns.system_prompts import Prompted
from placet.sessions.turns.titles import UNTITLED, Titles, automatic_title
from placet.sessions.turns.tool_contexts import SessionParts, StartedTurn, ToolContextFactory
from placet.sessions.turns.turn_hooks import TurnHooks
from placet.sessions.turns.turn_queue import TurnQueue
from placet.sessions.turns.turn_resources import TurnResources, in_profile, opened_model, opening_with, turn_resources
from placet.sessions.turns.turn_result import TurnResult as TurnResult
from placet.sessions.turns.turn_result import reason_of, result_of
from placet.sessions.turns.turn_start import TurnStart
from placet.settings.profile import ProfileInUse

if TYPE_CHECKING:
    from placet.changes.review.seen_tree import SeenTree
    from placet.changes.undo.revert import Party, UndoneFile, UndoTarget
    from placet.project.processes.background_jobs import Job
    from placet.sessions.change_set import SessionChangeSet
    from placet.sessions.going_back.going_back import GoingBack


class Session:
    """A conversation and the agent's permissions in the conversation, made by Sessions."""

    def __init__(self, services: Services, recorder: Recorder, ledger: Ledger, subagents: Subagents) -> None:
        self.delegation = Delegation()
        """Origin and limits of the session; empty until another session employs the session."""
        self._subagents = subagents
        self.tell = recorder.tell
        """Tells the user's screens of an update that is no part of the conversation."""
        self._turn_queue = TurnQueue(recorder.info.id, recorder.tell)
        self._services = services
        self._recorder = recorder
        self._ledger = ledger
        self.servers = SessionServers(services.extensions.mcp)
        """MCP servers of the session; a subagent shares the servers of its employer."""
        self._context = SessionContext(services, recorder, ledger, lambda: self.servers, self._family)
        self._change_news = partial(change_news, services, recorder, ledger, self._family)
        self._hooks = TurnHooks(services, recorder, lambda: self.servers)
        self._compactor = Compactor(services, recorder, ledger, self._hooks)
        self._titles = Titles(services, recorder)
        self.watch = LoopWatch()
        """Doom loop watch of the running turn, for the subagents that work for the turn."""
        self._contexts: ToolContextFactory | None = None
        self._profiles = TurnProfiles(None, services)
        """Profiles of the running or last turn."""
        self._told_profile: tuple[str, ProfileInUse] | None = None
        """Model of the last turn and its profile, as the user knows by now."""
        self._tools_revision = (-1, -1)
        """Revision of the MCP servers' tools that the running or last turn has."""
        self._steering = Steering(services, recorder, self._context, self._hooks)
        self._employer: DelegatingSession | None = None
        self._has_prepared_commands = False
        self._is_literal = False
        self._decision_watch = DecisionWatch(
            services, self._family, lambda: self.change_set, self._turn_queue.leave_behind
        )
        self._start = TurnStart(recorder)
        self.budget = Budget(services.store.accounts, services.settings.max_cost, recorder.info.id)
        """Cost limits of the session; a subagent shares the budget of its employer."""
        self.models: dict[str, Model] = {}
        """Opened models by name; each is opened for the first turn that needs it, and subagents share the models."""

    @property
    def info(self) -> SessionInfo:
        return self._recorder.info

    @property
    def answering(self) -> str:
        """Return the model of the running turn, else the model of the next turn."""
        return self.info.model if self._contexts is None or not self.running else self._contexts.model

    @property
    def messages(self) -> tuple[Message, ...]:
        return self._recorder.transcript.messages

    @property
    def files_read(self) -> tuple[Path, ...]:
        """Return the files seen by the model, which the model may edit."""
        return tuple(document.path for document in self._ledger.documents)

    @property
    def running(self) -> bool:
        return self._turn_queue.current is not None

    @property
    def queued(self) -> tuple[QueuedPrompt, ...]:
        """Return the prompts that wait for the end of the running turn, in order."""
        return self._turn_queue.queued

    async def prompt(
        self, parts: Sequence[PromptPart], *, queue: Queue = "after", on_behalf_of: tuple[TurnRef, ...] = ()
    ) -> TurnResult:
        """Run a turn, after the turns asked for before; or steer the running turn, and wait for its end.

        The changes of the turn also count as changes of the turns in `on_behalf_of`. Never raises for a failure within
        the turn: the turn's end is the result. Cancelling the caller cancels the turn, and the result tells so.
        """
        parts = [part.with_whole_characters() for part in parts]
        try:
            steers = queue == "steer" and not self._calls_command(parts)
            turn = self._turn_queue.current if steers and self.running and await self._steering.steer(parts) else None
            if turn is not None:
                await self._turn_queue.until_ended(turn)
            else:
                turn = await self._turn_queue.after_others(lambda: self._run(parts, on_behalf_of), "turn", parts)
        except asyncio.CancelledError:
            return TurnResult(stop_reason="cancelled")
        return TurnResult(stop_reason="cancelled") if turn.cancelled() else turn.result()

    def take_literally(self) -> None:
        """Take the text of the prompts from now on as text alone: no `@` mentions anything, and no `/` calls a command.

        The text may be of somebody else, who must not have files of the user attached, nor commands run.
        """
        self._is_literal = True
        self._context.take_literally()

    async def keep(self, parts: Sequence[PromptPart]) -> None:
        """Store a prompt that will not run, like the prompt of a turn that is cancelled in its beginning."""
        from placet.sessions.turns.kept_prompts import keep_prompt  # Few sessions keep such a prompt.

        work = partial(keep_prompt, parts, self._services, self._recorder, self._settle_back)
        await self._turn_queue.alone(work, "kept prompt")

    async def cancel(self) -> None:
        """Stop the running turn and the subagents in the background, if any; return when all have ended."""
        await self._turn_queue.cancel()

    def stop(self) -> None:
        """Stop like `cancel`, for a caller that cannot wait: the model is not asked again."""
        self._turn_queue.stop()

    def keep_running(self, work: Coroutine[Any, Any, None]) -> None:
        """Own work beside the turns, until the work ends or the session is cancelled."""
        self._turn_queue.keep_running(work)

    async def compact(self) -> CompactionPart:
        """Sum up the conversation for the model now, after the turns that were asked for before.

        Raises RequestError if nothing can be summed up or after a cancel, TurnStopped, ModelError, StoreError.
        """
        return await self._turn_queue.alone(self._compact, "compaction")

    async def _compact(self) -> CompactionPart:
        async with self._services.store.claimed(self.info.id), self._decision_watch.looking():
            await self._recorder.catch_up()
            await self._settle_back()
            agent = self._services.agents.find(self.info.agent)
            model = await opened_model(self.info.model, self.models, agent, self._services)
            part = await self._compactor.compact(model, self.budget.meter)
            await self._recorder.flushed()
            return part

    async def undo(self, **target: "Unpack[UndoTarget]") -> "list[UndoneFile]":
        """Undo the work of the target; by default of the last turn that did anything. Work of subagents counts too."""
        async with self.party() as party:
            return await self._services.undo.undo(self.info.id, party, self._subagents.parties, **target)

    async def redo(self) -> "list[UndoneFile]":
        """Take back the last undo; unreviewed changes are unreviewed again."""
        async with self.party() as party:
            files = await self._services.undo.redo(self.info.id, party, self._subagents.parties)
            await self.going_back.follow_redo()
            await self.change_set.bring_back([file.path for file in files if file.status == "restored"])
            return files

    @asynccontextmanager
    async def party(self) -> "AsyncGenerator[Party]":
        """Yield the session for an undo, in the store's state and kept from other processes. Raises RequestError."""
        from placet.changes.undo.revert import Party

        async with self._services.store.claimed(self.info.id):
            await self._recorder.catch_up()
            yield Party(self._recorder.emit, self._ledger)

    @property
    def choices(self) -> SessionChoices:
        """Return the agent, the model and all else that the user chooses for the session."""
        employer = None if self._employer is None else self._employer.choices
        return SessionChoices(self._services, self._recorder, self.models, employer)

    @property
    def jobs(self) -> "list[Job]":
        """Return the commands in the background that the session has started, the oldest first."""
        return self._services.jobs.of_session(self.info.id)

    @property
    def change_set(self) -> "SessionChangeSet":
        """Return the change set of the session and its subagents, for the user's review."""
        from placet.sessions.change_set import SessionChangeSet

        return SessionChangeSet(self._services, self._family(), self._subagents.parties, self.tell)

    async def tree(self) -> "SeenTree":
        """Return the files as the session sees the files. Raises StoreError."""
        return await self.change_set.seen.tree()

    def _family(self) -> str:
        """Return the session of the change set."""
        return outputs_of(self.info, self.delegation.family, self._services.locations).family

    @property
    def going_back(self) -> "GoingBack":
        """Return the way back to an earlier prompt, and forward again."""
        from placet.sessions.going_back.going_back import GoingBack

        return GoingBack(self._services, self._recorder, self._ledger, self._subagents, self._turn_queue)

    async def _settle_back(self) -> None:
        """Delete the messages that the user went back over, for good: the conversation goes on from here."""
        if await is_back(self._services.database, self.info.id):
            await self.going_back.settle()

    async def changes(
        self,
        waiting: Sequence[PermissionRequest] = (),
        *,
        change_ids: Sequence[str] | None = None,
        contents: bool = False,
    ) -> list[JsonObject]:
        """Return the changes of the session and its subagents, oldest first, waiting last, with hunks and state."""
        from placet.sessions.turns.changes_so_far import changes_so_far

        return await changes_so_far(self._recorder, self._services.journal, waiting, change_ids, contents=contents)

    async def catch_up(self) -> None:
        """Store pending writes, and take in other processes' additions. Raises RequestError for a deleted session."""
        await self._recorder.flushed()
        if not self.running:
            await self._recorder.catch_up(lambda: not self.running)

    async def follow(self) -> bool:
        """Catch up, also with another process in the session; return whether one is at work."""
        return not self.running and await self._recorder.follow(lambda: not self.running)

    def replay(self, since: int = 0) -> list[SessionEvent]:
        """Return the events that bring a client up to date which has seen everything up to `since`."""
        return self._recorder.replay(since)

    def delegate_from(self, employer: DelegatingSession, agent: Agent, delegation: Delegation) -> None:
        """Work for the employer at the employer's cost, as this agent, with its own model or the employer's."""
        self.models, self.budget, self.servers = employer.models, employer.budget, employer.servers
        self.delegation, self._employer = delegation, employer
        self.choices.take_over(employer.answering, employer.info.effort, agent, delegation.effort)

    async def close(self) -> None:
        """Cancel the running turn, end jobs, and store pending writes; a cancelled call waits no more for the turn."""
        try:
            await self._titles.close()
            await self._turn_queue.close()
            await self._hooks.end()
        finally:
            await to_the_end(self._end_rest())

    async def _end_rest(self) -> None:
        await self._services.end_session(self.info.id)
        if self._employer is None:
            await self.servers.close()
        await self._recorder.flushed()

    async def _run(self, parts: Sequence[PromptPart], on_behalf_of: tuple[TurnRef, ...]) -> TurnResult:
        """Run a turn from the user message to the end; any failure becomes a stop reason here."""
        user = UserMessage(agent=self.info.agent, model=self.info.model, parts=tuple(parts))
        self._start = TurnStart(self._recorder)
        abort = asyncio.Event()
        reason: StopReason = "error"
        error: TurnError | None = None
        is_claimed = False
        try:
            await self._services.store.claim(self.info.id)
            is_claimed = True
            await self._recorder.catch_up()
            await self._settle_back()
            async with self._decision_watch.looking():
                ended = await self._run_turn(user, abort, on_behalf_of)
            self._compactor.clear_old_results()
            await self._recorder.flushed()
            reason = ended
        except (asyncio.CancelledError, Exception) as failure:  # noqa: BLE001 The edge: our bug ends this turn alone.
            reason, error = reason_of(failure, self.info.id)
        finally:
            abort.set()
        if is_claimed and all(message.id != user.id for message in self.messages):
            self._recorder.emit(UserMessageAdded(message=user))  # The turn failed before; the user's prompt is kept.
        tell = self._recorder.emit if is_claimed else self._recorder.tell
        tell(TurnEnded(turn_id=user.id, stop_reason=reason, error=error))
        if is_claimed:
            self._services.store.release(self.info.id)
        return result_of(self.messages, user, reason, error)

    async def _run_turn(self, user: UserMessage, abort: asyncio.Event, on_behalf_of: tuple[TurnRef, ...]) -> StopReason:
        is_untitled, services, settings = self.info.title == UNTITLED, self._services, self._services.settings
        agent, written, command_hooks = services.agents.find(self.info.agent), user.parts, None
        if self._hooks.judges_prompts:  # A blocked prompt never gets into the store, whenever the daemon is killed.
            user, command_hooks = await self._hooks.submitted(user, agent.name)
        title = automatic_title(self.info.title, user.parts)
        self._recorder.save_info(self.info.model_copy(update={"title": title, "updated": now()}))
        self._recorder.keep(user)  # Reading the references may take a while, and the daemon may be killed meanwhile.
        tell = partial(self._start.tell_of_servers, user)
        await self.servers.started(settings.mcp.wait_seconds, tell, partial(services.ports.approver.ask, self.info.id))
        called = called_command(written, agent, services, self.servers) if self._calls_command(written) else None
        agent = agent if called is None else called.agent
        self._contexts = contexts = self._contexts_of(user, agent, called, abort, on_behalf_of)
        self._profiles = TurnProfiles(self.info.profile, services)
        user = user.model_copy(update={"agent": agent.name, "model": contexts.model})
        if command_hooks is None:
            user, command_hooks = await self._hooks.submitted(user, agent.name)
        command_hooks.agent = agent.name
        command = CommandParts(()) if called is None else await self._carry_out(called, user, contexts)
        parts, task = (*user.parts, *command.parts), command.task
        used = await self._profiles.of(contexts.model)
        prompted = Prompted(agent, contexts.model, used.profile)
        opening = await self._context.open_turn(prompted, contexts.view().judge, parts, command.mentions)
        parts = (*opening.parts, *await self._change_news())
        self._recorder.emit(UserMessageAdded(message=user.model_copy(update={"parts": parts})))
        self._context.note_reminder(opening, user.id)
        self._start.show(user)
        self._tell_profile(user.id, contexts.model, used)
        if not self.delegation.origin:
            self.budget.begin_turn(user, self._recorder.emit)
        turn = Turn(
            user=user,
            session_id=self.info.id,
            system=opening.system,
            transcript=self._recorder.transcript,
            emit=self._recorder.emit,
            new_context=contexts.new_context,
            renewed=lambda turn: self._renewed(turn, contexts, task),
            max_output_tokens=settings.options_of(contexts.model).max_output_tokens,
            max_retry_wait_seconds=settings.options_of(contexts.model).max_retry_wait_seconds,
            meter=self.budget.meter,
            on_answer=partial(self._prepare_commands, contexts),
            leave_behind=self._turn_queue.leave_behind,
            watch=watch_since_the_user(self.messages, above=self.delegation.watch),
            hooks=services.extensions.hooks,
            command_hooks=command_hooks,
            **await self._resources(contexts, user.id, task),
        )
        await self._recorder.flushed()  # The user's prompt is stored before any work on it.
        if is_untitled:
            self._titles.begin(user.parts, self.info.title, self.budget.meter)
        return await self._run_steerable(turn)

    def _contexts_of(
        self,
        user: UserMessage,
        agent: Agent,
        called: CalledCommand | None,
        abort: asyncio.Event,
        on_behalf_of: tuple[TurnRef, ...],
    ) -> ToolContextFactory:
        """Return the factory of the contexts of the turn's tool calls."""
        session = SessionParts(
            self._recorder,
            self._ledger,
            self.delegation,
            self.choices,
            self.servers,
            run_subagent=partial(self._subagents.run, self, effort=None if called is None else called.subtask_effort),
            change_set=lambda: self.change_set,
        )
        turn = StartedTurn(user.id, abort, on_behalf_of)
        if called is not None:
            turn = replace(turn, model=called.model, effort=called.command.effort)
        return ToolContextFactory(self._services, session, turn, agent)

    def _prepare_commands(self, contexts: ToolContextFactory) -> None:
        """Prepare the sandbox beside the session's first answer; never before, as nothing delays the first request."""
        if not self._has_prepared_commands:
            self._has_prepared_commands = True
            self.keep_running(contexts.prepare_commands())

    async def _run_steerable(self, turn: Turn) -> StopReason:
        """Run the turn; meanwhile new prompts may steer the turn, and in the end the watch above knows its calls."""
        self.watch = turn.watch
        try:
            with self._steering.of(turn.user.id):
                return await run_turn(turn)
        finally:
            if self.delegation.watch is not None:
                self.delegation.watch.take_in(turn.watch)

    async def _renewed(self, turn: Turn, contexts: ToolContextFactory, task: JsonObject | None) -> Turn:
        """Return the turn with the agent to which a call switched; content that a compaction took away is told again.

        The turn gets the tools of MCP servers that have come meanwhile. The work so far is stored by then: no later
        step is ever seen without its base, whenever the daemon is killed.
        """
        if news := await self._change_news():
            self._recorder.emit(UserMessageAdded(message=UserMessage(parts=news, steers=turn.user.id)))
        await self._recorder.flushed()
        used = await self._profiles.of(contexts.model)
        prompted = Prompted(contexts.agent, contexts.model, used.profile)
        system = await self._context.within_turn(prompted, contexts.view().judge)
        self._tell_profile(turn.user.id, contexts.model, used)
        if contexts.agent is turn.agent and self._tools_revision == self.servers.revision:
            return replace(turn, system=system, effort=contexts.effort)
        return replace(turn, system=system, **await self._resources(contexts, turn.user.id, task))

    async def _resources(
        self, contexts: ToolContextFactory, turn_id: str, task: JsonObject | None = None
    ) -> TurnResources:
        """Return the resources of the turn; the first answer of the model is the call of `task`, if given."""
        model = await opened_model(contexts.model, self.models, contexts.agent, self._services)
        self._tools_revision = self.servers.revision
        profile = (await self._profiles.of(contexts.model)).profile
        opening = opening_with(in_profile(model, profile, contexts, self._services), turn_id, task)
        return await turn_resources(contexts, opening, self._services, self._compactor, self.servers, profile)

    def _tell_profile(self, turn_id: str, model: str, used: ProfileInUse) -> None:
        """Tell the user of a profile that is not the usual, once, and of each change of the profile."""
        told, self._told_profile = self._told_profile, (model, used)
        if told != self._told_profile and (used.profile != "full" or (told is not None and told[1].profile != "full")):
            self._recorder.emit(profile_notice(turn_id, model, used))

    def _calls_command(self, parts: Sequence[Part]) -> bool:
        """Return whether the prompt calls a command, as a user may, and no model that writes a prompt."""
        is_the_users = self.info.parent_id is None and not self._is_literal
        return is_the_users and calls_command(parts, self._services, self.servers)

    async def _carry_out(self, called: CalledCommand, user: UserMessage, contexts: ToolContextFactory) -> CommandParts:
        """Return the command's text; its shell parts run within the turn. Raises Rejected, RequestError, ToolError."""
        self._recorder.emit(UserMessageAdded(message=user))
        self._start.show(user)
        tools = (await self._resources(contexts, user.id))["tools"]
        return await parts_of_command(called, user, contexts, tools, self._services)
