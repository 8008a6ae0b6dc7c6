"""Requests from one process to another: the table, as two processes with a connection of their own see the table."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from ask_support.standing import QUESTION
from corpus_support import corpus
from placet.changes.review.requested_decisions import DecisionRequests, RequestOutcome
from placet.core.errors import StoreError
from placet.sessions.asks.pending_ask_models import StoredAnswer, pending_questions
from placet.sessions.asks.pending_asks import PendingAsks
from placet.storage.database import Database
from placet.storage.owner import this_process
from placet.storage.requests import Kind, Requests
from time_support import limited

DEAD = this_process().split(":")[0] + ":1"
"""Mark of a process that had this process's id before."""


class CountingDatabase(Database):
    """Database that counts the looks at its version and the reads of rows."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.looks = 0
        self._looked = asyncio.Event()
        self.reads: list[str] = []

    async def version(self) -> int:
        self.looks += 1
        self._looked.set()
        return (await super().read("PRAGMA data_version"))[0][0]

    async def until(self, looks: int) -> None:
        while self.looks < looks:
            self._looked.clear()
            await self._looked.wait()

    async def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        self.reads.append(sql)
        return await super().read(sql, parameters)


class Processes:
    """Asking process and answering process on one store."""

    def __init__(self, path: Path) -> None:
        self.asker, self.other = CountingDatabase(path), Database(path)

    def requests(self, kind: Kind) -> tuple[Requests, Requests]:
        return Requests(self.asker, kind), Requests(self.other, kind)


@pytest_asyncio.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    processes = Processes(tmp_path / "placet.db")
    yield processes
    await processes.asker.close()
    await processes.other.close()


async def row(database: Database, request_id: str) -> tuple[Any, ...]:
    columns = "asked, answer, taken, outcome"
    [row] = await database.read(f"SELECT {columns} FROM waiting WHERE id = ?", (request_id,))
    return tuple(row)


async def asked_question(database: Database) -> object:
    asks = PendingAsks(database, look_seconds=0.001)
    return await asks.answer_from_elsewhere("ask_1", "ses_1", pending_questions([QUESTION]))


async def answer_question(database: Database) -> object:
    given = StoredAnswer(outcome="once", answers=(("left",),))
    assert await PendingAsks(database).give("ask_1", given)
    return given


async def end_of_question(database: Database) -> object:
    await Requests(database, "ask").add("ask_1", "ses_1", "{}")
    return await PendingAsks(database, look_seconds=0.004).taken("ask_1", 1000)


async def end_question(database: Database) -> object:
    assert await PendingAsks(database).end("ask_1") is None
    return "here"


async def asked_decision(database: Database) -> object:
    async def work() -> Callable[[], bool]:
        return lambda: True

    return await DecisionRequests(database, look_seconds=0.001).ask("ses_1", (), work)


async def decide(database: Database) -> object:
    table = DecisionRequests(database)
    taken = await table.take("ses_1")
    assert taken is not None
    await table.answer(taken.id, RequestOutcome())
    return []


Wait = Callable[[Database], Coroutine[Any, Any, object]]
Answer = Callable[[Database], Awaitable[object]]


@corpus(
    ("wait", "answer"),
    [(asked_question, answer_question), (end_of_question, end_question), (asked_decision, decide)],
)
async def test_a_wait_reads_rows_only_after_another_process_has_written(
    wait: Wait, answer: Answer, tmp_path: Path
) -> None:
    processes = Processes(tmp_path / "placet.db")
    waiting = asyncio.create_task(wait(processes.asker))
    async with limited(lambda: f"looks; there were {processes.asker.looks}"):
        await processes.asker.until(3)
        reads = list(processes.asker.reads)
        await processes.asker.until(20)
    assert reads, "a first read"
    assert processes.asker.reads == reads, "no read without a write"
    expected = await answer(processes.other)
    assert await waiting == expected
    await processes.asker.close()
    await processes.other.close()


async def test_a_watch_sees_each_write_of_another_process_and_no_write_of_its_own(processes: Processes) -> None:
    asks, other = processes.requests("ask")
    watch = processes.asker.watch()
    assert await watch.has_changed(), "the first look"
    await asks.add("ask_1", "ses_1", "{}")
    assert not await watch.has_changed()
    assert await other.answer("ask_1", "{}")
    assert await watch.has_changed()
    assert not await watch.has_changed()


async def test_each_kind_of_request_is_listed_taken_and_known_apart_from_the_other(processes: Processes) -> None:
    asks, decisions = Requests(processes.asker, "ask"), Requests(processes.asker, "decision")
    await asks.add("req_1", "ses_1", "question")
    await decisions.add("dec_1", "ses_1", "decision")
    assert [request.id for request in await asks.listing()] == ["req_1"]
    assert [request.id for request in await decisions.listing()] == ["dec_1"]
    assert (await asks.ids("dec_1"), await decisions.ids("dec_1")) == ([], ["dec_1"])
    taken = await decisions.take("ses_1")
    assert taken is not None
    assert (taken.id, taken.body) == ("dec_1", "decision")
    assert await decisions.take("ses_1") is None


async def test_the_first_of_two_answers_counts(processes: Processes) -> None:
    asks, other = processes.requests("ask")
    await asks.add("req_1", "ses_1", "question")
    assert [await other.answer("req_1", "first"), await other.answer("req_1", "second")] == [True, False]
    assert await other.listing() == []
    assert await asks.end("req_1") == "first"
    assert not await other.answer("req_1", "third")


async def test_a_request_that_was_taken_answered_or_ended_is_not_taken_back(processes: Processes) -> None:
    decisions, other = processes.requests("decision")
    for request_id in ("dec_1", "dec_2", "dec_3"):
        await decisions.add(request_id, "ses_1", "decision")
    taken = await other.take("ses_1")
    assert taken is not None
    assert taken.id == "dec_1"
    assert await other.answer("dec_2", "answer")
    taken_back = [await decisions.take_back(request_id) for request_id in ("dec_1", "dec_2", "dec_3", "dec_3", "dec_4")]
    assert taken_back == [False, False, True, False, False]
    assert await other.take("ses_1") is None


async def test_the_end_of_a_request_removes_what_was_asked_and_answered_and_keeps_the_id(processes: Processes) -> None:
    asks, other = processes.requests("ask")
    for request_id in ("req_1", "req_2", "req_3", "req_4"):
        await asks.add(request_id, "ses_1", "question")
    await other.answer("req_1", "answer")
    await asks.end("req_1")
    await asks.end("req_2")
    asks.withdraw("req_3")
    assert await asks.take_back("req_4")
    rows = [await row(processes.asker, request_id) for request_id in ("req_1", "req_2", "req_3", "req_4")]
    assert rows == [("", None, None, outcome) for outcome in ("elsewhere", "here", "withdrawn", "withdrawn")]
    assert await other.ids("req_") == ["req_4", "req_3", "req_2", "req_1"]


@pytest.mark.parametrize("kind", ["ask", "decision"])
async def test_open_requests_of_dead_processes_go_with_the_next_and_ended_requests_after_a_day(
    processes: Processes, kind: Kind
) -> None:
    requests, other = processes.requests(kind)
    for request_id in ("req_1", "req_2", "req_3"):
        await requests.add(request_id, "ses_1", "body")
    await requests.end("req_2")
    await requests.end("req_3")
    processes.asker.write("UPDATE waiting SET owner = ?", (DEAD,))
    processes.asker.write("UPDATE waiting SET ended = 1 WHERE id = 'req_3'")
    await processes.asker.flushed()
    assert await other.listing() == []
    assert await other.take("ses_1") is None
    await other.add("req_4", "ses_1", "body")
    assert await other.ids("req_") == ["req_4", "req_2"]


async def test_a_withdrawal_after_the_end_of_the_store_is_no_error(tmp_path: Path) -> None:
    database = Database(tmp_path / "placet.db")
    requests = Requests(database, "ask")
    await requests.add("req_1", "ses_1", "body")
    await database.close()
    requests.withdraw("req_1")
    with pytest.raises((RuntimeError, StoreError)):
        await requests.end("req_1")


async def test_an_older_placet_that_still_runs_goes_on_asking_and_its_questions_are_answered(
    processes: Processes,
) -> None:
    """The statements are those of the Placet before the two tables became one."""
    body = pending_questions([QUESTION]).model_dump_json(by_alias=True, exclude_none=True)
    insert = "INSERT INTO waiting (id, session_id, owner, created, asked) VALUES ('ask_1', 'ses_1', ?, 1, ?)"
    processes.asker.write(insert, (this_process(), body))
    columns = "id, title, agent, model, roots, created, updated"
    processes.asker.write(f"INSERT INTO session ({columns}) VALUES ('ses_1', '', '', '', '[]', 0, 0)")
    insert = "INSERT INTO requested_decision (id, session_id, asker, decisions) VALUES ('dec_1', 'ses_1', ?, '[]')"
    processes.asker.write(insert, (this_process(),))
    await processes.asker.flushed()
    asks = PendingAsks(processes.other)
    assert [ask.asked.title for ask in await asks.listing()] == ["Which one?"]
    given = StoredAnswer(outcome="reject")
    assert await asks.give("ask_1", given)
    [[answer]] = await processes.asker.read("SELECT answer FROM waiting WHERE id = 'ask_1'")
    assert StoredAnswer.model_validate_json(answer) == given
