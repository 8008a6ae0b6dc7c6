"""Stores as older Placets have left them: `stores/NNN.db`, NNN being the schema's number; stores/make.py makes them."""

import asyncio
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.changes.journal.journal import Journal
from placet.core.errors import StoreError
from placet.core.messages import AssistantMessage, PatchPart, ReasoningPart, TextPart, ToolPart, UserMessage
from placet.sessions.store.library import Library
from placet.sessions.store.session_store import SessionStore
from placet.storage import database as database_module
from placet.storage.database import Database
from placet.storage.migrations import STEPS
from placet.storage.schema import migrate, statements
from services_support import TempServices

STORES = sorted((Path(__file__).parent / "stores").glob("*.db"))
OLDEST = STORES[0]


def schema(file: Path) -> list[tuple]:
    connection = sqlite3.connect(file)
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'text_index%' ORDER BY 2")
    entries = rows.fetchall()
    connection.close()
    return entries


def version(file: Path) -> int:
    connection = sqlite3.connect(file)
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return number


def test_there_is_a_store_of_the_first_schema():
    assert OLDEST.stem == "001"
    assert [version(file) for file in STORES] == [int(file.stem) for file in STORES]


@corpus("old", STORES)
async def test_an_old_store_is_read_whole_by_todays_code(old, tmp_path):
    services = TempServices(tmp_path)
    services.locations.data.mkdir()
    shutil.copyfile(old, services.locations.store)
    async with services.open(services.script([{"text": "And on."}])) as sessions:
        store, journal = sessions._services.store, sessions._services.journal
        library = Library(store, lambda: journal, services.locations.kept)
        (killed, worked), _ = await library.list()
        assert (killed.title, worked.title) == ("Killed", "Make the greeting warmer.")

        session = await sessions.load(worked.id)
        assert [type(message) for message in session.messages].count(UserMessage) == 2
        parts = [part for message in session.messages for part in message.parts]
        assert [part.text for part in parts if isinstance(part, ReasoningPart)] == ["I look at it first."]
        assert "The greeting is warmer now." in [part.text for part in parts if isinstance(part, TextPart)]
        calls = [(part.tool, part.state.status) for part in parts if isinstance(part, ToolPart)]
        assert calls == [("read", "completed"), ("edit", "completed"), ("task", "completed")]
        assert [part.reverted for part in parts if isinstance(part, PatchPart)] == [True]
        assert [(change["kind"], change["state"]) for change in await journal.describe(worked.id)] == [
            ("edit", "reverted"),
            ("undo", "applied"),
        ]
        (edit, _) = await journal.with_files(await journal.changes(worked.id))
        assert (edit.files[0].before, edit.files[0].after) == ("hello\nworld\n", "good morning\nworld\n")
        (child,) = await store.children(worked.id)
        assert "There is a greeting." in str((await store.read(child)).messages)

        assert worked.usage is not None
        assert (worked.usage.cost, worked.usage.tokens.input) == (pytest.approx(0.0125 * 6), 1200 * 6)
        assert worked.usage.subagents is not None
        assert worked.usage.subagents.tokens.cache_read == 400
        assert [info.id for info in (await library.list(query="warmer now"))[0]] == [worked.id]
        assert "good morning" in await library.export(worked.id, "markdown")

        again = await sessions.load(killed.id)
        assert isinstance(again.messages[0], UserMessage)
        assert again.messages[0].stop_reason == "error"
        assert isinstance(again.messages[1], AssistantMessage)
        assert again.messages[1].completed
        await sessions.fork(worked.id)
        await again.choices.set_model(sessions.settings.model)
        assert (await again.prompt([TextPart(text="Go on.")])).stop_reason == "end_turn"
    fresh = Database(tmp_path / "fresh.db")
    await fresh.flushed()
    await fresh.close()
    assert schema(services.locations.store) == schema(tmp_path / "fresh.db")


async def test_a_store_of_the_future_is_refused_and_not_touched(tmp_path):
    file = tmp_path / "placet.db"
    connection = sqlite3.connect(file)
    connection.executescript(f"CREATE TABLE wonder (id); PRAGMA user_version = {len(STEPS) + 1};")
    connection.close()
    before = file.read_bytes()

    database = Database(file)
    with pytest.raises(StoreError, match=r"placet\.db was written by a newer Placet.*Update"):
        await database.read("SELECT 1")
    with pytest.raises(StoreError, match="newer Placet"):
        await database.flushed()
    await database.close()

    assert file.read_bytes() == before
    assert [file_left.name for file_left in tmp_path.iterdir()] == ["placet.db"]


