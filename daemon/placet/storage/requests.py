"""Requests to other processes, in one table of the store: questions that any process of the user may answer, and
decisions that the process at work in a session takes and carries out.

Each step is one transaction, so the first step counts: an answer is stored while the request has no answer and has not
ended, a request is taken once, and a taken request is not taken back. The end removes the body and the answer; the id
stays known for a day.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from typing import Literal, TypeVar

from msgspec import Struct

from placet.core.ids import now
from placet.storage.database import Database
from placet.storage.owner import is_alive, this_process

T = TypeVar("T")

logger = logging.getLogger(__name__)

_DAY_MILLISECONDS = 24 * 60 * 60 * 1000
_OPEN = "ended IS NULL AND answer IS NULL"
_SELECT = (
    "SELECT waiting.*, coalesce(session.title, '') AS session "
    "FROM waiting LEFT JOIN session ON session.id = session_id WHERE kind = ?"
)

Kind = Literal["ask", "decision"]
Outcome = Literal["here", "elsewhere", "withdrawn"]
"""End of a request: settled by the asking process, answered by another process, or withdrawn."""


class Request(Struct, frozen=True):
    """Request as the store holds the request."""

    id: str
    session_id: str
    session: str
    """Title of the session; empty for a session without a title."""
    asker: str
    """Mark of the asking process (storage/owner.py)."""
    created: int
    """Milliseconds since 1970."""
    body: str
    taken: str | None
    """Mark of the process that carries the request out; None before."""
    answer: str | None
    outcome: Outcome | None
    """None before the end."""


class Requests:
    """Requests of one kind; each process has a Requests of its own over the shared store. Methods raise StoreError."""

    def __init__(self, database: Database, kind: Kind) -> None:
        self._database = database
        self._kind: Kind = kind

    async def find(self, request_id: str) -> Request | None:
        """Return the request, or None if the request was deleted."""
        return next(iter(await self._select("waiting.id = ?", request_id)), None)

    async def wait(self, request_id: str, wanted: Callable[[Request], T | None], look_seconds: float) -> T:
        """Return the first value of `wanted` for the request that is not None; the row is read again only after a
        write of another process. `look_seconds` is the time between two looks at the store.
        """
        watch = self._database.watch()
        while True:
            if await watch.has_changed():
                request = await self.find(request_id)
                if request is not None and (value := wanted(request)) is not None:
                    return value
            await asyncio.sleep(look_seconds)

    # ------------------------------------------------------------ the asking side

    async def add(self, request_id: str, session_id: str, body: str) -> None:
        """Add a request of this process."""

        def add(connection: sqlite3.Connection) -> None:
            _clear_up(connection)
            connection.execute(
                "INSERT INTO waiting (id, kind, session_id, owner, created, asked) VALUES (?, ?, ?, ?, ?, ?)",
                (request_id, self._kind, session_id, this_process(), now(), body),
            )

        await self._database.work(add)

    async def end(self, request_id: str) -> str | None:
        """End the request, and return the earlier answer of another process, or None."""

        def end(connection: sqlite3.Connection) -> str | None:
            row = connection.execute("SELECT answer FROM waiting WHERE id = ?", (request_id,)).fetchone()
            answer = None if row is None else row["answer"]
            connection.execute(*_ending(request_id, "here" if answer is None else "elsewhere"))
            return answer

        return await self._database.work(end)

    async def take_back(self, request_id: str) -> bool:
        """End the request; return False if a process has taken or answered the request, or the request has ended."""
        sql, parameters = _ending(request_id, "withdrawn")
        sql = f"{sql} AND taken IS NULL AND answer IS NULL"
        return await self._database.work(lambda connection: connection.execute(sql, parameters).rowcount > 0)

    def withdraw(self, request_id: str) -> None:
        """End the request, taken or not, without waiting for the store."""
        try:
            self._database.transaction([_ending(request_id, "withdrawn")])
        except RuntimeError:  # The store is closed. The next request drops the requests of ended processes.
            logger.debug("%s ended after the store", request_id)

    # ------------------------------------------------------------ the answering side

    async def listing(self) -> list[Request]:
        """Return the requests of living processes without an answer, the oldest first."""
        return [request for request in await self._select(_OPEN) if is_alive(request.asker)]

    async def ids(self, beginning: str) -> list[str]:
        """Return the ids that begin so, the newest first, also of requests that ended within about a day."""
        query = "SELECT id FROM waiting WHERE kind = ? AND substr(id, 1, ?) = ? ORDER BY id DESC"
        rows = await self._database.read(query, (self._kind, len(beginning), beginning))
        return [row["id"] for row in rows]

    async def take(self, session_id: str) -> Request | None:
        """Take the oldest request of a living process about the session, for this process to carry out."""
        condition = f"session_id = ? AND taken IS NULL AND {_OPEN}"
        if not await self._select(condition, session_id):
            return None

        def take(connection: sqlite3.Connection) -> Request | None:
            _clear_up(connection)
            row = connection.execute(
                f"{_SELECT} AND {condition} ORDER BY waiting.id", (self._kind, session_id)
            ).fetchone()
            if row is None:
                return None
            connection.execute("UPDATE waiting SET taken = ? WHERE id = ?", (this_process(), row["id"]))
            return _request(row)

        return await self._database.work(take)

    async def answer(self, request_id: str, answer: str) -> bool:
        """Answer the request; return False if the request has an answer already or has ended."""
        sql = f"UPDATE waiting SET answer = ? WHERE id = ? AND {_OPEN}"  # noqa: S608
        return await self._database.work(lambda connection: connection.execute(sql, (answer, request_id)).rowcount > 0)

    async def _select(self, condition: str, *parameters: str) -> list[Request]:
        rows = await self._database.read(f"{_SELECT} AND {condition} ORDER BY waiting.id", (self._kind, *parameters))
        return [_request(row) for row in rows]


def _request(row: sqlite3.Row) -> Request:
    columns = ("id", "session_id", "session", "owner", "created", "asked", "taken", "answer", "outcome")
    return Request(*(row[column] for column in columns))


def _clear_up(connection: sqlite3.Connection) -> None:
    """Delete the requests that ended more than a day ago, and the open requests of dead processes."""
    connection.execute("DELETE FROM waiting WHERE ended < ?", (now() - _DAY_MILLISECONDS,))
    askers = connection.execute("SELECT DISTINCT owner FROM waiting WHERE ended IS NULL").fetchall()
    dead = [(row["owner"],) for row in askers if not is_alive(row["owner"])]
    connection.executemany("DELETE FROM waiting WHERE owner = ? AND ended IS NULL", dead)


def _ending(request_id: str, outcome: Outcome) -> tuple[str, tuple[str | int, ...]]:
    sql = "UPDATE waiting SET ended = ?, outcome = ?, asked = '', answer = NULL WHERE id = ? AND ended IS NULL"
    return sql, (now(), outcome, request_id)
