"""Subagents: sessions that work for a session, ask the same user, follow the same limits, and end with the session."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from placet.agent.agents.agent import Agent, AgentCatalog
from placet.agent.turn.doom_loop import LoopWatch
from placet.changes.journal.on_behalf_of import TurnRef
from placet.core.effort import Effort
from placet.core.errors import DocumentError, RequestError, ToolError
from placet.core.messages import AssistantMessage, Message, PromptPart, Queue, TextPart
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.extensions.mcp.session_servers import SessionServers
from placet.model.base import Model
from placet.permissions.rules import Rule
from placet.sessions.store.records import SessionInfo
from placet.sessions.turns.budget import Budget
from placet.sessions.turns.choices import SessionChoices
from placet.sessions.turns.delegation import Delegation
from placet.sessions.turns.turn_result import TurnResult
from placet.settings.review_modes import ReviewMode
from placet.tools.framework.builtin import tool_specs
from placet.tools.framework.context import SubagentRequest, SubagentResult

if TYPE_CHECKING:
    from placet.changes.undo.revert import Party
    from placet.sessions.change_set import SessionChangeSet
    from placet.sessions.worktrees.isolation import Isolation
    from placet.worktrees.records import Subagent as WorktreeSubagent
    from placet.worktrees.unwritten_files import UnwrittenFile

NOT_FOR_SUBAGENTS = tuple(spec.name for spec in tool_specs() if not spec.for_subagents)
"""Tools denied to a subagent unless the subagent's own rules mention the tool."""
MOST_DEEP = 3
"""Largest depth of subagents below the user's own agent, each working for the agent above."""


class DelegatingSession(Protocol):
    """Session as another session of a delegation sees the session: the employer of a subagent, or the subagent."""

    @property
    def info(self) -> SessionInfo: ...

    @property
    def messages(self) -> tuple[Message, ...]: ...

    @property
    def running(self) -> bool: ...

    @property
    def answering(self) -> str: ...

    @property
    def models(self) -> dict[str, Model]: ...

    @property
    def budget(self) -> Budget: ...

    @property
    def servers(self) -> SessionServers: ...

    @property
    def delegation(self) -> Delegation: ...

    @property
    def watch(self) -> LoopWatch: ...

    @property
    def choices(self) -> SessionChoices: ...

    @property
    def change_set(self) -> "SessionChangeSet": ...

    def delegate_from(self, employer: "DelegatingSession", agent: Agent, delegation: Delegation) -> None: ...

    async def prompt(
        self, parts: Sequence[PromptPart], *, queue: Queue = "after", on_behalf_of: tuple[TurnRef, ...] = ()
    ) -> TurnResult: ...

    def keep_running(self, work: Coroutine[Any, Any, None]) -> None: ...

    def party(self) -> "AbstractAsyncContextManager[Party]": ...


class SessionPool(Protocol):
    """Registry of the sessions, as far as subagents need the registry."""

    @property
    def agents(self) -> AgentCatalog: ...

    @property
    def running(self) -> Sequence["DelegatingSession"]: ...

    def subagents_of(self, session_id: str) -> list[str]: ...

    async def create(
        self,
        *,
        agent: str | None = None,
        model: str | None = None,
        title: str | None = None,
        parent_id: str | None = None,
        isolation: "Isolation | None" = None,
    ) -> DelegatingSession: ...

    async def isolate(
        self, subagent: "WorktreeSubagent", review: ReviewMode, unwritten: "Sequence[UnwrittenFile]"
    ) -> "Isolation": ...

    async def unload(self, session_id: str) -> None: ...

    async def load(self, session_id: str) -> DelegatingSession: ...


