"""Two Placets on one store."""

import asyncio
import json
import os
import sqlite3
from asyncio.subprocess import Process
from typing import Any

import pytest
import pytest_asyncio

from fork_support import ForkedProcess, start_module
from placet.core.errors import RequestError
from placet.core.events import UserMessageAdded
from placet.core.messages import TextPart, ToolPart, UserMessage
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
USAGE = {"usage": {"input": 10, "output": 5}, "cost": 0.25}
ROUNDS = 8


@pytest.fixture
def services(tmp_path):
    return TempServices(tmp_path)


@pytest_asyncio.fixture
async def start(services):
    """Starts the other one."""
    started: list[Process | ForkedProcess] = []

    async def start(*work: str) -> Process | ForkedProcess:
        process = await start_module("services_support.worker", str(services.directory), *work)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def told(process: Process | ForkedProcess) -> dict[str, Any]:
    """The next line it says."""
    assert process.stdout is not None
    line = await process.stdout.readline()
    if not line:
        _, complaint = await process.communicate()
        raise AssertionError(complaint.decode())
    return json.loads(line)


async def test_two_processes_at_work_on_one_store_lose_and_corrupt_nothing(services, start):
    async with services.open() as sessions:
        shared = (await sessions.create(title="Shared")).info.id
    both = [await start("work", name, str(ROUNDS), shared) for name in ("ada", "bob")]
    results = await asyncio.gather(*(told(process) for process in both))
    assert [await process.wait() for process in both] == [0, 0]

    with sqlite3.connect(services.locations.store) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("SELECT count(*) FROM session WHERE owner != ''").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM change WHERE state = 'planned'").fetchone() == (0,)
    connection.close()
    for name in ("ada", "bob"):
        assert (services.project / f"{name}.txt").read_text() == "old\n"
    ended = sum(result.get("ended", 0) for result in results)
    assert ended + sum(result.get("refused", 0) for result in results) == 2 * ROUNDS
    assert ended > 0
    async with services.open() as sessions:
        listed, _ = await sessions.list(limit=1000)
        assert len(listed) == 1 + sum(result["kept"] for result in results)
        for info in listed:
            messages = (await sessions.load(info.id)).messages
            prompts = [one for one in messages if isinstance(one, UserMessage)]
            assert [one.stop_reason for one in prompts] == ["end_turn"] * (ended if info.id == shared else 1)
            calls = [part for message in messages for part in message.parts if isinstance(part, ToolPart)]
            assert {call.state.status for call in calls} <= {"completed"}
        days = await sessions._services.store.accounts.by_day(1)
        assert sum(day.cost for day in days) == 0.25 * (2 * ROUNDS + ended)


async def test_a_session_deleted_while_another_process_reads_it_is_gone_for_that_one_too(services, start):
    async with services.open(services.script(*[[{"text": "Many a word. " * 1000}, USAGE]] * 20)) as sessions:
        session = await sessions.create(title="T")
        for _ in range(20):
            await session.prompt(GO)
        await session.catch_up()
        reader = await start("read", session.info.id)
        await told(reader)
        await sessions.delete(session.info.id)
        assert (await told(reader))["reads"] >= 1
        assert await reader.wait() == 0


async def test_a_session_deleted_under_another_process_ends_its_turn_with_the_reason_and_harms_nothing_else(
    services, start
):
    async with services.open(services.script([{"text": "One."}])) as sessions:
        session = await sessions.create(title="T")
        await session.prompt(GO)
        await session.catch_up()
        keeper = await start("keep", session.info.id)
        assert (await told(keeper))["messages"] == 2
        await sessions.delete(session.info.id)
        keeper.stdin.write(b"\n")
        said = await told(keeper)

        assert said["stop_reason"] == "error"
        assert "There is no session" in said["error"]
        assert said["elsewhere"] == "end_turn"
        assert await keeper.wait() == 0
        rows = await sessions._services.database.read("SELECT * FROM message WHERE session_id = ?", (session.info.id,))
        assert rows == []


