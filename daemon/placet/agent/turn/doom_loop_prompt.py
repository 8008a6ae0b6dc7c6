"""Approval of loops: a loop which the model is about to close is put to the user before any of the calls is run."""

from collections.abc import Sequence

from placet.agent.turn.answer import ModelAnswer
from placet.agent.turn.doom_loop import Loop, LoopCall
from placet.agent.turn.turn import Turn
from placet.core.errors import NobodyToAsk, PermissionDenied, Rejected, TurnStopped
from placet.core.messages import JsonObject
from placet.permissions.ask import Ask


async def approve_of_loops(turn: Turn, answer: ModelAnswer, calls: Sequence[LoopCall]) -> str:
    """Tell the watch of the answer's calls, and ask the permission `doom_loop` for each loop which the calls close.

    Return the text which the model gets instead of results of the calls; an empty text if the calls may run. Raises
    TurnStopped when the user rejects the loop without a word, when the rules deny the loop, and when nobody can be
    asked.
    """
    for call, requested in zip(calls, answer.calls, strict=True):
        if (loop := turn.watch.calls(call)) is None:
            continue
        context = turn.new_context(
            message_id=answer.message_id, call_id=requested.call_id, tool=call.tool, progress=_no_progress
        )
        try:
            await context.ask(
                Ask("doom_loop", (call.tool,), (call.tool,), f"Continue, although the agent makes {loop}")
            )
        except (Rejected, PermissionDenied, NobodyToAsk) as refusal:
            if isinstance(refusal, Rejected) and refusal.feedback:
                return f"This call was not run: you make {loop}. The user says: {refusal.feedback}"
            raise _stopped(loop, refusal) from refusal
        turn.watch.approve(loop)
    return ""


def _stopped(loop: Loop, refusal: Rejected | PermissionDenied | NobodyToAsk) -> TurnStopped:
    match refusal:
        case Rejected():
            why = "the user did not let it go on"
        case PermissionDenied():
            why = "the rules for `doom_loop` do not let it go on"
        case NobodyToAsk():
            why = "nobody was there to ask whether it may go on"
    return TurnStopped(
        "doom_loop",
        f"The agent goes in circles: it makes {loop}. It was stopped, as {why}.",
        hint="Tell it what it is missing, or what to do instead.",
    )


def _no_progress(title: str | None = None, metadata: JsonObject | None = None) -> None:
    """Ignore the progress, as a call which is not run yet has no progress."""