class Subagents:
    """Runner of the subagents for the sessions of one front end."""

    def __init__(self, sessions: SessionPool) -> None:
        self._sessions = sessions

    async def run(
        self,
        employer: DelegatingSession,
        request: SubagentRequest,
        *,
        limits: tuple[Rule, ...],
        on_behalf_of: tuple[TurnRef, ...],
        effort: Effort | None = None,
    ) -> SubagentResult:
        """Run a subagent for a call of `employer`, as tool_contexts.RunDelegated says.

        `effort` is the effort of the command that the subagent carries out, or None.
        """
        from placet.tools.task import result_text

        agent = self._find(request.agent)
        own = await self._isolation(employer, agent, request)
        try:
            subagent = await self._subagent(employer, agent, request, limits, own, effort)
        except BaseException:
            if own is not None:
                await to_the_end(own.end())
            raise
        request.began(subagent.info.id)
        if own is None:
            work = partial(self._work, subagent, request.prompt, on_behalf_of)
        else:
            work = partial(self._work_apart, own, employer, subagent, request.prompt, on_behalf_of)
        if not request.background:
            return await work()

        async def work_and_tell() -> None:
            result = await work()
            await employer.prompt([TextPart(text=result_text(result), synthetic=True)], on_behalf_of=on_behalf_of[:-1])

        employer.keep_running(work_and_tell())
        return SubagentResult(subagent.info.id, "running")

    def are_at_work(self, session_id: str) -> bool:
        """Return whether a subagent works for the session, at any depth."""
        below = self._sessions.subagents_of(session_id)
        return any(session.info.id in below for session in self._sessions.running)

    @asynccontextmanager
    async def parties(self, session_ids: Collection[str]) -> "AsyncGenerator[Mapping[str, Party]]":
        """Yield the parties of the sessions, as undo.Parties says."""
        async with AsyncExitStack() as stack:
            parties: dict[str, Party] = {}
            for session_id in session_ids:
                session = await self._sessions.load(session_id)
                parties[session_id] = await stack.enter_async_context(session.party())
            yield parties

    async def _subagent(
        self,
        employer: DelegatingSession,
        agent: Agent,
        request: SubagentRequest,
        limits: tuple[Rule, ...],
        own: "Isolation | None",
        effort: Effort | None,
    ) -> DelegatingSession:
        """Return the session of the subagent, in which the agent has taken its role; `own` is the subagent's own
        worktree. Raises ToolError.
        """
        isolation = own or employer.delegation.isolation
        origin = employer.delegation.origin
        if len(origin) >= MOST_DEEP:
            raise ToolError(
                f"Work is handed on {MOST_DEEP} deep at most, and you are as deep as that "
                f"({' > '.join(origin)}). Do it yourself."
            )
        if request.task_id is None:
            subagent = await self._sessions.create(
                agent=agent.name,
                model=employer.info.model,
                title=f"{request.description} (@{agent.name})",
                parent_id=employer.info.id,
                isolation=isolation,
            )
        else:
            subagent = await self._resumed(employer, agent, request.task_id)
        mentioned = {rule.permission for rule in agent.rules + agent.own_rules}
        denials = tuple(Rule(name, "*", "deny", "a subagent") for name in NOT_FOR_SUBAGENTS if name not in mentioned)
        # The changes in a worktree of its own are in no change set before they come back.
        family = subagent.info.id if own is not None else employer.delegation.family or employer.info.id
        delegation = Delegation((*origin, agent.name), denials + limits, family, isolation, employer.watch, effort)
        subagent.delegate_from(employer, agent, delegation)
        return subagent

    def _find(self, name: str) -> Agent:
        subagents = self._sessions.agents.subagents
        if name not in subagents:
            raise ToolError(f"There is no subagent `{name}`. Subagents: {', '.join(subagents)}.")
        return subagents[name]

    async def _isolation(
        self, employer: DelegatingSession, agent: Agent, request: SubagentRequest
    ) -> "Isolation | None":
        """Return a new worktree for an isolated agent; below an isolated agent all work in its worktree.

        Raises ToolError.
        """
        if not agent.isolated or employer.delegation.isolation is not None:
            return None
        if request.task_id is not None:
            raise ToolError(f"`{agent.name}` works in a new worktree each time. Leave task_id out to begin anew.")
        from placet.storage.owner import this_process
        from placet.worktrees.records import Subagent as WorktreeSubagent

        mark = WorktreeSubagent(agent.name, employer.info.id, this_process())
        try:
            return await self._sessions.isolate(mark, employer.choices.review, await employer.change_set.unwritten())
        except (RequestError, DocumentError) as error:
            raise ToolError(
                f"`{agent.name}` works in a git worktree of its own, and none can be made: {error}"
            ) from error

    async def _work_apart(
        self,
        own: "Isolation",
        employer: DelegatingSession,
        subagent: DelegatingSession,
        prompt: str,
        places: tuple[TurnRef, ...],
    ) -> SubagentResult:
        """Run the subagent in its own worktree, and take its changes into the change set of the employer."""
        from placet.sessions.turns.coming_back import came_back

        unload = partial(self._sessions.unload, subagent.info.id)
        words = kept = ""

        async def end() -> None:
            nonlocal kept
            await unload()
            kept = await own.end()

        try:
            result = await self._work(subagent, f"{prompt}\n\n{own.note}", ())
            await unload()  # Commands in the background end before the look at the files.
            if result.state == "completed":
                words = await came_back(own.worktree, employer.change_set, places)
        finally:
            await to_the_end(end())
        return replace(result, text="\n\n".join(filter(None, (result.text, words, kept))))

    async def _resumed(self, employer: DelegatingSession, agent: Agent, task_id: str) -> DelegatingSession:
        try:
            subagent = await self._sessions.load(task_id)
        except RequestError as error:
            raise ToolError(f"{error} Leave task_id out to begin anew.") from error
        if subagent.info.parent_id != employer.info.id or subagent.info.agent != agent.name:
            raise ToolError(f"`{task_id}` is no task of this conversation for `{agent.name}`. Leave task_id out.")
        if subagent.running:
            raise ToolError(f"`{task_id}` is still at work. Wait for its result.")
        return subagent

    async def _work(
        self, subagent: DelegatingSession, prompt: str, on_behalf_of: tuple[TurnRef, ...]
    ) -> SubagentResult:
        result = await subagent.prompt([TextPart(text=prompt)], on_behalf_of=on_behalf_of)
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise asyncio.CancelledError  # A cancelled prompt ends normally, but the caller must not go on.
        state = "completed" if result.stop_reason == "end_turn" else "error"
        return SubagentResult(subagent.info.id, state, _report(subagent, result))


def _report(subagent: DelegatingSession, result: TurnResult) -> str:
    """Return the subagent's last words, and the reason of its stop unless the turn ended by itself."""
    words = ""
    for message in reversed(subagent.messages):
        if isinstance(message, AssistantMessage) and message.parent_id == result.message_id:
            words = "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
            if words:
                break
    match result.stop_reason:
        case "end_turn":
            return words or "(It ended without a word.)"
        case "rejected":
            why = "The user rejected something it wanted to do, and it stopped."
        case "max_steps":
            why = "It reached its step limit."
        case "error" if result.error is not None:
            why = f"It failed: {result.error.message} {result.error.hint}".rstrip()
        case reason:
            why = f"It stopped: {reason}."
    return f"{words}\n\n{why}".strip()
