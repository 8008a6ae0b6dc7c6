"""An ask is ended by one answer, be it given on the screen or by another process through the store."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from ask_support.standing import CHANGE, QUESTION, A, B, SlowUser, request
from changes_support.answers import answering
from placet.core.errors import NobodyToAsk, StoreError
from placet.core.ports import PermissionAnswer, Question, QuestionOption
from placet.core.values import replace
from placet.sessions.asks import cross_process_approver
from placet.sessions.asks.cross_process_approver import CrossProcessApprover
from placet.sessions.asks.pending_ask_models import (
    PendingPermission,
    PendingQuestions,
    StoredAnswer,
    pending_permission,
    permission_answer,
)
from placet.sessions.asks.pending_asks import PendingAsk, PendingAsks
from placet.storage.database import Database
from placet.storage.owner import this_process
from time_support import limited


class Desk:
    """Who asks, and another process that looks."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.asker, self.other = Database(file), Database(file)
        self.user = SlowUser()
        self.asks = PendingAsks(self.other, look_seconds=0.01)
        self.approver = CrossProcessApprover(self.user, PendingAsks(self.asker, look_seconds=0.01))

    async def waiting(self) -> PendingAsk:
        """The one that waits, once it does."""
        async with limited(lambda: "an ask in the store"):
            while not (found := await self.asks.listing()):  # noqa: ASYNC110 - a store tells nobody
                await asyncio.sleep(0.01)
        [one] = found
        return one

    def row(self) -> tuple[str, str]:
        with sqlite3.connect(self.file) as connection:
            [row] = connection.execute("SELECT outcome, asked FROM waiting").fetchall()
        connection.close()
        return row


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path / "placet.db")
    yield desk
    await desk.asker.close()
    await desk.other.close()


async def test_an_answer_from_another_process_takes_the_question_off_the_screen(desk: Desk) -> None:
    asking = asyncio.ensure_future(desk.approver.request_permission(request(change=CHANGE)))
    waiting = await desk.waiting()
    assert isinstance(waiting.asked, PendingPermission)
    assert (waiting.asked.title, waiting.asked.permission) == ("edit a.txt", "edit")
    assert [(piece.file, piece.line, piece.kind) for piece in waiting.asked.pieces] == [
        ("a.txt", 4, "modify"),
        ("a.txt", 16, "modify"),
        ("b.txt", 0, "delete"),
    ]
    assert waiting.asked.pieces[0].lines[2:6] == (" line 2", "-line 3", "+line three", " line 4")

    assert await desk.asks.give(waiting.id, StoredAnswer(outcome="once", pieces=(2, 3)))
    assert await asking == answering({A: {2}, B: set()})(request(change=CHANGE))
    assert desk.user.taken_off.is_set()
    assert await desk.asks.taken(waiting.id, 60) == "elsewhere"
    assert desk.row() == ("elsewhere", ""), "what was asked is not kept"
    assert not await desk.asks.give(waiting.id, StoredAnswer(outcome="reject")), "a second answer"


async def test_an_answer_on_the_screen_comes_before_one_from_elsewhere(desk: Desk) -> None:
    asking = asyncio.ensure_future(desk.approver.request_permission(request()))
    waiting = await desk.waiting()
    desk.user.word.set_result(PermissionAnswer("reject", feedback="no"))
    assert await asking == PermissionAnswer("reject", feedback="no")
    assert not await desk.asks.give(waiting.id, StoredAnswer(outcome="once"))
    assert await desk.asks.taken(waiting.id, 60) == "here"
    assert await desk.asks.listing() == []


async def test_of_two_answers_at_once_the_one_that_is_stored_first_counts(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "placet.db")
    desk.approver = CrossProcessApprover(desk.user, PendingAsks(desk.asker, look_seconds=60))
    asking = asyncio.ensure_future(desk.approver.request_permission(request()))
    waiting = await desk.waiting()
    assert await desk.asks.give(waiting.id, StoredAnswer(outcome="always"))
    desk.user.word.set_result(PermissionAnswer("reject"))
    assert await asking == PermissionAnswer("always")
    await desk.asker.close()
    await desk.other.close()


async def test_a_question_is_answered_and_declined_from_elsewhere(desk: Desk) -> None:
    for given, expected in (
        (StoredAnswer(outcome="once", answers=(("left",),)), [["left"]]),
        (StoredAnswer(outcome="reject"), None),
    ):
        asking = asyncio.ensure_future(desk.approver.ask("ses_1", [QUESTION]))
        waiting = await desk.waiting()
        assert waiting.asked.title == "Which one?"
        assert await desk.asks.give(waiting.id, given)
        assert await asking == expected


