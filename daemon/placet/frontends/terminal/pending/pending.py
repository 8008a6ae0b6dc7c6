"""`placet pending`, `placet approve`, `placet reject`: list and answer requests of any Placet of this user.

Any terminal can answer.
"""

import argparse
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from placet.core.errors import PlacetError, RequestError, StoreError
from placet.core.ids import short_id
from placet.core.ports import Question
from placet.core.visible_text import one_line
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import complain, say, say_json
from placet.frontends.terminal.pending.row import row
from placet.project.processes.child import MARK
from placet.sessions.asks.pending_ask_models import PendingPermission, PendingQuestions, StoredAnswer, chosen_labels
from placet.sessions.asks.pending_asks import PendingAsk, PendingAsks
from placet.storage.database import Database
from placet.text.counted import counted

TAKEN_SECONDS = 5.0
"""Longest wait for the asking process to take the answer, before the command reports a failure."""

MOST_NAMED = 5
"""Largest number of ids in a message about ids that begin alike."""


class Late(PlacetError):
    """The request was answered elsewhere, or is no longer asked."""


async def waiting(options: argparse.Namespace) -> ExitCode:
    """Run the command; a failure is a message on stderr and an exit code."""
    if options.command != "pending" and MARK in os.environ:
        message = "this command runs inside a command of an agent, and only you can answer: use a terminal of your own"
        complain(message)
        return ExitCode.USAGE
    try:
        async with _opened() as asks:
            match options.command:
                case "pending":
                    await _pending(asks, options.id, as_json=options.json)
                case "approve":
                    chosen = await _chosen(asks, None if options.last else options.id)
                    given = _approval(chosen.asked, options.always, options.hunks, options.answer)
                    await _give(asks, chosen, given)
                case "reject":
                    chosen = await _chosen(asks, None if options.last else options.id)
                    await _give(asks, chosen, StoredAnswer(outcome="reject", message=options.message))
                case command:
                    raise AssertionError(command)
    except (StoreError, Late) as error:
        complain(str(error))
        return ExitCode.FAILED
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE
    return ExitCode.DONE


@asynccontextmanager
async def _opened() -> AsyncGenerator[PendingAsks]:
    """Open the waiting requests; the store and the requests belong to this user alone."""
    database = Database(usable_locations().store)
    try:
        yield PendingAsks(database)
    finally:
        await database.close()


async def _pending(asks: PendingAsks, ask_id: str | None, *, as_json: bool) -> None:
    if ask_id is not None:
        chosen = await _chosen(asks, ask_id)
        if as_json:
            _print_json(chosen.dump())
        else:
            from placet.frontends.terminal.pending.view import whole
            from placet.frontends.terminal.terminal_escape import PipedConsole

            PipedConsole(highlight=False, soft_wrap=True).print(whole(chosen))
        return
    pending_asks = await asks.listing()
    if as_json:
        _print_json([pending.dump() for pending in pending_asks])
    elif pending_asks:
        from placet.frontends.terminal.table import print_table

        print_table(("ID", ">AGE", "SESSION", "WHAT"), [row(pending) for pending in pending_asks])
    else:
        say("No request waits for an answer.")


async def _chosen(asks: PendingAsks, ask_id: str | None) -> PendingAsk:
    """Return the request whose id begins so, or without an id the latest request. Raises RequestError and Late."""
    pending_asks = await asks.listing()
    if ask_id is None:
        if not pending_asks:
            raise RequestError("No request waits for an answer.")
        return pending_asks[-1]
    known = await asks.known(ask_id)
    if len(known) > 1:
        named = ", ".join(map(short_id, known[:MOST_NAMED]))
        others = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
        raise RequestError(f"Several requests begin with `{ask_id}`: {named}{others}. Write more of the id.")
    if chosen := next((pending for pending in pending_asks if pending.id in known), None):
        return chosen
    if known:
        raise Late(f"The request {ask_id} no longer waits: it was answered elsewhere, or its turn has ended.")
    others = "`placet pending` lists the waiting requests" if pending_asks else "no request waits"
    raise RequestError(f"There is no waiting request {ask_id}; {others}.")


