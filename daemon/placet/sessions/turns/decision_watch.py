"""Watch for decisions about the change set that another process asks for while this process works in the session."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from placet.changes.journal.unfinished import has_undecided_files
from placet.core.errors import PlacetError, StoreError
from placet.sessions.services.services import Services
from placet.storage.database import LOOK_SECONDS

if TYPE_CHECKING:
    from placet.changes.review.requested_decisions import DecisionRequests
    from placet.sessions.change_set import SessionChangeSet

logger = logging.getLogger(__name__)

_CUT_SHORT = "The decision was not carried out to its end. Look at the changes again."


class DecisionWatch:
    """Watch of one session, which owns the watch; looks for requests only within `looking`."""

    def __init__(
        self,
        services: Services,
        family: Callable[[], str],
        change_set: Callable[[], "SessionChangeSet"],
        leave_behind: Callable[[asyncio.Task[Any]], None],
    ) -> None:
        """`family` returns the session of the change set; `leave_behind` owns decisions that outlive the turn."""
        self._services = services
        self._family = family
        self._change_set = change_set
        self._leave_behind = leave_behind

    @asynccontextmanager
    async def looking(self) -> AsyncGenerator[None]:
        """Carry out the requested decisions while the context lasts; a taken request is carried out to the end."""
        task = asyncio.create_task(self._look(), name="decisions of other processes")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    async def _look(self) -> None:
        family = self._family()
        try:
            await asyncio.sleep(LOOK_SECONDS)  # Nothing is looked for before the first request to the model is sent.
            had_files = await has_undecided_files(self._services.database, family)
            watch = self._services.database.watch()
            while True:
                if (had_files or self._has_files(family)) and await watch.has_changed():
                    await self._carry_out_all(family)
                await asyncio.sleep(LOOK_SECONDS)
        except StoreError as error:
            logger.warning("Decisions of other processes are not looked for any more: %s", error)

    def _has_files(self, family: str) -> bool:
        return self._services.has_pipeline and self._services.change_sets.has_files(family)

    async def _carry_out_all(self, family: str) -> None:
        """Carry out the requests that wait now."""
        from placet.changes.review.requested_decisions import DecisionRequests  # No turn without files needs the table.

        requests = DecisionRequests(self._services.database)
        while True:
            work = asyncio.create_task(self._carry_out_next(requests, family), name=f"requested decision of {family}")
            try:
                if not await asyncio.shield(work):
                    return
            except asyncio.CancelledError:
                self._leave_behind(work)  # Also in the middle of the taking: nobody else carries out a taken request.
                raise

    async def _carry_out_next(self, requests: "DecisionRequests", family: str) -> bool:
        """Take the next request, decide, and write the outcome for the asker; return False without a request."""
        from placet.changes.review.requested_decisions import RequestOutcome

        if (requested := await requests.take(family)) is None:
            return False
        outcome = RequestOutcome(error=_CUT_SHORT)
        try:
            outcome = RequestOutcome(tuple(await self._change_set().decide_here(requested.decisions)))
        except PlacetError as error:
            outcome = RequestOutcome(error=str(error))
        finally:
            await requests.answer(requested.id, outcome)
        return True
