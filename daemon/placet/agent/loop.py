"""One turn: ask the model, run the tools it calls, and ask again, until it has nothing more to call.

The loop takes a history, tools, a model and an `emit`; it knows no session, no store and no editor.
Invariant: however a turn ends, every tool call in it has exactly one result.
"""

import itertools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from placet.agent.agents import Agent
from placet.agent.answer import stream_answer
from placet.agent.doom_loop import LoopWatch
from placet.agent.tool_calls import NewContext, run_tool_calls
from placet.errors import TurnStopped
from placet.events import Update
from placet.messages import StopReason, UserMessage
from placet.model.base import Model
from placet.tools.define import ReadyTool
from placet.transcript import Transcript, closing_updates


async def _unchanged(turn: "Turn") -> "Turn":
    return turn


@dataclass(frozen=True, slots=True)
class Turn:
    """All that one turn needs."""

    user: UserMessage
    session_id: str
    agent: Agent
    model: Model
    system: tuple[str, ...]
    tools: Mapping[str, ReadyTool]
    transcript: Transcript
    """The history, kept up to date by whoever `emit` reaches."""
    emit: Callable[[Update], None]
    new_context: NewContext
    renewed: Callable[["Turn"], Awaitable["Turn"]] = _unchanged
    """The turn for the next step, as a call may have switched the agent."""
    max_steps: int | None = None
    temperature: float | None = None
    max_output_tokens: int | None = None
    max_retry_wait_seconds: float = 60.0
    watch: LoopWatch = field(default_factory=LoopWatch)
    """Knows the calls since the user last said something."""


async def run_turn(turn: Turn) -> StopReason:
    """Run the turn to its end; every call is closed.

    Raises ModelError, TurnStopped, CancelledError, and our own bugs.
    """
    try:
        was_cut_off = False
        for step in itertools.count(1):
            if turn.max_steps is not None and step > turn.max_steps:
                return "max_steps"
            answer = await stream_answer(turn)
            if answer.finish == "content_filter" and not answer.calls:
                return "refused"
            if answer.calls and await run_tool_calls(turn, answer) == "rejected":
                return "rejected"
            if answer.is_cut_off and was_cut_off:
                raise _cut_off_again()
            was_cut_off = answer.is_cut_off
            turn = await turn.renewed(turn)
            if _was_steered(turn):
                turn = replace(turn, watch=LoopWatch())
            elif not answer.calls:
                return "end_turn"
    except BaseException:
        for update in closing_updates(turn.transcript.messages, "This was interrupted before it finished."):
            turn.emit(update)
        raise
    raise AssertionError("a turn ends inside its loop")


def _was_steered(turn: Turn) -> bool:
    """Whether the user has said something that the last answer could not know."""
    return isinstance(turn.transcript.messages[-1], UserMessage)


def _cut_off_again() -> TurnStopped:
    return TurnStopped(
        "cut_off",
        "The model's answer reached its greatest length within a tool call, twice in a row.",
        hint="Raise `modelOptions.maxOutputTokens`, or ask for the work in smaller pieces.",
    )
