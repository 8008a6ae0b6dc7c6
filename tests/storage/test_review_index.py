"""The index of the changes that wait for a review agrees with the store, whoever changes the store."""

import json
import sqlite3
from pathlib import Path

import pytest

from placet.storage.database import Database, Statement
from placet.storage.review_index import NAME


def session(session_id: str, *roots: str) -> Statement:
    sql = "INSERT INTO session (id, title, agent, model, roots, created, updated) VALUES (?, 't', 'a', 'm', ?, 0, 0)"
    return sql, (session_id, json.dumps(roots))


def kept(session_id: str, place: str) -> Statement:
    return "INSERT INTO staged (session_id, place, body) VALUES (?, ?, x'')", (session_id, place)


def read_index(directory: Path) -> dict[str, tuple[int, int]]:
    """Return the files and the sessions of each folder."""
    index = json.loads((directory / NAME).read_text("utf-8"))
    assert index["version"] == 1
    return {uri: (folder["files"], folder["sessions"]) for uri, folder in index["folders"].items()}


async def test_a_folder_is_listed_while_files_of_its_sessions_wait(tmp_path: Path) -> None:
    database = Database(tmp_path / "placet.db")
    database.transaction([session("ses_a", "file:///p", "file:///q"), session("ses_b", "file:///p")])
    await database.flushed()
    assert read_index(tmp_path) == {}

    database.transaction([kept("ses_a", "/p/one"), kept("ses_a", "/p/two"), kept("ses_b", "/p/one")])
    await database.flushed()
    assert read_index(tmp_path) == {"file:///p": (3, 2), "file:///q": (2, 1)}

    database.write("DELETE FROM staged WHERE place = '/p/one'")
    await database.flushed()
    assert read_index(tmp_path) == {"file:///p": (1, 1), "file:///q": (1, 1)}

    await database.work(lambda connection: connection.execute("DELETE FROM session WHERE id = 'ses_a'"))
    assert read_index(tmp_path) == {}
    await database.close()


async def test_a_file_with_a_proposed_and_an_unreviewed_change_counts_once_and_a_file_set_aside_not_at_all(
    tmp_path: Path,
) -> None:
    database = Database(tmp_path / "placet.db")
    places = ("/p/one", "unreviewed /p/one", "undone /p/two", "taken msg_1 /p/three")
    database.transaction([session("ses_a", "file:///p"), *(kept("ses_a", place) for place in places)])
    await database.flushed()
    assert read_index(tmp_path) == {"file:///p": (1, 1)}
    await database.close()


async def test_a_transaction_that_fails_leaves_no_change_in_the_index(tmp_path: Path) -> None:
    database = Database(tmp_path / "placet.db")
    await database.work(lambda connection: connection.execute(*session("ses_a", "file:///p")))

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute(*kept("ses_a", "/p/one"))
        raise ValueError

    with pytest.raises(ValueError):
        await database.work(fail)
    database.transaction([kept("ses_a", "/p/one"), ("INSERT INTO nowhere VALUES (1)", ())])
    await database.close()
    assert read_index(tmp_path) == {}


async def test_the_first_write_of_a_process_mends_an_index_that_differs_from_the_store(tmp_path: Path) -> None:
    database = Database(tmp_path / "placet.db")
    database.transaction([session("ses_a", "file:///p"), kept("ses_a", "/p/one")])
    await database.close()
    (tmp_path / NAME).write_text("{}", "utf-8")

    again = Database(tmp_path / "placet.db")
    again.write("UPDATE session SET title = 'u'")
    await again.close()
    assert read_index(tmp_path) == {"file:///p": (1, 1)}


async def test_an_index_that_cannot_be_written_fails_no_change_and_is_written_with_the_next(tmp_path: Path) -> None:
    database = Database(tmp_path / "placet.db")
    in_the_way = tmp_path / NAME
    in_the_way.mkdir()
    database.transaction([session("ses_a", "file:///p"), kept("ses_a", "/p/one")])
    await database.flushed()
    in_the_way.rmdir()

    database.write("UPDATE session SET title = 'u'")
    await database.flushed()
    assert read_index(tmp_path) == {"file:///p": (1, 1)}
    assert not list(tmp_path.glob(".to-review-*"))
    await database.close()
