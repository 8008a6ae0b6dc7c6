"""Change set of a session, as the user reviews the set: staged and unreviewed files, and decisions about the files."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from placet.changes.call_changes import CallChanges
from placet.changes.ledger import Ledger
from placet.changes.review.parts import DecidedFile, Decision
from placet.changes.review.staged_file import StagedStep, StagedView
from placet.changes.undo.revert import Parties, UndoneFile
from placet.core.events import ChangeSetUpdate, Update
from placet.permissions.ask import Caller
from placet.sessions.services.services import Services


class SessionChangeSet:
    """Change set of one session and its subagents; lives as long as a request of the user."""

    def __init__(
        self, services: Services, session_id: str, family: str, parties: Parties, tell: Callable[[Update], None]
    ) -> None:
        """Make the change set of the session `family`, reviewed in the session `session_id` (mostly the same)."""
        self._services = services
        self._session_id = session_id
        self._family = family
        self._parties = parties
        self._tell = tell

    async def views(self) -> list[StagedView]:
        """Return the files of the set, in the order in which the files joined. Raises StoreError."""
        return await self._services.reviews.views(self._family, self._services.workspace)

    async def decide(self, decisions: Sequence[Decision]) -> list[DecidedFile]:
        """Carry out the user's decisions, and return the outcome of each file.

        Raises RequestError if another process is at work in the session, StoreError or DocumentError.
        """
        services = self._services
        async with services.store.claimed(self._session_id):
            reviews, workspace = services.reviews, services.workspace
            decided = await reviews.decide(self._family, decisions, workspace, self._bind, self._revert)
        await self._announce()
        return decided

    async def follow_undo(self) -> None:
        """After an undo or a redo, tell the screens to look at the set again. Raises StoreError."""
        if (await self._services.pipeline.change_sets.of(self._family)).files:
            await self.views()  # A change without a difference leaves the set.
            await self._announce()

    async def _announce(self) -> None:
        files = (await self._services.pipeline.change_sets.of(self._family)).files
        self._tell(ChangeSetUpdate(session_id=self._family, files=len(files)))

    async def accept_all(self) -> list[tuple[Path, str]]:
        """Accept every staged file; return the files that could not be written, each with the reason.

        Raises RequestError, StoreError or DocumentError.
        """
        views = [view for view in await self.views() if view.file.state == "staged"]
        decided = await self.decide([Decision(view.file.place, view.version, "accept") for view in views])
        return [(file.place, file.reason) for file in decided if file.status != "written"]

    @asynccontextmanager
    async def _bind(self, step: StagedStep) -> AsyncGenerator[CallChanges]:
        """Yield the pipeline for the session and the turn of the step."""
        services, (*above, place) = self._services, step.places
        async with self._parties((place.session_id,)) as parties:
            yield services.pipeline.bind(
                Caller(place.session_id, place.message_id, "", "", (), ()),
                Ledger(),  # The session's ledger stays: the model has seen the accepted text, and is told the rest.
                place.turn_id,
                parties[place.session_id].emit,
                services.workspace,
                on_behalf_of=tuple(above),
            )

    async def _revert(self, change_ids: Sequence[str], paths: Sequence[Path]) -> list[UndoneFile]:
        """Undo the shares of the files in the changes. Raises RequestError or EditError."""
        undo, family = self._services.undo, self._family
        async with self._parties((family,)) as parties:
            return await undo.undo(family, parties[family], self._parties, change_ids=change_ids, paths=paths)
