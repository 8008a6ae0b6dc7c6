"""Pending asks in the store (storage/requests.py), so that any process of the user can show and answer the asks."""

import asyncio
import logging
from contextlib import suppress

from pydantic import TypeAdapter, ValidationError

from placet.core.messages import DEFERRED, Value
from placet.sessions.asks.pending_ask_models import Asked, PendingPermission, PendingQuestions, StoredAnswer
from placet.storage.database import LOOK_SECONDS, Database
from placet.storage.requests import Outcome, Request, Requests

logger = logging.getLogger(__name__)

LEAST_BEGINNING = 8
"""Least length of the beginning of an id: the prefix alone, or nothing, must not answer whatever waits."""
_ASKED: TypeAdapter[PendingPermission | PendingQuestions] = TypeAdapter(Asked, config=DEFERRED)


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
    """Pending asks of one user; each process has a PendingAsks of its own over the shared store."""

    def __init__(self, database: Database, look_seconds: float = LOOK_SECONDS) -> None:
        """`look_seconds` is the time between two looks for an answer; no process looks without a pending ask."""
        self._requests = Requests(database, "ask")
        self._look_seconds = look_seconds

    # ------------------------------------------------------------ the asking side

    async def answer_from_elsewhere(
        self, ask_id: str, session_id: str, asked: PendingPermission | PendingQuestions
    ) -> StoredAnswer:
        """Write the ask into the store and wait for another process's answer. Raises StoreError."""
        await self._requests.add(ask_id, session_id, asked.model_dump_json(by_alias=True, exclude_none=True))
        return await self._requests.wait(ask_id, lambda request: _given(request.answer), self._look_seconds)

    async def end(self, ask_id: str) -> StoredAnswer | None:
        """End the ask and return the earlier answer of another process, or None. Raises StoreError."""
        return _given(await self._requests.end(ask_id))

    def withdraw(self, ask_id: str) -> None:
        """End the ask of a stopped turn, without waiting for the store."""
        self._requests.withdraw(ask_id)

    # ------------------------------------------------------------ the answering side

    async def listing(self) -> list[PendingAsk]:
        """Return the pending asks of living processes, the oldest first. Raises StoreError."""
        return [_pending(request) for request in await self._requests.listing()]

    async def known(self, beginning: str) -> list[str]:
        """Return the ids that begin so, the newest first; only the id itself if there is such an id. Raises StoreError.

        Asks that ended within about a day count too: the beginning of an answered ask must not mean a later ask.
        """
        if len(beginning) < LEAST_BEGINNING:
            return []
        ids = await self._requests.ids(beginning)
        return [beginning] if beginning in ids else ids

    async def give(self, ask_id: str, answer: StoredAnswer) -> bool:
        """Answer the ask; return False if the ask has an answer already or has ended. Raises StoreError."""
        return await self._requests.answer(ask_id, answer.model_dump_json(by_alias=True, exclude_none=True))

    async def taken(self, ask_id: str, within_seconds: float) -> Outcome | None:
        """Return the end of the ask as the asking process notes the end, or None after the time. Raises StoreError."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_seconds):
                return await self._requests.wait(ask_id, lambda request: request.outcome, self._look_seconds / 4)
        return None


def _given(answer: str | None) -> StoredAnswer | None:
    try:
        return None if answer is None else StoredAnswer.model_validate_json(answer)
    except ValidationError:
        logger.warning("An answer from another process cannot be read. The process may run another version of Placet.")
        return None


def _pending(request: Request) -> PendingAsk:
    return PendingAsk(
        id=request.id,
        session_id=request.session_id,
        session=request.session,
        process_id=int(request.asker.partition(":")[0]),
        created=request.created,
        asked=_ASKED.validate_json(request.body),
    )
