"""Loop of a turn: ask the model, run the tools which the model calls, and ask again until the model calls no tool.

The loop takes a history, tools, a model and an `emit`; the loop knows no session, no store and no editor. Invariant:
however a turn ends, every tool call in the turn has exactly one result.
"""

import asyncio
import itertools

from placet.agent.texts import text_for
from placet.agent.turn.answer import ModelAnswer, stream_answer
from placet.agent.turn.compaction import compact, has_conversation, make_room
from placet.agent.turn.tool_calls import close_unrun, run_tool_calls
from placet.agent.turn.turn import Turn
from placet.core.errors import ModelError, TurnStopped
from placet.core.messages import StopReason, TextPart, UserMessage
from placet.core.transcript import closing_updates

MOST_KEPT_ON = 8
"""Limit on how often hooks make the model go on at the end of one turn."""


async def run_turn(turn: Turn) -> StopReason:
    """Run the turn to the end; every call is closed.

    Raises ModelError, TurnStopped, CancelledError, and our own bugs.
    """
    try:
        was_cut_off = False
        kept_on = 0
        for step in itertools.count(1):
            await asyncio.sleep(0)  # A turn stopped without anything to wait for must not ask the model again.
            is_last = turn.max_steps is not None and step >= turn.max_steps
            answer = await _answer(turn, step, is_last=is_last)
            if answer is None:
                if kept_on == MOST_KEPT_ON or not await _is_kept_on(turn, is_again=kept_on > 0):
                    return "end_turn"
                kept_on += 1
                continue
            if answer.finish == "content_filter" and not answer.calls:
                return "refused"
            if is_last:
                close_unrun(turn, answer, "This call was not run: the limit of steps was reached.")
                return "max_steps"
            if answer.calls and await run_tool_calls(turn, answer) == "rejected":
                return "rejected"
            if answer.finish == "length" and not answer.calls:
                raise _incomplete()
            if answer.is_cut_off and was_cut_off:
                raise _cut_off_again()
            was_cut_off = answer.is_cut_off
            turn = await turn.renewed(turn)
            if _was_steered(turn):
                turn.watch.begin_anew()
            elif not answer.calls:
                if kept_on == MOST_KEPT_ON or not await _is_kept_on(turn, is_again=kept_on > 0):
                    return "end_turn"
                kept_on += 1
    except BaseException:
        for update in closing_updates(turn.transcript.messages, "This was interrupted before it finished."):
            turn.emit(update)
        raise
    raise AssertionError("a turn ends inside its loop")


async def _answer(turn: Turn, step: int, *, is_last: bool) -> ModelAnswer | None:
    """Return the model's next answer, or None if a plugin ends the turn after a summary.

    A prompt is always answered; a plugin can only end the work that the model would go on with by itself.
    If necessary, room is made in the context before the request; if the context is too long all the same, the
    conversation is summed up and the model is asked again.
    """
    is_asked = step == 1 or _was_steered(turn)
    if await make_room(turn):
        if not is_asked and not await _continues(turn, overflow=False):
            return None
        turn = await turn.renewed(turn)
    reminders = (_last_step(turn),) if is_last else ()
    try:
        return await stream_answer(turn, reminders=reminders)
    except ModelError as error:
        may_compact = error.code == "context_overflow" and error.before_first_delta and turn.compaction.auto
        # Where nothing can be summed up, the error says what is too long.
        if not may_compact or not has_conversation(turn):
            raise
    await compact(turn, "overflow")
    if not is_asked and not await _continues(turn, overflow=True):
        return None
    turn = await turn.renewed(turn)
    return await stream_answer(turn, reminders=reminders)


async def _is_kept_on(turn: Turn, *, is_again: bool) -> bool:
    """Return whether a hook makes the model go on at the end of the turn."""
    if not turn.command_hooks.has(turn.command_hooks.end_event):
        return False
    from placet.agent.turn.command_hooks import goes_on

    return await goes_on(turn, is_again=is_again)


async def _continues(turn: Turn, *, overflow: bool) -> bool:
    """Return whether the turn goes on after a summary, as plugins decide."""
    if not turn.hooks.has("experimental.compaction.autocontinue"):
        return True
    from placet.agent.turn.plugin_hooks import continues_after_compaction

    return await continues_after_compaction(turn, overflow=overflow)


def _was_steered(turn: Turn) -> bool:
    """Return whether the user has said something which the last answer could not know."""
    return isinstance(turn.transcript.messages[-1], UserMessage)


def _incomplete() -> TurnStopped:
    return TurnStopped(
        "cut_off",
        "The model's answer reached the maximum length and is incomplete.",
        hint="Prompt again to continue, or raise `modelOptions.maxOutputTokens`.",
    )


def _last_step(turn: Turn) -> UserMessage:
    """Return the reminder of the last step as a user's message: no provider takes a begun answer of the model."""
    return UserMessage(
        id=f"{turn.user.id}_last", steers=turn.user.id, parts=(TextPart(text=text_for("last_step"), synthetic=True),)
    )


def _cut_off_again() -> TurnStopped:
    return TurnStopped(
        "cut_off",
        "The model's answer reached the maximum length within a tool call, twice in a row.",
        hint="Raise `modelOptions.maxOutputTokens`, or ask for smaller steps.",
    )
