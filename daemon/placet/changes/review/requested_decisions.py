"""Requested decisions: a process asks the process at work in a session to decide about the change set.

The decisions go through the store (storage/requests.py). Either the process at work takes the request and carries the
decisions out to the end, or the asking process takes the request back.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from placet.changes.review.parts import DecisionOutcome
from placet.core.errors import RequestError
from placet.core.hunks import Decision
from placet.core.ids import new_id
from placet.storage.database import LOOK_SECONDS, Database
from placet.storage.owner import is_alive
from placet.storage.requests import Requests

T = TypeVar("T")

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
    """Requested decisions of one user; each process has a DecisionRequests of its own over the shared store."""

    def __init__(self, database: Database, look_seconds: float = LOOK_SECONDS) -> None:
        """`look_seconds` is the time between two looks for an answer."""
        self._database = database
        self._requests = Requests(database, "decision")
        self._look_seconds = look_seconds

    # ------------------------------------------------------------ the asking side

    async def ask(
        self,
        session_id: str,
        decisions: Sequence[Decision],
        work: Callable[[], Awaitable[Callable[[], bool]]],
        who: str = "",
        tell: Callable[[str], None] = _say_nothing,
        way_back: str = "",
    ) -> list[DecisionOutcome] | None:
        """Ask the process at work in the session to decide, and return the outcome of each file.

        `work` returns a check for the processes at work. `tell` tells the user what a long wait waits for, with the
        sentence `who` about the process at work and the sentence `way_back` about a decision that is not taken, and
        what becomes of the decision of a cancelled call. None if no process is at work any more and nothing was done.
        A cancelled call takes back a request that no process has taken. Raises RequestError if the process at work
        failed, or ended meanwhile; StoreError.
        """
        request_id = new_id("dec")
        patient_until = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        try:
            await self._requests.add(request_id, session_id, msgspec.json.encode(decisions, enc_hook=str).decode())
            watch = self._database.watch()
            taker, is_at_work = None, await work()
            while True:
                if await watch.has_changed():
                    if (request := await self._requests.find(request_id)) is None:
                        return None
                    if request.answer is not None:
                        await self._requests.end(request_id)
                        return _files(request.answer)
                    taker, is_at_work = request.taken, await work()
                if taker is not None:
                    await self._check_taker(request_id, taker)
                elif not is_at_work() and await self._requests.take_back(request_id):
                    return None
                if asyncio.get_running_loop().time() >= patient_until:
                    patient_until = math.inf
                    text = f"{_NOT_TAKEN} {way_back}".rstrip() if taker is None else _TAKEN
                    tell(text.format(who))
                await asyncio.sleep(self._look_seconds)
        except asyncio.CancelledError:
            with suppress(RuntimeError):  # The store is closed.
                tell(_TAKEN_BACK if await self._requests.take_back(request_id) else _GOES_ON)
            raise
        finally:
            self._requests.withdraw(request_id)

    async def _check_taker(self, request_id: str, taker: str) -> None:
        """Raise RequestError if the process that took the request has ended without an answer."""
        if is_alive(taker):
            return
        request = await self._requests.find(request_id)  # The answer may have been the last act of the process.
        if request is not None and request.answer is None:
            raise RequestError(
                f"The other Placet (process {taker.partition(':')[0]}) ended while it carried out the decision. The "
                "outcome is unknown: look at the changes again."
            )

    # ------------------------------------------------------------ the deciding side

    async def take(self, session_id: str) -> RequestedDecisions | None:
        """Take the oldest request of a living process, for this process to carry out. Raises StoreError."""
        while (request := await self._requests.take(session_id)) is not None:
            try:
                return RequestedDecisions(request.id, _decoded(request.body, tuple[Decision, ...]))
            except msgspec.DecodeError:
                error = RequestOutcome(error="The two processes run different versions of Placet.")
                await self.answer(request.id, error)
        return None

    async def answer(self, request_id: str, outcome: RequestOutcome) -> None:
        """Give the asking process the outcome, unless the process no longer waits. Raises StoreError."""
        await self._requests.answer(request_id, msgspec.json.encode(outcome, enc_hook=str).decode())


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
