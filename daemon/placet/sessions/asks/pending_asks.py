"""What users are asked now, in the store, so that any process of the same user can show it and answer it.

The first answer counts: one from elsewhere is written only while there is none, and whoever asks ends the ask in one
transaction, in which it finds an answer that came before its own.
"""

import asyncio
import logging
import sqlite3
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from placet.core.messages import Value, now
from placet.sessions.asks.pending_ask_models import Asked, PendingPermission, PendingQuestions, StoredAnswer
from placet.storage.database import Database
from placet.storage.owner import is_alive, this_process

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.2
"""Between two looks for an answer from elsewhere. Nothing looks while nothing waits."""
_DAY_MILLISECONDS = 24 * 60 * 60 * 1000
_ASKED: TypeAdapter[PendingPermission | PendingQuestions] = TypeAdapter(Asked)

Outcome = Literal["here", "elsewhere", "withdrawn"]
"""How an ask was over: answered where it was shown, by another process, or not wanted any more."""


class PendingAsk(Value):
    """One that waits for its answer."""

    id: str
    session_id: str
    session: str
    """The session's title; empty where it has none."""
    process_id: int
    """Of the process that asks."""
    created: int
    asked: Asked


class PendingAsks:
    """The table of them."""

    def __init__(self, database: Database, look_seconds: float = LOOK_SECONDS) -> None:
        self._database = database
        self._look_seconds = look_seconds

    # ------------------------------------------------------------ for who asks

    async def answer_from_elsewhere(
        self, ask_id: str, session_id: str, asked: PendingPermission | PendingQuestions
    ) -> StoredAnswer:
        """Write the ask down and wait for what another process says to it. Raises StoreError."""
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
        """It is over; the answer that another process gave first, if one did. Raises StoreError."""

        def end(connection: sqlite3.Connection) -> StoredAnswer | None:
            row = connection.execute("SELECT answer FROM waiting WHERE id = ?", (ask_id,)).fetchone()
            given = None if row is None else _given(row["answer"])
            _end(connection, ask_id, "here" if given is None else "elsewhere")
            return given

        return await self._database.work(end)

    def withdraw(self, ask_id: str) -> None:
        """It is not asked any more, as the turn was stopped; nobody waits for the store."""
        try:
            self._database.transaction([_ending(ask_id, "withdrawn")])
        except RuntimeError:  # The store is closed: a call that would not stop is left behind.
            logger.debug("%s ended after the store", ask_id)

    # ------------------------------------------------------------ for who answers

    async def listing(self) -> list[PendingAsk]:
        """All that wait, the oldest first; those of dead processes do not. Raises StoreError."""
        rows = await self._database.read(
            "SELECT waiting.*, coalesce(session.title, '') AS title FROM waiting "
            "LEFT JOIN session ON session.id = waiting.session_id "
            "WHERE ended IS NULL AND answer IS NULL ORDER BY waiting.id"
        )
        return [_waiting(row) for row in rows if is_alive(row["owner"])]

    async def is_known(self, ask_id: str) -> bool:
        """Whether it was asked, today or yesterday. Raises StoreError."""
        return bool(await self._database.read("SELECT 1 FROM waiting WHERE id = ?", (ask_id,)))

    async def give(self, ask_id: str, answer: StoredAnswer) -> bool:
        """Answer it; False when it was answered meanwhile, or is not asked any more. Raises StoreError."""

        def give(connection: sqlite3.Connection) -> bool:
            cursor = connection.execute(
                "UPDATE waiting SET answer = ? WHERE id = ? AND answer IS NULL AND ended IS NULL",
                (answer.model_dump_json(by_alias=True, exclude_none=True), ask_id),
            )
            return cursor.rowcount > 0

        return await self._database.work(give)

    async def taken(self, ask_id: str, within_seconds: float) -> Outcome | None:
        """How it was over once its asker says so; None when it does not in time. Raises StoreError."""
        deadline = asyncio.get_running_loop().time() + within_seconds
        while asyncio.get_running_loop().time() < deadline:
            rows = await self._database.read("SELECT outcome FROM waiting WHERE id = ?", (ask_id,))
            if rows and rows[0]["outcome"] is not None:
                return rows[0]["outcome"]
            await asyncio.sleep(self._look_seconds / 4)
        return None


def _clear_up(connection: sqlite3.Connection) -> None:
    """Forget what has been over for long, and what processes have left that are dead."""
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
        logger.warning("An answer from another process cannot be read; is it another version of Placet?")
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
