"""Decisions about the change set of a session in which another process is at work."""

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest
import pytest_asyncio
from lsprotocol.types import ShowMessageParams

from change_set_support import DONE, GO, decide, edit, read, told, whole
from fork_support import ForkedProcess, start_module
from placet.agent.commands.template import CommandCall
from placet.changes.review import requested_decisions
from placet.changes.review.decisions import Reviews
from placet.changes.review.parts import DecisionOutcome
from placet.changes.review.requested_decisions import DecisionRequests, RequestOutcome
from placet.changes.review.staged_file import StagedView
from placet.core.errors import AtWorkElsewhere, RequestError
from placet.core.hunks import Decision
from placet.core.ports import FileEdit, FileOutcome
from placet.frontends.acp.commands.run import carried_out
from placet.frontends.lsp.asks.message_prompt import MessagePrompt
from placet.frontends.lsp.generic.change_set import GenericChangeSet
from placet.project.files.disk import DiskDocuments
from placet.project.paths import Workspace
from placet.sessions.session import Session
from placet.sessions.store.session_store import SessionStore
from placet.sessions.turns import decision_watch
from placet.storage import requests as requests_module
from placet.storage.database import Database, StoreWatch
from placet.storage.owner import is_alive
from placet.storage.requests import Requests
from services_support import TempServices
from time_support import limited

LINES = "".join(f"a.txt {number}\n" for number in range(9))
ACCEPTED = LINES.replace("a.txt 1\n", "one\n")