def _approval(
    asked: PendingPermission | PendingQuestions,
    always: str | None,
    hunks: tuple[int, ...] | None,
    answers: Sequence[str] | None,
) -> StoredAnswer:
    """Return the answer by the options. Raises RequestError for an option that does not fit the request."""
    match asked:
        case PendingQuestions(questions=questions):
            if not answers or len(answers) != len(questions):
                subject = "a question" if len(questions) == 1 else f"{len(questions)} questions"
                raise RequestError(
                    f"This is {subject}: give --answer TEXT {'once' if len(questions) == 1 else 'for each'}."
                )
            given = tuple(_labels(question, text) for question, text in zip(questions, answers, strict=True))
            return StoredAnswer(outcome="once", answers=given)
        case PendingPermission() if answers:
            raise RequestError("The request is not a question: approve or reject the request without --answer.")
        case PendingPermission(always=offered) if always is not None:
            scopes = {offer.scope: offer for offer in offered}
            if always not in scopes:
                possible = f"--always {' or '.join(scopes)}" if scopes else "no --always"
                raise RequestError(f"Nothing was granted: this request offers {possible}.")
            return StoredAnswer(outcome="always", scope=scopes[always].scope)
        case PendingPermission(pieces=pieces) if hunks is not None:
            if hunks[-1] > len(pieces):
                raise RequestError(
                    f"There is no hunk {hunks[-1]}: the change has {counted(len(pieces), 'hunk')} "
                    "(`placet pending ID`)."
                )
            return StoredAnswer(outcome="once", pieces=None if len(hunks) == len(pieces) else hunks)
        case PendingPermission():
            return StoredAnswer(outcome="once")


def _labels(question: Question, text: str) -> tuple[str, ...]:
    """Return the labels chosen_labels by the text: an option, a number, several of these with commas, or other words.

    Raises RequestError if the text is none of the answers.
    """
    if labels := chosen_labels([option.label for option in question.options], text, several=question.multiple):
        return labels
    if not question.custom or not text.strip():
        options = ", ".join(f"{number}. {option.label}" for number, option in enumerate(question.options, start=1))
        raise RequestError(f"`{text}` is not one of the answers: {options}.")
    return (text,)


async def _give(asks: PendingAsks, chosen: PendingAsk, given: StoredAnswer) -> None:
    """Give the answer. Raises Late if another answer came first, or if the asking process does not take this answer."""
    if not await asks.give(chosen.id, given):
        raise Late(
            f"The request {short_id(chosen.id)} was answered elsewhere in the meantime. This command changed nothing."
        )
    match await asks.taken(chosen.id, TAKEN_SECONDS):
        case "elsewhere":
            say(f"{_outcome_text(chosen, given)}: {one_line(chosen.asked.title)}")
        case None:
            raise Late(f"The answer is stored, but the asking process {chosen.process_id} has not read the answer yet.")
        case _:
            raise Late(f"The request {short_id(chosen.id)} no longer waits: its turn has ended. Nothing was done.")


def _outcome_text(chosen: PendingAsk, given: StoredAnswer) -> str:
    if isinstance(chosen.asked, PendingQuestions):
        return "Declined" if given.outcome == "reject" else "Answered"
    match given.outcome:
        case "reject":
            return "Rejected"
        case "always":
            return {"session": "Allowed in this session", "project": "Allowed in this project", "user": "Allowed"}[
                given.scope
            ]
        case "once":
            part = "" if given.pieces is None else f", {len(given.pieces)} of {len(chosen.asked.pieces)} hunks"
            return f"Allowed once{part}"


def _print_json(value: object) -> None:
    say_json(value)
