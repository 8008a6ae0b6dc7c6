"""A disk that is full, and a store that cannot be written."""

import asyncio
import os
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import StoreError
from placet.core.messages import TextPart
from placet.storage.database import Database
from services_support import TempServices

GO = [TextPart(text="Please go on.")]


@pytest.fixture
def services(tmp_path):
    return TempServices(tmp_path)


async def test_a_turn_on_a_full_disk_ends_as_an_error_that_says_so(services):
    long = {"text": " ".join(map(str, range(100_000)))}
    async with services.open(services.script([long], [long])) as sessions:
        session = await sessions.create()
        await sessions._services.database.work(_leave_no_room)

        result = await session.prompt(GO)

        assert result.stop_reason == "error"
        assert result.error.code == "failed"
        assert "full" in result.error.message
        assert str(services.locations.store) in result.error.message
        assert "Free some disk space" in result.error.message
        again = await session.prompt(GO)
        assert again.stop_reason == "error"
        assert "full" in again.error.message
        assert not session.running
        with pytest.raises(StoreError, match="full"):
            await sessions.create()

    async with services.open(services.script([{"text": "There is room again."}])) as sessions:
        session = await sessions.load(session.info.id)
        assert (await session.prompt(GO)).stop_reason == "end_turn"


def _leave_no_room(connection: sqlite3.Connection) -> None:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 5}")


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
async def test_a_file_that_cannot_grow_is_said_with_what_to_do(tmp_path: Path) -> None:
    """SQLite calls the failed write an I/O error: the system says that the file is too large, not that disk is full."""
    import resource

    database = Database(tmp_path / "placet.db")
    await database.flushed()
    limits, before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
    try:
        with pytest.raises(StoreError, match=r"I/O error.*Free some disk space"):
            await database.work(
                lambda connection: connection.execute("INSERT INTO content VALUES ('a', ?)", (os.urandom(1 << 20),))
            )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    await database.close()


async def test_a_read_that_fails_is_an_error_and_no_end(tmp_path):
    database = Database(tmp_path / "placet.db")
    with pytest.raises(StoreError, match="nowhere"):
        await database.read("SELECT * FROM nowhere")
    assert (await database.read("SELECT 1 AS one"))[0]["one"] == 1
    await database.flushed()
    await database.close()


async def test_what_raises_in_a_transaction_undoes_it_and_nothing_else(tmp_path):
    database = Database(tmp_path / "placet.db")

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO content VALUES ('a', x'00')")
        raise LookupError("by itself")

    with pytest.raises(LookupError, match="by itself"):
        await database.work(fail)
    assert await database.read("SELECT * FROM content") == []
    await database.flushed()
    await database.close()


async def test_a_snapshot_is_of_one_moment(tmp_path):
    database, other = Database(tmp_path / "placet.db"), Database(tmp_path / "placet.db")
    await database.flushed()
    wait = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000) SELECT count(*) FROM n"
    count = ("SELECT count(*) AS n FROM content", ())

    async def write() -> None:
        for number in range(50):
            await other.work(partial(_insert, number))

    (first, _, second), _ = await asyncio.gather(database.snapshot([count, (wait, ()), count]), write())
    assert first[0]["n"] == second[0]["n"]
    assert (await database.read("SELECT count(*) AS n FROM content"))[0]["n"] == 50
    await database.close()
    await other.close()


def _insert(number: int, connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO content VALUES (?, x'00')", (number,))


@contextmanager
def not_as_root() -> Iterator[None]:
    """As a user for whom permissions count, and who does not own the files."""
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="Placet makes the user's own store writable again"
)
@corpus("unwritable", ["file", "directory", "nothing there"])
def test_a_store_that_may_not_be_written_is_said_with_what_to_do(unwritable):
    async def make() -> None:
        database = Database(file)
        await database.flushed()
        await database.close()

    async def delete() -> None:
        database = Database(file)
        with pytest.raises(StoreError) as raised:
            await database.work(lambda connection: connection.execute("DELETE FROM session"))
        await database.close()
        assert str(file) in str(raised.value)
        assert "You must be able to write" in str(raised.value)

    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        file = Path(directory) / "data" / "placet.db"
        file.parent.mkdir()
        if unwritable != "nothing there":
            asyncio.run(make())
        if unwritable == "file":
            file.chmod(0o444)
        file.parent.chmod(0o777 if unwritable == "file" else 0o555)
        try:
            with not_as_root():
                asyncio.run(delete())
        finally:
            file.parent.chmod(0o755)
