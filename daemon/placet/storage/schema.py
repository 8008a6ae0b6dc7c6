"""Migration of a store's file to today's schema: each step whole or not at all, by one process.

A newer file is left alone.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from placet.core.errors import StoreError

_MAGIC = b"SQLite format 3\x00"
_USER_VERSION = slice(60, 64)
"""Place of `PRAGMA user_version` in the file (https://www.sqlite.org/fileformat2.html, 1.3)."""


def refuse_newer(path: Path, newest: int) -> None:
    """Raise StoreError if the file is of a later schema than `newest`, before the file is opened as a database."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError:  # The file is missing or not readable; the opening explains this better.
        return
    if header.startswith(_MAGIC) and int.from_bytes(header[_USER_VERSION], "big") > newest:
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
