"""Migration of a store's file to today's schema: each step whole or not at all, by one process.

A newer file is left alone.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from placet.core.errors import StoreError


def refuse_newer(path: Path, newest: int) -> None:
    """Raise StoreError if the file is of a later schema than `newest`, before the file is opened for writing.

    SQLite alone reads the file: where this process has another connection to the file, a close by anybody else would
    end the connection's locks, and the next process to leave would delete the log under the connection
    (https://www.sqlite.org/howtocorrupt.html, 2.2).
    """
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            version = _version(connection)
    except sqlite3.Error:  # The file is missing, not readable or no store; the opening explains this better.
        return
    if version > newest:
        raise _newer(path)


def migrate(connection: sqlite3.Connection, steps: Sequence[str], path: Path | None) -> None:
    """Apply the steps still missing in the file. Raises StoreError for a newer file, sqlite3.Error."""
    if _version(connection) > len(steps):
        raise _newer(path)
    while _version(connection) < len(steps):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Only from here on no other process can take the same step.
            version = _version(connection)
            if version < len(steps):
                for statement in statements(steps[version]):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version + 1}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def statements(step: str) -> Iterator[str]:
    """Yield the statements of a step; the statements within a trigger stay together."""
    statement = ""
    for piece in step.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            if statement.strip("; \n"):
                yield statement
            statement = ""


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _newer(path: Path | None) -> StoreError:
    return StoreError(
        f"The session store {path or '(in memory)'} was written by a newer Placet, and was not changed. "
        "Update this Placet, or move the file away to start a new store."
    )