async def test_a_step_that_fails_leaves_the_old_state(tmp_path, monkeypatch):
    file = tmp_path / "placet.db"
    shutil.copyfile(OLDEST, file)
    before = schema(file)
    broken = "CREATE TABLE half_done (id); DELETE FROM session; INSERT INTO nowhere VALUES (1);"
    monkeypatch.setattr(database_module, "STEPS", (STEPS[0], broken))

    database = Database(file)
    with pytest.raises(StoreError, match="nowhere"):
        await database.flushed()
    await database.close()

    assert (version(file), schema(file)) == (1, before)
    monkeypatch.undo()
    database = Database(file)
    assert len(await database.read("SELECT * FROM session")) == 3
    await database.close()


KILLED = """
import os, signal, sys
from pathlib import Path
from placet.storage import database
from placet.storage.migrations import STEPS

database._packed = lambda _: os.kill(os.getpid(), signal.SIGKILL)
dying = "CREATE TABLE half_done (id); DELETE FROM session; SELECT packed(x'00'); CREATE TABLE done (id);"
database.STEPS = (STEPS[0], dying)
store = database.Database(Path(sys.argv[1]))
store.write("SELECT 1").result()
"""


async def test_a_process_killed_in_mid_step_leaves_the_old_state(tmp_path):
    file = tmp_path / "placet.db"
    shutil.copyfile(OLDEST, file)
    before = schema(file)
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, str(file), stderr=asyncio.subprocess.PIPE
    )
    _, complaint = await killed.communicate()
    assert killed.returncode == -signal.SIGKILL, complaint

    assert (version(file), schema(file)) == (1, before)
    database = Database(file)
    assert len(await database.read("SELECT * FROM session")) == 3
    await database.close()
    assert version(file) == len(STEPS)


OPENED = """
import sys
from pathlib import Path
from placet.storage.database import Database

sys.stdin.readline()
store = Database(Path(sys.argv[1]))
store.write("SELECT 1").result()
"""


@corpus("old", [None, OLDEST])
async def test_processes_that_open_a_store_at_once_bring_it_up_once(tmp_path, old):
    file = tmp_path / "placet.db"
    if old is not None:
        shutil.copyfile(old, file)
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", OPENED, str(file), stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        for _ in range(6)
    ]
    ended = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    assert [process.returncode for process in processes] == [0] * 6, [errors for _, errors in ended]
    assert version(file) == len(STEPS)
    database = Database(file)
    store = SessionStore(database)
    assert len((await Library(store, lambda: Journal(database), file.with_name("kept")).list())[0]) == (2 if old else 0)
    await database.close()


def test_a_step_that_another_process_took_meanwhile_is_not_taken_again(tmp_path):
    file = tmp_path / "placet.db"

    class Overtaken(sqlite3.Connection):
        def execute(self, sql, *parameters):
            if sql == "BEGIN IMMEDIATE" and version(file) < len(STEPS):
                other = sqlite3.connect(file, isolation_level=None)
                migrate(other, STEPS, file)
                other.close()
            return super().execute(sql, *parameters)

    connection = sqlite3.connect(file, isolation_level=None, factory=Overtaken)
    migrate(connection, STEPS, file)
    connection.close()
    assert version(file) == len(STEPS)


async def test_a_store_that_another_process_is_writing_is_waited_for(tmp_path, monkeypatch):
    file = tmp_path / "placet.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    waited: list[float] = []

    class Time:
        """Of the module alone, as other threads sleep as well."""

        monotonic = staticmethod(time.monotonic)

        def sleep(self, seconds: float) -> None:
            waited.append(seconds)
            if other.in_transaction:
                other.execute("COMMIT")

    monkeypatch.setattr(database_module, "time", Time())
    database = Database(file)
    await database.flushed()
    await database.close()
    other.close()
    assert waited


def test_a_step_is_taken_apart_into_its_statements():
    trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; DELETE FROM b; END;"
    step = f"CREATE TABLE a (id); -- not; here\n CREATE TABLE b (id TEXT DEFAULT ';');\n{trigger}\n"
    first, second, third = statements(step)
    assert first == "CREATE TABLE a (id);"
    assert second.endswith("';');")
    assert third.strip() == trigger
    for number, script in enumerate(STEPS):
        assert "".join(statements(script)).split() == script.split(), number
