"""One SQLite file (WAL), one thread that touches it, everything in the order it was asked."""

import asyncio
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from placet.errors import StoreError
from placet.storage.migrations import STEPS

T = TypeVar("T")
Statement = tuple[str, Sequence[Any]]


class Database:
    """The store's file.

    Writes are queued and return at once; a read sees every write queued before it. A write that fails
    raises where its future is awaited, and the first such failure makes the database refuse all that
    follows, so that nothing is stored on top of a hole. SQL has a function more: `packed(bytes)`, by zlib.
    """

    def __init__(self, path: Path | None) -> None:
        """`path` None keeps everything in memory. Opens in its own thread; an error shows at the first use."""
        self._path = path
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="placet-store")
        self._connection: sqlite3.Connection | None = None
        self._failure: StoreError | None = None
        self._worker.submit(self._guard, self._open)

    def write(self, sql: str, parameters: Sequence[Any] = ()) -> Future[None]:
        """Queue one statement."""
        return self.transaction([(sql, parameters)])

    def transaction(self, statements: Sequence[Statement]) -> Future[None]:
        """Queue statements that are stored all or none."""
        return self._worker.submit(self._guard, lambda: self._run(statements))

    async def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows. Raises StoreError."""
        return await asyncio.wrap_future(
            self._worker.submit(self._guard, lambda: self._open().execute(sql, parameters).fetchall())
        )

    async def flushed(self) -> None:
        """Wait until everything queued so far is stored. Raises StoreError if something was not."""
        await asyncio.wrap_future(self._worker.submit(self._guard, lambda: None))

    async def close(self) -> None:
        """Store what is queued and let go of the file."""

        def close() -> None:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

        await asyncio.wrap_future(self._worker.submit(close))
        self._worker.shutdown(wait=False)

    # ------------------------------------------------------------ in the worker's thread

    def _guard(self, work: Callable[[], T]) -> T:
        if self._failure is not None:
            raise self._failure
        try:
            return work()
        except sqlite3.Error as error:
            self._failure = StoreError(f"The session store {self._path or '(in memory)'} failed: {error}")
            raise self._failure from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            connection = sqlite3.connect(
                self._path or ":memory:", timeout=10, isolation_level=None, check_same_thread=False
            )
            connection.row_factory = sqlite3.Row
            # Not called deterministic: then it would be worked out before it is known whether it is needed.
            connection.create_function("packed", 1, _packed)
            connection.executescript(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
            )
            _migrate(connection)
            self._connection = connection
        return self._connection

    def _run(self, statements: Sequence[Statement]) -> None:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            for sql, parameters in statements:
                connection.execute(sql, parameters)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def _packed(data: bytes) -> bytes:
    return zlib.compress(data, 1)


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring an old file to today's schema, each step whole or not at all; a newer file is refused."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(STEPS):
        raise StoreError("The session store was written by a newer Placet; update this one, or move the file away.")
    for number, step in enumerate(STEPS[version:], start=version + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {step} PRAGMA user_version = {number}; COMMIT;")
