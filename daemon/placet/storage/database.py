"""A SQLite file (WAL), with a single thread for all work, in the order of the requests."""

import asyncio
import sqlite3
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from placet.core.errors import StoreError
from placet.storage.migrations import STEPS
from placet.storage.review_index import ReviewIndex
from placet.storage.schema import migrate, refuse_newer

T = TypeVar("T")
Statement = tuple[str, Sequence[Any]]

BUSY_TIMEOUT_SECONDS = 10
"""Longest time for which a statement waits for another process's statement."""
LOOK_SECONDS = 0.2
"""Time between two looks of a watch: SQLite tells no process of the writes of another."""


class Database:
    """The file of the session store, and the thread that owns the connection until `close`.

    Writes are queued and return at once; a read sees every write queued before it. A failed write raises where its
    future is awaited, and the first such failure makes the database reject all later work, lest anything be stored on
    top of a hole. A failed read leaves no hole, nor does a `work` with an error of its own. SQL has a further
    function: `packed(bytes)`, by zlib.
    """

    def __init__(self, path: Path | None) -> None:
        """Open the file in the worker's thread, or keep everything in memory if `path` is None.

        An error shows at the first use.
        """
        self.path = path
        self._review_index = None if path is None else ReviewIndex(path)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="placet-store")
        self._connection: sqlite3.Connection | None = None
        self._failure: StoreError | None = None
        self._worker.submit(self._guard, self._open)  # An error is kept, and raised for the first caller.

    def write(self, sql: str, parameters: Sequence[Any] = ()) -> Future[None]:
        """Queue a statement."""
        return self.transaction([(sql, parameters)])

    def transaction(self, statements: Sequence[Statement], *, durable: bool = False) -> Future[None]:
        """Queue statements to be stored all or none; `durable`: with all earlier ones, and safe from a power cut."""
        return self._worker.submit(self._guard, lambda: self._run(statements, durable=durable))

    async def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return all rows. Raises StoreError."""
        return (await self.snapshot([(sql, parameters)]))[0]

    async def snapshot(self, queries: Sequence[Statement]) -> list[list[sqlite3.Row]]:
        """Return all rows of each query, as of one moment, whatever other processes do. Raises StoreError."""
        return await asyncio.wrap_future(self._worker.submit(self._guard, lambda: self._query(queries), sticky=False))

    async def version(self) -> int:
        """Return a number, changed after each write of another process, or of another Database here.

        Raises StoreError.
        """
        return (await self.read("PRAGMA data_version"))[0][0]

    def watch(self) -> "StoreWatch":
        """Return a new watch for writes of other processes."""
        return StoreWatch(self)

    async def work(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in the worker's thread as one transaction, alone among all processes.

        Any error of `work` undoes the transaction; a sqlite3.Error is raised as StoreError.
        """
        return await asyncio.wrap_future(self._worker.submit(self._guard, lambda: self._alone(work)))

    async def flushed(self) -> None:
        """Wait until everything queued so far is stored. Raises StoreError if a write failed."""
        await asyncio.wrap_future(self._worker.submit(self._guard, lambda: None))

    async def close(self) -> None:
        """Store the queued writes and close the file."""

        def close() -> None:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

        await asyncio.wrap_future(self._worker.submit(close))
        self._worker.shutdown(wait=False)

    # ------------------------------------------------------------ in the worker's thread

    def _guard(self, work: Callable[[], T], *, sticky: bool = True) -> T:
        if self._failure is not None:
            raise self._failure
        try:
            return work()
        except sqlite3.Error as error:
            failure = StoreError(f"The session store {self.path or '(in memory)'} failed: {_explained(error)}")
            if sticky or self._connection is None:
                self._failure = failure
            raise failure from error
        except OSError as error:
            self._failure = StoreError(f"The session store {self.path} cannot be opened: {error.strerror}.")
            raise self._failure from error
        except StoreError as error:
            self._failure = error
            raise

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            if self.path is not None:
                _make_private(self.path.parent)
                refuse_newer(self.path, len(STEPS))
                _keep_private(self.path)
            connection = sqlite3.connect(
                self.path or ":memory:", timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                connection.row_factory = sqlite3.Row
                # Not called deterministic: SQLite would run the function before knowing whether the value is needed.
                connection.create_function("packed", 1, _packed)
                _write_ahead(connection)
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("PRAGMA foreign_keys = ON")
                migrate(connection, STEPS, self.path)
                if self._review_index is not None:
                    self._review_index.watch(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _query(self, queries: Sequence[Statement]) -> list[list[sqlite3.Row]]:
        connection = self._open()
        connection.execute("BEGIN")
        try:
            return [connection.execute(sql, parameters).fetchall() for sql, parameters in queries]
        finally:
            connection.execute("ROLLBACK")

    def _run(self, statements: Sequence[Statement], *, durable: bool) -> None:
        def run(connection: sqlite3.Connection) -> None:
            for sql, parameters in statements:
                connection.execute(sql, parameters)

        if not durable:
            self._alone(run)
            return
        connection = self._open()
        # With FULL the commit waits until the write-ahead log is on disk, with every earlier commit.
        connection.execute("PRAGMA synchronous = FULL")
        try:
            self._alone(run)
        finally:
            connection.execute("PRAGMA synchronous = NORMAL")

    def _alone(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            if self._review_index is not None:
                self._review_index.renew(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:  # A full disk has already rolled the transaction back.
                connection.execute("ROLLBACK")
            raise
        return result


class StoreWatch:
    """Watch of one reader of the store, who reads rows only after another process has written."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._version: int | None = None

    async def has_changed(self) -> bool:
        """Return whether another process has written since the last call; True at the first call. Raises StoreError."""
        version, previous_version = await self._database.version(), self._version
        self._version = version
        return version != previous_version


def _make_private(directory: Path) -> None:
    """Make the directory of the store, private also if an earlier writer made the directory by its umask."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(OSError):  # The file may be another user's.
        if directory.stat().st_mode & 0o077:
            directory.chmod(0o700)


def _keep_private(path: Path) -> None:
    """Keep the file private: nobody else may read conversations or answer requests and questions.

    SQLite gives the same mode to the files beside the store.
    """
    with suppress(OSError):  # SQLite's own words are better.
        if not path.exists():
            path.touch(0o600)
        path.chmod(0o600)


def _packed(data: bytes) -> bytes:
    return zlib.compress(data, 1)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch the file to WAL mode. SQLite does not wait for another process changing the mode, so we do."""
    deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _explained(error: sqlite3.Error) -> str:
    """Return SQLite's words, and advice for the user."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            advice = "Free some disk space, then restart Placet."
        case sqlite3.SQLITE_IOERR:  # Also of a full disk, when the file that processes share cannot grow.
            advice = "The disk may be full, or fail. Free some disk space, then restart Placet."
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            advice = "You must be able to write the file and its directory."
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            advice = f"Another process has locked the file for {BUSY_TIMEOUT_SECONDS} seconds."
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            advice = "Move the file away to start a new store."
        case _:
            return str(error)
    return f"{error}. {advice}"
