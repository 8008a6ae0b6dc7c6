"""Subagents: sessions that work for a session, ask the same user, follow the same limits, and end with the session."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from placet.agent.agents.agent import Agent
from placet.changes.journal.on_behalf_of import Place
from placet.changes.undo.revert import Party
from placet.core.errors import RequestError, ToolError
from placet.core.messages import AssistantMessage, TextPart
from placet.permissions.rules import Rule
from placet.sessions.turns.delegation import Delegation
from placet.tools.framework.define import SubagentResult
from placet.tools.task import told

if TYPE_CHECKING:
    from placet.sessions.registry import Sessions
    from placet.sessions.session import Session, TurnResult

NOT_FOR_SUBAGENTS = ("task", "todowrite", "plan_enter", "plan_exit")
"""Tools denied to a subagent unless the subagent's own rules mention the tool."""
MOST_DEEP = 3
"""Largest depth of subagents below the user's own agent, each working for the agent above."""


class Subagents:
    """Runner of the subagents for the sessions of one front door."""

    def __init__(self, sessions: "Sessions") -> None:
        self._sessions = sessions

    async def run(
        self,
        parent: "Session",
        limits: tuple[Rule, ...],
        made_for: tuple[Place, ...],
        *,
        agent: str,
        description: str,
        prompt: str,
        task_id: str | None,
        background: bool,
        began: Callable[[str], None],
    ) -> SubagentResult:
        """Run a subagent as define.RunSubagent says, for a call of `parent`, the last of `made_for`.

        The rules `limits` bind the subagent as well.
        """
        child = await self._child(parent, limits, agent, description, task_id)
        began(child.info.id)
        if not background:
            return await self._work(child, prompt, made_for)

        async def work_and_tell() -> None:
            result = await self._work(child, prompt, made_for)
            await parent.prompt([TextPart(text=told(result), synthetic=True)], made_for=made_for[:-1])

        parent.keep_running(work_and_tell())
        return SubagentResult(child.info.id, "running")

    @asynccontextmanager
    async def parties(self, session_ids: Collection[str]) -> AsyncGenerator[Mapping[str, Party]]:
        """Yield the parties of the sessions, as undo.Parties says."""
        async with AsyncExitStack() as stack:
            parties: dict[str, Party] = {}
            for session_id in session_ids:
                session = await self._sessions.load(session_id)
                parties[session_id] = await stack.enter_async_context(session.party())
            yield parties

    async def _child(
        self, parent: "Session", limits: tuple[Rule, ...], agent_name: str, description: str, task_id: str | None
    ) -> "Session":
        agent = self._find(agent_name)
        if len(parent.standing.origin) >= MOST_DEEP:
            raise ToolError(
                f"Work is handed on {MOST_DEEP} deep at most, and you are as deep as that "
                f"({' > '.join(parent.standing.origin)}). Do it yourself."
            )
        if task_id is None:
            child = await self._sessions.create(
                agent=agent.name,
                model=parent.info.model,
                title=f"{description} (@{agent.name})",
                parent_id=parent.info.id,
            )
        else:
            child = await self._resumed(parent, agent, task_id)
        mentioned = {rule.permission for rule in agent.rules + agent.own_rules}
        own = tuple(Rule(name, "*", "deny", "a subagent") for name in NOT_FOR_SUBAGENTS if name not in mentioned)
        child.delegate_from(parent, agent)
        child.standing = Delegation(
            (*parent.standing.origin, agent.name), own + limits, parent.standing.family or parent.info.id, parent.watch
        )
        return child

    def _find(self, name: str) -> Agent:
        subagents = self._sessions.agents.subagents
        if name not in subagents:
            raise ToolError(f"There is no subagent `{name}`. Subagents: {', '.join(subagents)}.")
        return subagents[name]

    async def _resumed(self, parent: "Session", agent: Agent, task_id: str) -> "Session":
        try:
            child = await self._sessions.load(task_id)
        except RequestError as error:
            raise ToolError(f"{error} Leave task_id out to begin anew.") from error
        if child.info.parent_id != parent.info.id or child.info.agent != agent.name:
            raise ToolError(f"`{task_id}` is no task of this conversation for `{agent.name}`. Leave task_id out.")
        if child.running:
            raise ToolError(f"`{task_id}` is still at work. Wait for its result.")
        return child

    async def _work(self, child: "Session", prompt: str, made_for: tuple[Place, ...]) -> SubagentResult:
        result = await child.prompt([TextPart(text=prompt)], made_for=made_for)
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise asyncio.CancelledError  # A prompt ends normally when it is cancelled; the caller must not go on.
        state = "completed" if result.stop_reason == "end_turn" else "error"
        return SubagentResult(child.info.id, state, _report(child, result))


def _report(child: "Session", result: "TurnResult") -> str:
    """Return the subagent's last words, and the reason of its stop unless the turn ended by itself."""
    words = ""
    for message in reversed(child.messages):
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
