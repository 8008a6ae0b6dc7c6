"""One turn: ask the model, run the tools it calls, and ask again, until it has nothing more to call.

The loop takes a history, tools, a model and an `emit`; it knows no session, no store and no editor.
Invariant: however a turn ends, every tool call in it has exactly one result.
"""

import itertools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from placet.agent.agents import Agent
from placet.agent.answer import stream_answer
from placet.agent.tool_calls import NewContext, run_tool_calls
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


async def run_turn(turn: Turn) -> StopReason:
    """Run the turn to its end; every call is closed. Raises ModelError, CancelledError, and our own bugs."""
    try:
        for step in itertools.count(1):
            if turn.max_steps is not None and step > turn.max_steps:
                return "max_steps"
            answer = await stream_answer(turn)
            if not answer.calls:
                return "refused" if answer.finish == "content_filter" else "end_turn"
            if await run_tool_calls(turn, answer) == "rejected":
                return "rejected"
            turn = await turn.renewed(turn)
    except BaseException:
        for update in closing_updates(turn.transcript.messages, "This was interrupted before it finished."):
            turn.emit(update)
        raise
    raise AssertionError("a turn ends inside its loop")
