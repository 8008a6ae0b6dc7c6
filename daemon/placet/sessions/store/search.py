"""Search for sessions by their texts: an index that is made at the first search, and kept up from then on."""

import re
import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

from placet.core.messages import whole_characters
from placet.storage.database import Database, Statement

PARTS_AT_ONCE = 1000
"""Parts indexed in a single transaction, lest writes in the queue wait for long."""

_TOKENS = re.compile(r"[^\W_]+")
"""Tokens of a text, nearly as FTS5's unicode61 makes tokens: https://www.sqlite.org/fts5.html, 4.3.1."""

_FIRST_UNSPACED = "\u0530"
"""First character of the scripts among which some write words without spaces, where no index of words helps."""


def note_statement(part_id: str) -> Statement:
    """Return the statement that notes a new or changed text of a prompt or an answer."""
    return (
        "INSERT INTO text_part (part_id, session_id) SELECT id, session_id FROM part WHERE id = ?"
        " ON CONFLICT (part_id) DO UPDATE SET indexed = 0",
        (part_id,),
    )


class TextSearch:
    """Search over the texts of prompts and answers, by SQLite's FTS5 where SQLite has FTS5, else text by text."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def condition(self, query: str) -> tuple[str, list[Any]]:
        """Return SQL over a row of `session`, and its parameters, by which each word is in the title or in a text.

        A text matches if a word of the text begins with the query's word; without FTS5, and for words with more than
        letters and digits, the text may hold the word anywhere. Case does not matter (beyond ASCII, with FTS5 alone).
        Raises StoreError.
        """
        words = whole_characters(query).split()
        has_index = bool(words) and await self._prepared()
        conditions: list[str] = []
        parameters: list[Any] = []
        for word in words:
            selection, found_by = _selection(word, has_index)
            conditions.append(f"(title LIKE ? ESCAPE '\\' OR id IN ({selection}))")
            parameters += [_like(word), *found_by]
        return " AND ".join(conditions) or "1", parameters

    async def _prepared(self) -> bool:
        """Bring the index up to date; return whether an index exists."""
        if not _has_fts5():
            return False
        while await self._database.work(_index_some) == PARTS_AT_ONCE:
            pass
        return True


def forget(connection: sqlite3.Connection, session_ids: Sequence[str]) -> None:
    """Take the texts of these sessions out of the index, before the sessions are deleted."""
    marks = ", ".join("?" * len(session_ids))
    where = f"WHERE session_id IN ({marks})"
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'text_index'").fetchone():
        connection.execute(
            f"DELETE FROM text_index WHERE rowid IN (SELECT number FROM text_part {where} AND indexed = 1)",  # noqa: S608
            session_ids,
        )
    connection.execute(f"DELETE FROM text_part {where}", session_ids)  # noqa: S608


def forget_messages(connection: sqlite3.Connection, session_id: str, first: str) -> None:
    """Take the texts of the session from the message `first` on out of the index, before the messages are deleted."""
    parts = "part_id IN (SELECT id FROM part WHERE session_id = ? AND message_id >= ?)"
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'text_index'").fetchone():
        connection.execute(
            f"DELETE FROM text_index WHERE rowid IN (SELECT number FROM text_part WHERE {parts} AND indexed = 1)",  # noqa: S608
            (session_id, first),
        )
    connection.execute(f"DELETE FROM text_part WHERE {parts}", (session_id, first))  # noqa: S608


def _index_some(connection: sqlite3.Connection) -> int:
    """Index up to PARTS_AT_ONCE texts; return the number of texts."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS text_index USING fts5(text, detail = 'none')")
    numbers = [
        row["number"]
        for row in connection.execute(
            "SELECT number FROM text_part WHERE indexed = 0 ORDER BY number LIMIT ?", (PARTS_AT_ONCE,)
        )
    ]
    marks = [(number,) for number in numbers]
    connection.executemany("DELETE FROM text_index WHERE rowid = ?", marks)
    connection.executemany(
        "INSERT INTO text_index (rowid, text) SELECT number, json_extract(body, '$.text')"
        " FROM text_part JOIN part ON part.id = part_id WHERE number = ?",
        marks,
    )
    connection.executemany("UPDATE text_part SET indexed = 1 WHERE number = ?", marks)
    return len(numbers)


def _selection(word: str, has_index: bool) -> tuple[str, list[str]]:
    """Return the SQL, and its parameters, to select the sessions with this word in a text."""
    if not has_index:
        return (
            "SELECT text_part.session_id FROM text_part JOIN part ON part.id = part_id"
            " WHERE json_extract(body, '$.text') LIKE ? ESCAPE '\\'"
        ), [_like(word)]
    conditions: list[str] = []
    parameters: list[str] = []
    tokens = _TOKENS.findall(word) if max(word) < _FIRST_UNSPACED else []
    if tokens:
        conditions.append("text_index MATCH ?")
        parameters.append(" AND ".join(f'"{token}"' for token in tokens) + "*")
    if tokens != [word]:
        conditions.append("text_index.text LIKE ? ESCAPE '\\'")
        parameters.append(_like(word))
    rows = "text_index JOIN text_part ON number = text_index.rowid"
    return f"SELECT session_id FROM {rows} WHERE {' AND '.join(conditions)}", parameters  # noqa: S608


def _like(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


@cache
def _has_fts5() -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True
