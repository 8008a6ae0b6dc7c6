import os
import sqlite3
import stat

import pytest

from corpus_support import corpus
from placet.core.errors import StoreError
from placet.storage.database import Database
from placet.storage.migrations import STEPS

SESSION = (
    "INSERT INTO session (id, title, agent, model, roots, created, updated) VALUES (?, 't', 'build', 'm', '[]', 0, 0)"
)


async def test_a_read_sees_every_write_queued_before_it(tmp_path):
    database = Database(tmp_path / "store" / "placet.db")
    for number in range(100):
        database.write(SESSION, (f"ses_{number}",))

    rows = await database.read("SELECT count(*) AS n FROM session")

    assert rows[0]["n"] == 100
    await database.close()


async def test_a_transaction_is_stored_whole_or_not_at_all(tmp_path):
    database = Database(tmp_path / "placet.db")
    failed = database.transaction([(SESSION, ("ses_a",)), ("INSERT INTO nowhere VALUES (1)", ())])
    with pytest.raises(StoreError):
        await database.flushed()
    assert failed.exception() is not None
    await database.close()

    again = Database(tmp_path / "placet.db")
    assert await again.read("SELECT * FROM session") == []
    await again.close()


async def test_after_a_failed_write_nothing_more_is_stored(tmp_path):
    database = Database(tmp_path / "placet.db")
    database.write("INSERT INTO nowhere VALUES (1)")
    database.write(SESSION, ("ses_a",))
    with pytest.raises(StoreError, match="nowhere"):
        await database.flushed()
    await database.close()

    again = Database(tmp_path / "placet.db")
    assert await again.read("SELECT * FROM session") == []
    await again.close()


async def test_what_was_flushed_is_there_for_another_process(tmp_path):
    database = Database(tmp_path / "placet.db")
    database.write(SESSION, ("ses_a",))
    await database.flushed()

    connection = sqlite3.connect(tmp_path / "placet.db")
    assert connection.execute("SELECT id FROM session").fetchall() == [("ses_a",)]
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    await database.close()


async def test_a_store_of_a_newer_placet_is_refused_and_left_alone(tmp_path):
    connection = sqlite3.connect(tmp_path / "placet.db")
    connection.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    connection.close()

    database = Database(tmp_path / "placet.db")
    with pytest.raises(StoreError, match="newer Placet"):
        await database.read("SELECT 1")
    await database.close()


async def test_a_file_that_is_no_database_is_a_clear_error(tmp_path):
    (tmp_path / "placet.db").write_text("this is no database, and long enough to be read as one " * 40)
    database = Database(tmp_path / "placet.db")
    with pytest.raises(StoreError, match=r"placet\.db"):
        await database.read("SELECT 1")
    await database.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
async def test_nobody_else_can_read_the_store_or_answer_what_waits_in_it(tmp_path):
    file = tmp_path / "data" / "placet.db"
    database = Database(file)
    await database.flushed()
    database.write("CREATE TABLE one (number INTEGER)")
    await database.close()
    file.chmod(0o644)  # As an older Placet has left it.
    database = Database(file)
    database.write("INSERT INTO one VALUES (1)")
    await database.flushed()
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    for entry in file.parent.iterdir():
        assert stat.S_IMODE(entry.stat().st_mode) == 0o600, entry.name
    await database.close()


@pytest.mark.skipif(os.name == "nt", reason="no modes")
@corpus("was_there", [False, True])
async def test_the_directory_of_the_store_is_the_users_alone_whatever_the_umask(tmp_path, was_there):
    directory = tmp_path / "data"
    before = os.umask(0)
    try:
        if was_there:
            directory.mkdir()
        database = Database(directory / "placet.db")  # Opens the store at once, in a thread of its own.
        await database.read("SELECT 1")
        await database.close()
    finally:
        os.umask(before)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