class GatedDocuments(DiskDocuments):
    """Documents that are written only once the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.is_writing = asyncio.Event()
        self.gate = asyncio.Event()

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        self.is_writing.set()
        await self.gate.wait()
        return await super().apply(edits, edit_id=edit_id, label=label, turn_id=turn_id)


class Pair:
    """A Placet whose turn waits for the file `go`, and another Placet on the same store."""

    def __init__(self, directory: Path) -> None:
        self.services, self.others = TempServices(directory), TempServices(directory)
        self.file = self.services.project / "a.txt"
        self.file.write_text(LINES)
        self._go = directory / "go"

    @asynccontextmanager
    async def at_work(self, *more: list[dict[str, Any]]) -> AsyncGenerator[tuple[Session, Session]]:
        """Yield the session at work, with a staged change, and the session as the other Placet shows the session."""
        model = self.services.script(
            read("a.txt"), edit("a.txt", 1, "one\n"), [{"wait_for_file": str(self._go)}, *read("a.txt")], *more, DONE
        )
        async with self.services.open(model, review="stage") as sessions, self.others.open(model) as others:
            session = await sessions.create(title="T")
            turn = asyncio.create_task(session.prompt(GO))
            await self.services.screen.wait_for("change_set_update")
            yield session, await others.show(session.info.id)
            self.go()
            await turn

    def go(self) -> None:
        self._go.touch()


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


async def only_view(session: Session) -> StagedView:
    (view,) = await session.change_set.views()
    return view


async def test_the_process_at_work_carries_the_decision_out_with_its_own_documents_screens_and_model(
    pair: Pair,
) -> None:
    pair.services.documents = documents = GatedDocuments()
    documents.gate.set()
    async with pair.at_work(read("a.txt")) as (session, shown):
        assert shown.info.id == session.info.id
        view = await only_view(shown)
        assert view.proposed is not None
        assert await decide(shown, whole(view, "accept", comment="Fine.")) == ["written"]
        assert documents.is_writing.is_set(), "the pipeline of the process at work"
        assert pair.file.read_text() == ACCEPTED
        assert session.running
        assert "change_applied" in pair.services.screen.kinds()
        assert [view.name for view in await session.change_set.views()] == []
        assert await shown.change_set.views() == []
        assert pair.others.screen.kinds()[-1] == "change_set_update"
    assert "a.txt: the change is accepted and written." in told(session)
    assert "The user said: Fine." in told(session)


async def test_each_decision_of_several_askers_is_carried_out_once(pair: Pair) -> None:
    async with pair.at_work() as (_, shown):
        view = await only_view(shown)
        decisions = [asyncio.create_task(decide(shown, whole(view, "accept"))) for _ in range(3)]
        statuses = sorted(status for (status,) in await asyncio.gather(*decisions))
    assert statuses == ["moved", "moved", "written"]
    assert pair.file.read_text() == ACCEPTED


async def test_a_decision_on_a_view_that_the_agent_has_changed_meanwhile_does_nothing(pair: Pair) -> None:
    async with pair.at_work(edit("a.txt", 7, "seven\n"), [{"wait": "never"}]) as (session, shown):
        view = await only_view(shown)
        pair.go()
        async with limited(lambda: f"another version; there are {pair.services.screen.kinds()}"):
            while (await only_view(session)).version == view.version:
                await pair.services.screen.wait_for_more()
        assert await decide(shown, whole(view, "accept")) == ["moved"]
        assert pair.file.read_text() == LINES
        await session.cancel()


async def test_an_error_of_the_process_at_work_reaches_the_asking_process(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with pair.at_work() as (_, shown):
        view = await only_view(shown)

        async def failing(*_: Any) -> list[DecisionOutcome]:
            raise RequestError("The editor is gone.")

        monkeypatch.setattr(Reviews, "decide", failing)
        with pytest.raises(RequestError, match="The editor is gone"):
            await decide(shown, whole(view, "accept"))
    assert pair.file.read_text() == LINES


async def test_a_decision_that_was_taken_is_carried_out_though_the_turn_is_cancelled(pair: Pair) -> None:
    pair.services.documents = documents = GatedDocuments()
    async with pair.at_work() as (session, shown):
        deciding = asyncio.create_task(decide(shown, whole(await only_view(shown), "accept")))
        await documents.is_writing.wait()
        await session.cancel()
        assert not session.running
        documents.gate.set()
        assert await deciding == ["written"]
    assert pair.file.read_text() == ACCEPTED


async def test_a_decision_is_carried_out_though_the_turn_is_cancelled_while_the_decision_is_taken(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, has_come, may_go = asyncio.get_running_loop(), asyncio.Event(), Event()

    def gated(owner: str) -> bool:
        """Look at the asking process, within the transaction that takes the request."""
        loop.call_soon_threadsafe(has_come.set)
        may_go.wait()
        return is_alive(owner)

    monkeypatch.setattr(requests_module, "is_alive", gated)
    async with pair.at_work() as (session, shown), limited(lambda: "the decision and its end"):
        deciding = asyncio.create_task(decide(shown, whole(await only_view(shown), "accept")))
        await has_come.wait()
        while any(task.get_name() == "decisions of other processes" for task in asyncio.all_tasks()):
            session.stop()
            await asyncio.sleep(0)
        may_go.set()
        assert await deciding == ["written"]
    assert pair.file.read_text() == ACCEPTED


async def test_a_decision_that_no_turn_has_taken_at_its_end_is_carried_out_by_the_asking_process(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision_watch, "LOOK_SECONDS", 1000.0)
    async with pair.at_work() as (session, shown):
        view = await only_view(shown)
        deciding = asyncio.create_task(decide(shown, whole(view, "accept")))
        await until_requested(pair.services)
        assert not deciding.done()
        pair.go()
        assert await deciding == ["written"]
        assert pair.file.read_text() == ACCEPTED
        assert not session.running
        assert "change_applied" in pair.others.screen.kinds()
    assert await requests(pair.services) == []


async def test_an_asker_that_gives_up_takes_the_decision_back(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_watch, "LOOK_SECONDS", 1000.0)
    async with pair.at_work() as (_, shown):
        deciding = asyncio.create_task(decide(shown, whole(await only_view(shown), "accept")))
        await until_requested(pair.services)
        deciding.cancel()
        await asyncio.wait([deciding])
        await until_dropped(pair.services)
    assert pair.file.read_text() == LINES


async def test_a_long_wait_and_the_end_of_a_cancelled_decision_are_told(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requested_decisions, "PATIENCE_SECONDS", 0.0)
    pair.services.documents = documents = GatedDocuments()
    texts = asyncio.Queue[str]()
    async with pair.at_work() as (_, shown):
        decision = whole(await only_view(shown), "accept")
        deciding = asyncio.create_task(shown.change_set.decide([decision], texts.put_nowait))
        first = await texts.get()
        assert "in use by another Placet" in first
        await documents.is_writing.wait()
        deciding.cancel()
        await asyncio.wait([deciding])
        assert "has taken the decision" in await texts.get()
        assert texts.empty()
        documents.gate.set()
    assert pair.file.read_text() == ACCEPTED


class Screen:
    """Connection to an editor that only shows messages."""

    def __init__(self) -> None:
        self.messages = asyncio.Queue[str]()

    def notify(self, method: str, params: ShowMessageParams) -> None:
        assert method == "window/showMessage"
        self.messages.put_nowait(params.message)


async def accept_in_a_generic_editor(session: Session, view: StagedView, screen: Screen, _: TempServices) -> str:
    change_set = GenericChangeSet(MessagePrompt(cast("Any", screen), Path("unused")))
    return await change_set.decide(session, ["accept", [[view.file.place.as_uri(), view.version, None]]])


async def accept_over_acp(session: Session, _: StagedView, screen: Screen, services: TempServices) -> str:
    workspace, unused = Workspace((services.project,)), cast("Any", None)
    call = CommandCall("accept", "")
    return await carried_out(call, session, unused, workspace, unused, unused, screen.messages.put_nowait)


@pytest.mark.parametrize("accept", [accept_in_a_generic_editor, accept_over_acp])
async def test_generic_editors_and_clients_of_acp_say_what_a_decision_waits_for(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, accept: Callable[..., Awaitable[str]]
) -> None:
    monkeypatch.setattr(decision_watch, "LOOK_SECONDS", 1000.0)
    monkeypatch.setattr(requested_decisions, "PATIENCE_SECONDS", 0.0)
    screen = Screen()
    async with pair.at_work() as (_, shown):
        deciding = asyncio.ensure_future(accept(shown, await only_view(shown), screen, pair.others))
        telling = asyncio.create_task(screen.messages.get())
        await asyncio.wait([deciding, telling], return_when=asyncio.FIRST_COMPLETED)
        assert telling.done(), deciding
        message = await telling
        assert "in use by another Placet" in message
        assert "It has not taken your decision yet" in message
        assert not deciding.done()
        pair.go()
        assert "written" in await deciding
    assert pair.file.read_text() == ACCEPTED


async def test_a_turn_looks_for_decisions_only_with_files_to_review_and_after_a_write_of_another_process(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision_watch, "LOOK_SECONDS", 0.001)
    looks: list[str] = []

    async def take(_: DecisionRequests, session_id: str) -> None:
        looks.append(session_id)

    monkeypatch.setattr(DecisionRequests, "take", take)
    watched: list[bool] = []
    has_changed = StoreWatch.has_changed

    async def counted(watch: StoreWatch) -> bool:
        watched.append(await has_changed(watch))
        return watched[-1]

    monkeypatch.setattr(StoreWatch, "has_changed", counted)
    go = pair.services.directory / "go"
    model = pair.services.script(
        [{"text": "a"}, {"pause": 0.1}, *read("a.txt")], edit("a.txt", 1, "one\n"), [{"wait_for_file": str(go)}]
    )
    async with pair.services.open(model, review="stage") as sessions:
        session = await sessions.create(title="T")
        turn = asyncio.create_task(session.prompt(GO))
        await pair.services.screen.wait_for("tool_call")
        assert looks == []
        await pair.services.screen.wait_for("change_set_update")
        async with limited(lambda: "a look of the watch"):
            while len(watched) < 20:  # noqa: ASYNC110 - the watch tells nobody
                await asyncio.sleep(0.001)
            assert len(looks) == 1, "the first look"
            other = Database(pair.services.locations.store)
            await asyncio.wrap_future(other.write("INSERT INTO review_news (session_id, text) VALUES (?, '')", looks))
            await other.close()
            while len(looks) < 2:  # noqa: ASYNC110 - the watch tells nobody
                await asyncio.sleep(0.001)
        go.touch()
        await turn
        assert "decisions of other processes" not in {task.get_name() for task in asyncio.all_tasks()}


@pytest_asyncio.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database]:
    """Store with a session and the session of a subagent."""
    database = Database(tmp_path / "placet.db")
    for session_id, parent_id in (("ses_1", None), ("ses_2", "ses_1")):
        database.write(
            "INSERT INTO session (id, parent_id, title, agent, model, roots, created, updated) "
            "VALUES (?, ?, '', '', '', '[]', 0, 0)",
            (session_id, parent_id),
        )
    await database.flushed()
    yield database
    await database.close()


async def test_a_session_whose_subagent_works_in_another_process_is_at_work_there(database: Database) -> None:
    store, other = SessionStore(database), SessionStore(database)
    async with store.claimed("ses_2"):
        assert await other.is_at_work_elsewhere("ses_1")
        assert not await store.is_at_work_elsewhere("ses_1")
        with pytest.raises(AtWorkElsewhere):
            async with other.family_claimed("ses_1"):
                raise AssertionError
        async with store.family_claimed("ses_1"):
            pass
    assert not await other.is_at_work_elsewhere("ses_1")
    async with other.family_claimed("ses_1"):
        pass


@pytest_asyncio.fixture
async def other_database(database: Database) -> AsyncGenerator[Database]:
    """The same store, as another process opens the store."""
    other = Database(database.path)
    yield other
    await other.close()


async def always_at_work() -> Callable[[], bool]:
    return lambda: True


async def test_a_decision_in_a_format_of_another_version_is_answered_with_the_reason(
    database: Database, other_database: Database
) -> None:
    asker, taker = DecisionRequests(database, look_seconds=0.001), DecisionRequests(other_database)
    spoilt = asyncio.Event()

    async def work() -> Callable[[], bool]:
        await asyncio.wrap_future(
            database.write("UPDATE waiting SET asked = '[{}]' WHERE id = (SELECT min(id) FROM waiting)")
        )
        spoilt.set()
        return lambda: True

    asking = asyncio.create_task(asker.ask("ses_1", (), work))
    await spoilt.wait()
    readable = asyncio.create_task(asker.ask("ses_1", (), always_at_work))
    async with limited(lambda: "two requests in the store"):
        while len(await Requests(other_database, "decision").listing()) < 2:  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.001)
    taken = await taker.take("ses_1")
    assert taken is not None, "one look finds the readable request behind the other"
    with pytest.raises(RequestError, match="different versions of Placet"):
        await asking
    await taker.answer(taken.id, RequestOutcome())
    assert await readable == []


async def test_decisions_and_outcomes_pass_with_every_field(
    database: Database, other_database: Database, tmp_path: Path
) -> None:
    asker, taker = DecisionRequests(database, look_seconds=0.001), DecisionRequests(other_database)
    place = tmp_path / "ü.txt"
    decisions = (
        Decision(place, "v1", "accept", frozenset((1, 2)), "mine\n", "why"),
        Decision(place, "v1", "comment", comment="\u2028"),
    )
    asked = asyncio.Event()

    async def work() -> Callable[[], bool]:
        asked.set()
        return lambda: True

    asking = asyncio.create_task(asker.ask("ses_1", decisions, work))
    await asked.wait()
    taken = await taker.take("ses_1")
    assert taken is not None
    assert taken.decisions == decisions
    assert await taker.take("ses_1") is None, "a request is taken once"
    files = (DecisionOutcome(place, "conflict", "Because."), DecisionOutcome(place, "written"))
    await taker.answer(taken.id, RequestOutcome(files))
    assert await asking == list(files)


# ---------------------------------------------------------------- processes


async def requests(services: TempServices) -> list[tuple[str | None, str | None]]:
    database = Database(services.locations.store)
    rows = await database.read("SELECT taken, answer FROM waiting WHERE kind = 'decision' AND ended IS NULL")
    await database.close()
    return [(row["taken"], row["answer"]) for row in rows]


async def until_requested(services: TempServices) -> None:
    async with limited(lambda: "a request in the store"):
        while not await requests(services):  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.01)


async def until_dropped(services: TempServices) -> None:
    async with limited(lambda: "the end of the requests in the store"):
        while await requests(services):  # noqa: ASYNC110 - a store tells nobody
            await asyncio.sleep(0.01)


Start = Callable[..., Awaitable[Process | ForkedProcess]]


@pytest_asyncio.fixture
async def start(pair: Pair) -> AsyncGenerator[Start]:
    """Start another Placet at work in a session with a staged change."""
    started: list[Process | ForkedProcess] = []

    async def start(module: str, *arguments: str) -> Process | ForkedProcess:
        process = await start_module(f"services_support.{module}", str(pair.services.directory), *arguments)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def waiting_script(pair: Pair) -> str:
    return pair.services.script(
        read("a.txt"), edit("a.txt", 1, "one\n"), [{"wait_for_file": str(pair.services.directory / "go")}], DONE
    )


async def said(process: Process | ForkedProcess) -> str:
    assert process.stdout is not None
    if not (line := await process.stdout.readline()):
        raise AssertionError((await process.communicate())[1].decode())
    return line.decode().strip()


async def test_a_decision_is_carried_out_by_another_process_at_work(pair: Pair, start: Start) -> None:
    process = await start("at_work", waiting_script(pair), "writes")
    session_id = await said(process)
    async with pair.others.open() as sessions:
        shown = await sessions.show(session_id)
        assert await decide(shown, whole(await only_view(shown), "accept")) == ["written"]
    assert process.returncode is None
    assert pair.file.read_text() == ACCEPTED
    assert await requests(pair.services) == []


async def test_the_outcome_is_unknown_when_the_process_at_work_dies_after_it_took_the_decision(
    pair: Pair, start: Start
) -> None:
    process = await start("at_work", waiting_script(pair), "hangs")
    session_id = await said(process)
    async with pair.others.open() as sessions:
        shown = await sessions.show(session_id)
        view = await only_view(shown)
        deciding = asyncio.create_task(decide(shown, whole(view, "accept")))
        assert await said(process) == "writing"
        process.kill()
        with pytest.raises(RequestError, match="outcome is unknown: look at the changes again"):
            await deciding
        await until_dropped(pair.services)
        assert await decide(shown, whole(await only_view(shown), "accept")) == ["written"]
    assert pair.file.read_text() == ACCEPTED


@pytest.mark.skipif(os.name == "nt", reason="needs SIGSTOP")
async def test_the_asking_process_decides_when_the_process_at_work_dies_before_it_took_the_decision(
    pair: Pair, start: Start
) -> None:
    process = await start("at_work", waiting_script(pair), "hangs")
    session_id = await said(process)
    async with pair.others.open() as sessions:
        shown = await sessions.show(session_id)
        view = await only_view(shown)
        process.send_signal(signal.SIGSTOP)
        deciding = asyncio.create_task(decide(shown, whole(view, "accept")))
        await until_requested(pair.services)
        assert pair.file.read_text() == LINES
        process.kill()
        assert await deciding == ["written"]
    assert pair.file.read_text() == ACCEPTED


@pytest.mark.skipif(os.name == "nt", reason="needs SIGSTOP")
async def test_a_decision_of_an_asker_that_was_killed_is_dropped(pair: Pair, start: Start) -> None:
    process = await start("at_work", waiting_script(pair), "writes")
    session_id = await said(process)
    process.send_signal(signal.SIGSTOP)
    asker = await start("decider", session_id)
    await until_requested(pair.services)
    asker.kill()
    await asker.wait()
    process.send_signal(signal.SIGCONT)
    await until_dropped(pair.services)
    assert pair.file.read_text() == LINES
    asker = await start("decider", session_id)
    assert await said(asker) == "written"
    assert pair.file.read_text() == ACCEPTED