async def test_what_another_process_added_is_taken_in_before_going_on(services, start):
    async with services.open(services.script([{"text": "One."}], [{"text": "Three."}])) as sessions:
        session = await sessions.create(title="T")
        await session.prompt(GO)
        keeper = await start("keep", session.info.id)
        await told(keeper)
        await session.prompt(GO)
        await session.catch_up()  # So that the store has its end.
        keeper.stdin.write(b"\n")
        said = await told(keeper)
        assert (said["stop_reason"], said["messages"]) == ("end_turn", 6)
        assert await keeper.wait() == 0

        again = await sessions.load(session.info.id)
        assert again is session
        assert len(again.messages) == 6
        assert again.replay()[-1].update.kind == "turn_ended"


async def test_a_session_at_work_elsewhere_is_not_changed_but_can_be_copied(services):
    async with services.open(services.script([{"text": "One."}], [{"text": "I wait."}, {"wait": "never"}])) as sessions:
        session = await sessions.create(title="Busy")
        await session.prompt(GO)
        turn = asyncio.create_task(session.prompt(GO))
        while sum(kind == "agent_message_chunk" for kind in services.screen.kinds()) < 2:
            await services.screen.wait_for_more()
        await session.catch_up()
        database = sessions._services.database
        # As the other process sees it: at work in one that lives, which is not this one.
        owned = database.write("UPDATE session SET owner = ? WHERE id = ?", (f"{os.getppid()}:", session.info.id))
        await asyncio.wrap_future(owned)
        async with TempServices(services.directory).open() as others:
            for change in (others.load(session.info.id), others.delete(session.info.id)):
                with pytest.raises(RequestError, match="in use by another Placet"):
                    await change
            with pytest.raises(RequestError, match="in use by another Placet"):
                await others._library.get().rename(session.info.id, "Mine")
            fork = await others.fork(session.info.id)
            assert len(fork.messages) == 2
            assert "One." in await others.export(session.info.id, "markdown")
        assert not turn.done()


async def test_a_session_renamed_by_another_process_is_seen_to_be(services):
    async with services.open() as sessions, TempServices(services.directory).open() as others:
        session = await sessions.create(title="Mine")
        await others._library.get().rename(session.info.id, "Theirs")
        assert (await sessions.load(session.info.id)).info.title == "Theirs"


async def test_a_way_of_reviewing_is_told_to_the_screens_also_when_another_process_chose_the_way(services):
    async with services.open() as sessions, TempServices(services.directory).open() as others:
        session = await sessions.create(title="T")
        theirs = await others.load(session.info.id)
        await session.choices.set_review("apply")
        await (await others.load(theirs.info.id)).choices.set_review("stage")
        assert (await sessions.load(session.info.id)).choices.review == "stage"
        updates = [event.update for event in services.screen.events if event.update.kind == "review_mode_update"]
        assert [update.review for update in updates] == ["apply", "stage"]


async def test_a_session_that_nobody_else_has_taken_is_not_read_again(services):
    async with services.open(services.script(*[[{"text": "One."}]] * 3)) as sessions:
        session = await sessions.create(title="T")
        transcript = session._recorder.transcript
        for _ in range(3):
            await session.prompt(GO)
            assert await sessions.load(session.info.id) is session
        assert session._recorder.transcript is transcript


async def test_what_is_still_written_to_a_deleted_session_is_dropped_and_harms_nothing(services):
    async with (
        services.open(services.script([{"text": "One."}])) as sessions,
        TempServices(services.directory).open() as others,
    ):
        session = await sessions.create(title="T")
        await session.prompt(GO)
        await others.delete(session.info.id)

        await session.choices.set_title("Too late")
        session._recorder.emit(UserMessageAdded(message=UserMessage(parts=(TextPart(text="Too late."),))))
        await session._recorder.flushed()

        with pytest.raises(RequestError, match="There is no session"):
            await sessions.load(session.info.id)
        assert await sessions._services.database.read("SELECT id FROM session UNION SELECT id FROM message") == []
        await sessions.create(title="T")


async def test_whatever_another_process_chose_for_a_session_is_seen_and_kept_each_time(services):
    model = services.script(*[[{"text": "One."}]] * 2)
    async with services.open(model) as sessions, TempServices(services.directory).open(model) as others:
        session = await sessions.create(title="Mine")
        theirs = await others.load(session.info.id)
        for title in ("First", "Second", "Third"):
            await theirs.choices.set_title(title)
            assert (await sessions.load(session.info.id)).info.title == title
        await theirs.choices.set_agent("plan")
        await session.prompt(GO)

        info = await others.info(session.info.id)
        assert (info.title, info.agent) == ("Third", "plan")
