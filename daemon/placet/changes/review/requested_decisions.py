"""Requested decisions in the store: a process asks the process at work in a session to decide about the change set.

A request is taken in one transaction, so either the process at work carries the decisions out, or the asking process
takes the request back. A taken request is carried out to the end, and the answer is written into the store.
"""

import asyncio
import math
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from placet.changes.review.parts import Decision, DecisionOutcome
from placet.core.errors import RequestError
from placet.core.messages import new_id
from placet.storage.database import Database
from placet.storage.owner import is_alive, this_process

T = TypeVar("T")

LOOK_SECONDS = 0.2
"""Time between two looks for an answer, or for a request."""
PATIENCE_SECONDS = 3.0
"""Time after which the user is told what a decision waits for."""
_NOT_TAKEN = "{} It has not taken your decision yet: it may be stopped, or be an older Placet. Waiting for it."
_TAKEN = "{} It carries your decision out. Waiting for the outcome."
_TAKEN_BACK = "The decision was taken back. Nothing was decided."
_GOES_ON = "The other Placet has taken the decision, and carries the decision out. Look at the changes again."


def _say_nothing(text: str) -> None:
    """Tell nobody."""


class RequestedDecisions(Struct, frozen=True):
    """Decisions that this process has taken from another process, to be carried out."""

    id: str
    decisions: tuple[Decision, ...]


class RequestOutcome(Struct, frozen=True):
    """End of the decisions: the outcome of each file, or the reason for which nothing is known of the files."""

    files: tuple[DecisionOutcome, ...] = ()
    error: str = ""


class DecisionRequests:
    """Table of the requested decisions; each process has a DecisionRequests of its own over the shared store."""

    def __init__(self, database: Database, look_seconds: float = LOOK_SECONDS) -> None:
        self._database = database
        self._look_seconds = look_seconds

    # ------------------------------------------------------------ the asking side

    async def ask(
        self,
        session_id: str,
        decisions: Sequence[Decision],
        is_at_work: Callable[[], Awaitable[bool]],
        who: str = "",
        tell: Callable[[str], None] = _say_nothing,
        way_back: str = "",
    ) -> list[DecisionOutcome] | None:
        """Ask the process at work in the session to decide, and return the outcome of each file.

        `tell` tells the user what a long wait waits for, with the sentence `who` about the process at work and the
        sentence `way_back` about a decision that is not taken, and what becomes of the decision of a cancelled call.
        None if no process is at work any more and nothing was done. A cancelled call takes back a request that no
        process has taken. Raises RequestError if the process at work failed, or ended meanwhile; StoreError.
        """
        request_id = new_id("dec")
        body = msgspec.json.encode(decisions, enc_hook=str).decode()

        def add(connection: sqlite3.Connection) -> None:
            _drop_dead(connection)
            connection.execute(
                "INSERT INTO requested_decision (id, session_id, asker, decisions) VALUES (?, ?, ?, ?)",
                (request_id, session_id, this_process(), body),
            )

        patient_until = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        try:
            await self._database.work(add)
            while (row := await self._row(request_id)) is not None:
                if row["answer"] is not None:
                    return _files(row["answer"])
                if row["taken"] is not None:
                    await self._check_taker(request_id, row["taken"])
                elif not await is_at_work() and await self._take_back(request_id):
                    return None
                if asyncio.get_running_loop().time() >= patient_until:
                    patient_until = math.inf
                    text = f"{_NOT_TAKEN} {way_back}".rstrip() if row["taken"] is None else _TAKEN
                    tell(text.format(who))
                await asyncio.sleep(self._look_seconds)
        except asyncio.CancelledError:
            with suppress(RuntimeError):  # The store is closed.
                tell(_TAKEN_BACK if await self._take_back(request_id) else _GOES_ON)
            raise
        finally:
            with suppress(RuntimeError):  # The store is closed: the next request drops requests of ended processes.
                self._database.write("DELETE FROM requested_decision WHERE id = ?", (request_id,))
        return None

    async def _row(self, request_id: str) -> sqlite3.Row | None:
        """Return the row of the request; None once the session is deleted."""
        query = "SELECT taken, answer FROM requested_decision WHERE id = ?"
        rows = await self._database.read(query, (request_id,))
        return rows[0] if rows else None

    async def _check_taker(self, request_id: str, taker: str) -> None:
        """Raise RequestError if the process that took the request has ended without an answer."""
        if is_alive(taker):
            return
        row = await self._row(request_id)  # The answer may have been the last act of the process.
        if row is not None and row["answer"] is None:
            raise RequestError(
                f"The other Placet (process {taker.partition(':')[0]}) ended while it carried out the decision. The "
                "outcome is unknown: look at the changes again."
            )

    async def _take_back(self, request_id: str) -> bool:
        """Delete the request; return False if a process has taken the request."""
        return await self._database.work(
            lambda connection: (
                connection.execute(
                    "DELETE FROM requested_decision WHERE id = ? AND taken IS NULL", (request_id,)
                ).rowcount
                > 0
            )
        )

    # ------------------------------------------------------------ the deciding side

    async def take(self, session_id: str) -> RequestedDecisions | None:
        """Take the oldest request of a living process, for this process to carry out. Raises StoreError."""
        query = "SELECT 1 FROM requested_decision WHERE session_id = ? AND taken IS NULL LIMIT 1"
        if not await self._database.read(query, (session_id,)):
            return None

        def take(connection: sqlite3.Connection) -> sqlite3.Row | None:
            _drop_dead(connection)
            row = connection.execute(
                "SELECT id, decisions FROM requested_decision WHERE session_id = ? AND taken IS NULL ORDER BY id",
                (session_id,),
            ).fetchone()
            if row is not None:
                connection.execute("UPDATE requested_decision SET taken = ? WHERE id = ?", (this_process(), row["id"]))
            return row

        if (row := await self._database.work(take)) is None:
            return None
        try:
            return RequestedDecisions(row["id"], _decoded(row["decisions"], tuple[Decision, ...]))
        except msgspec.DecodeError:
            await self.answer(row["id"], RequestOutcome(error="The two processes run different versions of Placet."))
            return None

    async def answer(self, request_id: str, outcome: RequestOutcome) -> None:
        """Give the asking process the outcome. Raises StoreError."""
        body = msgspec.json.encode(outcome, enc_hook=str).decode()
        await asyncio.wrap_future(
            self._database.write("UPDATE requested_decision SET answer = ? WHERE id = ?", (body, request_id))
        )


def _drop_dead(connection: sqlite3.Connection) -> None:
    """Delete the requests of processes that have ended."""
    askers = connection.execute("SELECT DISTINCT asker FROM requested_decision").fetchall()
    dead = [(row["asker"],) for row in askers if not is_alive(row["asker"])]
    connection.executemany("DELETE FROM requested_decision WHERE asker = ?", dead)


def _files(answer: str) -> list[DecisionOutcome]:
    """Return the outcome of each file. Raises RequestError for decisions without an outcome."""
    outcome = _decoded(answer, RequestOutcome)
    if outcome.error:
        raise RequestError(outcome.error)
    return list(outcome.files)


def _decoded(body: str, kind: type[T]) -> T:
    return msgspec.json.decode(body, type=kind, dec_hook=_path)


def _path(kind: type, value: Any) -> Any:
    assert kind is Path
    return kind(value)