async def test_a_question_with_a_secret_answer_is_not_put_into_the_store(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_process_approver, "AT_ONCE_SECONDS", 0)
    asking = asyncio.ensure_future(desk.approver.ask("ses_1", [replace(QUESTION, secret=True), QUESTION]))
    await asyncio.sleep(0)
    asking_elsewhere = asyncio.ensure_future(desk.approver.ask("ses_1", [QUESTION]))
    assert (await desk.waiting()).asked.title == "Which one?"
    desk.user.word.set_result([["hush"], ["left"]])
    assert await asking == [["hush"], ["left"]]
    await asking_elsewhere
    await desk.asker.flushed()
    with sqlite3.connect(desk.file) as connection:
        assert connection.execute("SELECT COUNT(*) FROM waiting").fetchone() == (1,)
    connection.close()


async def test_a_question_shows_no_controls_and_its_answer_is_as_its_asker_spelled_it(desk: Desk) -> None:
    options = (QuestionOption("le\x1b[2Jft", "one\ntwo"), QuestionOption("right"))
    hostile = Question("a\nb", "Which?\x1b[2J\n\u202eThis one?", options)
    asking = asyncio.ensure_future(desk.approver.ask("ses_1", [hostile]))
    waiting = await desk.waiting()
    assert isinstance(waiting.asked, PendingQuestions)
    [shown] = waiting.asked.questions
    assert (shown.header, shown.question) == ("a b", "Which?\ufffd[2J\n\ufffdThis one?")
    assert [(one.label, one.description) for one in shown.options] == [("le\\u001b[2Jft", "one two"), ("right", "")]
    assert await desk.asks.give(waiting.id, StoredAnswer(outcome="once", answers=(("le\\u001b[2Jft",),)))
    assert await asking == [["le\x1b[2Jft"]]


async def test_a_question_whose_turn_is_stopped_waits_no_more(desk: Desk) -> None:
    asking = asyncio.ensure_future(desk.approver.request_permission(request()))
    waiting = await desk.waiting()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert desk.user.taken_off.is_set()
    await desk.asker.flushed()
    assert await desk.asks.listing() == []
    assert await desk.asks.taken(waiting.id, 60) == "withdrawn"


async def test_a_question_whose_turn_is_stopped_again_and_again_waits_no_more(desk: Desk) -> None:
    asking = asyncio.ensure_future(desk.approver.request_permission(request()))
    waiting = await desk.waiting()
    while not asking.done():
        asking.cancel()
        await asyncio.sleep(0)
    await desk.asker.flushed()
    assert await desk.asks.listing() == []
    assert await desk.asks.taken(waiting.id, 60) == "withdrawn"


async def test_an_editor_that_goes_ends_its_questions(desk: Desk) -> None:
    asking = asyncio.ensure_future(desk.approver.request_permission(request()))
    await desk.waiting()
    desk.user.word.set_exception(NobodyToAsk("The editor is gone."))
    with pytest.raises(NobodyToAsk, match="gone"):
        await asking
    assert await desk.asks.listing() == []


async def test_what_answers_by_itself_is_not_written_down(desk: Desk) -> None:
    desk.user.word.set_result(PermissionAnswer("once"))
    assert await desk.approver.request_permission(request()) == PermissionAnswer("once")
    await desk.asker.flushed()
    with sqlite3.connect(desk.file) as connection:
        assert connection.execute("SELECT count(*) FROM waiting").fetchone() == (0,)
    connection.close()


async def test_asks_of_dead_processes_are_not_shown_and_forgotten_with_the_next(desk: Desk) -> None:
    asking = asyncio.ensure_future(desk.approver.request_permission(request()))
    waiting = await desk.waiting()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    dead = this_process().split(":")[0] + ":1"
    revive = "UPDATE waiting SET ended = NULL, outcome = NULL, owner = ?, asked = ?"
    await asyncio.wrap_future(desk.asker.write(revive, (dead, waiting.asked.model_dump_json())))
    assert await desk.asks.listing() == []

    other = asyncio.ensure_future(desk.approver.request_permission(request("run make")))
    assert (await desk.waiting()).asked.title == "run make"
    assert await desk.asks.known(waiting.id) == []
    other.cancel()
    await asyncio.gather(other, return_exceptions=True)


async def test_a_store_that_fails_leaves_the_screen_to_answer(tmp_path: Path) -> None:
    file = tmp_path / "placet.db"
    file.write_text("this is no database, and long enough to be seen as none by whoever opens it" * 20)
    desk = Desk(file)
    asking = asyncio.ensure_future(desk.approver.request_permission(request()))
    with pytest.raises(StoreError):
        await desk.asker.flushed()
    done, _ = await asyncio.wait((asking,), timeout=0.1)
    assert not done
    desk.user.word.set_result(PermissionAnswer("once"))
    assert await asking == PermissionAnswer("once")
    await desk.asker.close()
    await desk.other.close()


def test_parts_that_there_are_not_allow_nothing() -> None:
    given = StoredAnswer(outcome="once", pieces=(7,), message="why")
    assert permission_answer(request(change=CHANGE), given) == PermissionAnswer("reject", feedback="why")


def test_a_lone_surrogate_can_be_written_down() -> None:
    assert pending_permission(request("cat \ud800")).title == "cat \ufffd"
