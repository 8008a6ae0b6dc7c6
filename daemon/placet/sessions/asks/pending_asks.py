"""Pending asks in the store, so that any process of the same user can show and answer the asks.

The first answer counts: an answer from another process is written only while the ask has no answer. The asking process
ends the ask in one transaction, and finds an earlier answer in the same transaction.
"""

import asyncio
import logging
import sqlite3
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from placet.core.messages import DEFERRED, Value, now
from placet.sessions.asks.pending_ask_models import Asked, PendingPermission, PendingQuestions, StoredAnswer
from placet.storage.database import Database
from placet.storage.owner import is_alive, this_process

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.2
"""Time between two looks for an answer from another process. No process looks without a pending ask."""
LEAST_BEGINNING = 8
"""Least length of the beginning of an id: the prefix alone, or nothing, must not answer whatever waits."""
_DAY_MILLISECONDS = 24 * 60 * 60 * 1000
_ASKED: TypeAdapter[PendingPermission | PendingQuestions] = TypeAdapter(Asked, config=DEFERRED)

Outcome = Literal["here", "elsewhere", "withdrawn"]
"""End of an ask: answered on the asking screen, answered by another process, or withdrawn with the turn."""


class PendingAsk(Value):
    """Ask without an answer, as the store lists the ask."""

    id: str
    session_id: str
    session: str
    """Title of the session; empty for a session without a title."""
    process_id: int
    """Id of the asking process."""
    created: int
    asked: Asked


class PendingAsks:
    """Table of the pending asks of one user; each process has a PendingAsks of its own over the shared store."""

    def __init__(self, database: Database, look_seconds: float = LOOK_SECONDS) -> None:
        self._database = database
        self._look_seconds = look_seconds

    # ------------------------------------------------------------ the asking side

    async def answer_from_elsewhere(
        self, ask_id: str, session_id: str, asked: PendingPermission | PendingQuestions
    ) -> StoredAnswer:
        """Write the ask into the store and wait for another process's answer. Raises StoreError."""
        body = asked.model_dump_json(by_alias=True, exclude_none=True)

        def add(connection: sqlite3.Connection) -> None:
            _clear_up(connection)
            connection.execute(
                "INSERT INTO waiting (id, session_id, owner, created, asked) VALUES (?, ?, ?, ?, ?)",
                (ask_id, session_id, this_process(), now(), body),
            )

        await self._database.work(add)
        while True:
            await asyncio.sleep(self._look_seconds)
            rows = await self._database.read("SELECT answer FROM waiting WHERE id = ?", (ask_id,))
            if rows and (given := _given(rows[0]["answer"])) is not None:
                return given

    async def end(self, ask_id: str) -> StoredAnswer | None:
        """End the ask and return the earlier answer of another process, or None. Raises StoreError."""

        def end(connection: sqlite3.Connection) -> StoredAnswer | None:
            row = connection.execute("SELECT answer FROM waiting WHERE id = ?", (ask_id,)).fetchone()
            given = None if row is None else _given(row["answer"])
            _end(connection, ask_id, "here" if given is None else "elsewhere")
            return given

        return await self._database.work(end)

    def withdraw(self, ask_id: str) -> None:
        """End the ask of a stopped turn, without waiting for the store."""
        try:
            self._database.transaction([_ending(ask_id, "withdrawn")])
        except RuntimeError:  # The store is closed: a call that would not stop is left behind.
            logger.debug("%s ended after the store", ask_id)

    # ------------------------------------------------------------ the answering side

    async def listing(self) -> list[PendingAsk]:
        """Return the pending asks of living processes, the oldest first. Raises StoreError."""
        rows = await self._database.read(
            "SELECT waiting.*, coalesce(session.title, '') AS title FROM waiting "
            "LEFT JOIN session ON session.id = waiting.session_id "
            "WHERE ended IS NULL AND answer IS NULL ORDER BY waiting.id"
        )
        return [_waiting(row) for row in rows if is_alive(row["owner"])]

    async def known(self, beginning: str) -> list[str]:
        """Return the ids that begin so, the newest first; only the id itself if there is such an id. Raises StoreError.

        Asks that ended within about a day count too: the beginning of an answered ask must not mean a later ask.
        """
        if len(beginning) < LEAST_BEGINNING:
            return []
        rows = await self._database.read(
            "SELECT id FROM waiting WHERE substr(id, 1, ?) = ? ORDER BY id DESC", (len(beginning), beginning)
        )
        ids = [row["id"] for row in rows]
        return [beginning] if beginning in ids else ids

    async def give(self, ask_id: str, answer: StoredAnswer) -> bool:
        """Answer the ask; return False if the ask has an answer already or has ended. Raises StoreError."""

        def give(connection: sqlite3.Connection) -> bool:
            cursor = connection.execute(
                "UPDATE waiting SET answer = ? WHERE id = ? AND answer IS NULL AND ended IS NULL",
                (answer.model_dump_json(by_alias=True, exclude_none=True), ask_id),
            )
            return cursor.rowcount > 0

        return await self._database.work(give)

    async def taken(self, ask_id: str, within_seconds: float) -> Outcome | None:
        """Return the end of the ask as the asking process notes the end, or None after the time. Raises StoreError."""
        deadline = asyncio.get_running_loop().time() + within_seconds
        while asyncio.get_running_loop().time() < deadline:
            rows = await self._database.read("SELECT outcome FROM waiting WHERE id = ?", (ask_id,))
            if rows and rows[0]["outcome"] is not None:
                return rows[0]["outcome"]
            await asyncio.sleep(self._look_seconds / 4)
        return None


def _clear_up(connection: sqlite3.Connection) -> None:
    """Delete asks that ended more than a day ago, and the asks of dead processes."""
    connection.execute("DELETE FROM waiting WHERE ended < ?", (now() - _DAY_MILLISECONDS,))
    owners = connection.execute("SELECT DISTINCT owner FROM waiting WHERE ended IS NULL").fetchall()
    dead = [(row["owner"],) for row in owners if not is_alive(row["owner"])]
    connection.executemany("DELETE FROM waiting WHERE owner = ?", dead)


def _ending(ask_id: str, outcome: Outcome) -> tuple[str, tuple[str | int, ...]]:
    statement = "UPDATE waiting SET ended = ?, outcome = ?, asked = '' WHERE id = ? AND ended IS NULL"
    return statement, (now(), outcome, ask_id)


def _end(connection: sqlite3.Connection, ask_id: str, outcome: Outcome) -> None:
    connection.execute(*_ending(ask_id, outcome))


def _given(answer: str | None) -> StoredAnswer | None:
    try:
        return None if answer is None else StoredAnswer.model_validate_json(answer)
    except ValidationError:
        logger.warning("An answer from another process cannot be read. The process may run another version of Placet.")
        return None


def _waiting(row: sqlite3.Row) -> PendingAsk:
    return PendingAsk(
        id=row["id"],
        session_id=row["session_id"],
        session=row["title"],
        process_id=int(row["owner"].partition(":")[0]),
        created=row["created"],
        asked=_ASKED.validate_json(row["asked"]),
    )
