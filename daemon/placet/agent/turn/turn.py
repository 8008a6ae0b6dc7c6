"""Turn: the data with which the loop runs from the user's prompt to the last answer of the model."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct, field

from placet.agent.agents.agent import Agent
from placet.agent.context.compaction_plan import CompactionOptions
from placet.agent.turn.doom_loop import LoopWatch
from placet.agent.turn.fallback import FallbackChain
from placet.agent.turn.meter import Meter, unmetered
from placet.core.effort import Effort
from placet.core.events import Update
from placet.core.messages import UserMessage
from placet.core.transcript import Transcript
from placet.extensions.command_hooks.session_hooks import NO_SESSION_HOOKS, SessionHooks
from placet.extensions.plugins.hooks import NO_HOOKS, Hooks
from placet.model.base import Model
from placet.tools.framework.context import NoteProgress, ToolContext
from placet.tools.framework.define import ReadyTool


class NewContext(Protocol):
    """Function of the session which makes the context of a call."""

    def __call__(self, *, message_id: str, call_id: str, tool: str, progress: NoteProgress) -> ToolContext: ...


async def _unchanged(turn: "Turn") -> "Turn":
    return turn


def _ignore() -> None:
    pass


_left_behind: set[asyncio.Task[Any]] = set()


def _leave_behind(task: asyncio.Task[Any]) -> None:
    _left_behind.add(task)
    task.add_done_callback(_left_behind.discard)


class Turn(Struct, frozen=True):
    """History, tools, model and functions of one turn. The session makes the turn for a prompt, and replaces the turn
    between two steps when a call has switched the agent.
    """

    user: UserMessage
    session_id: str
    agent: Agent
    model: Model
    system: tuple[str, ...]
    tools: Mapping[str, ReadyTool]
    transcript: Transcript
    """History, kept up to date by the receiver of `emit`."""
    emit: Callable[[Update], None]
    new_context: NewContext
    renewed: Callable[["Turn"], Awaitable["Turn"]] = _unchanged
    """Function which returns the turn for the next step, as a call may have switched the agent."""
    max_steps: int | None = None
    temperature: float | None = None
    effort: Effort | None = None
    """Effort of thinking; None: the model's own default."""
    max_output_tokens: int | None = None
    max_retry_wait_seconds: float = 60.0
    meter: Meter = unmetered
    """Meter through which the stream of every model call goes."""
    on_answer: Callable[[], None] = _ignore
    """Function to call when an answer of a model begins."""
    leave_behind: Callable[[asyncio.Task[Any]], None] = _leave_behind
    """Function which takes on a call which was cancelled and does not end soon."""
    compaction: CompactionOptions = field(default_factory=CompactionOptions)
    watch: LoopWatch = field(default_factory=LoopWatch)
    """Watch which knows the calls since the user's last words."""
    fallback_chain: FallbackChain = field(default_factory=FallbackChain)
    """Substitutes which answer when the model cannot."""
    hooks: Hooks = NO_HOOKS
    """Hooks of plugins."""
    command_hooks: SessionHooks = NO_SESSION_HOOKS
    """Commands that run at points of the turn."""
