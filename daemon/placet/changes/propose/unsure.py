"""Changes without an answer from the editor: settled as soon as the outcome is known.

Until then the outcome is not reported, and the files are not edited again.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Literal

from placet.changes.journal.current_files import applied_state, read_current
from placet.changes.journal.journal import Journal
from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.changes.locks import locked
from placet.changes.propose.apply import Unsettled
from placet.core.errors import DocumentError, NotApplied, PlacetError
from placet.core.ports import Documents, FileOutcome
from placet.core.values import replace
from placet.project.paths import real

logger = logging.getLogger(__name__)

WAIT_SECONDS = 10.0
"""Longest wait of a further edit of such a file for the editor."""

Tell = Callable[[ChangeRecord], None]
"""Callback for a change found to be applied; the record holds the changed files."""


class UnsureChanges:
    """Unsure changes of one front end. `close` ends the waiting for editors; the journal keeps unsettled changes."""

    def __init__(self, documents: Documents, journal: Journal) -> None:
        self._documents = documents
        self._journal = journal
        self._watched: dict[asyncio.Task[None], ChangeRecord] = {}
        self._news: dict[str, list[str]] = {}

    def watch(self, unsettled: Unsettled, tell: Tell) -> None:
        """Settle the change as soon as the editor answers, or the text is seen in the editor."""
        if any(later is not None for later in unsettled.later):
            task = asyncio.create_task(self._come_late(unsettled, tell), name="an edit without an answer")
            self._watched[task] = unsettled.change
            task.add_done_callback(self._watched.pop)

    async def look(self, changes: Iterable[ChangeRecord], tell: Tell) -> None:
        """Settle the changes whose outcome shows in the current texts. Raises StoreError."""
        owed = {change.id for change in self._watched.values()}
        for change in await self._journal.with_files(unsure for unsure in changes if unsure.state == "unsure"):
            async with self._locked(change):
                await self._settle(change, [None] * len(change.files), tell, is_owed=change.id in owed)

    async def rest(self, paths: Iterable[Path]) -> None:
        """Wait until no editor owes an answer for any of the files. Raises EditError when the wait takes too long."""
        if not self._watched:
            return
        real_paths = set(map(real, paths))
        for task, change in list(self._watched.items()):
            ours = [file.path for file in change.files if real_paths.intersection(map(real, file.paths))]
            if ours:
                await asyncio.wait((task,), timeout=WAIT_SECONDS)
                if not task.done():
                    raise NotApplied(
                        f"{ours[0]}: the editor has not answered to an earlier change of this file, and may still "
                        "apply it. Nothing was changed now. Go on with something else, or ask the user to look at "
                        "the editor."
                    )

    def news(self, session_id: str) -> list[str]:
        """Return the news of settled changes for the session's model; each item once."""
        return self._news.pop(session_id, [])

    async def close(self) -> None:
        tasks = list(self._watched)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _come_late(self, unsettled: Unsettled, tell: Tell) -> None:
        change = unsettled.change
        outcomes = [None if later is None else await asyncio.shield(later) for later in unsettled.later]
        try:
            async with self._locked(change):
                await self._settle(change, outcomes, tell)
        except PlacetError as error:
            logger.warning("What became of %s is not known: %s", change.id, error)

    async def _settle(
        self, change: ChangeRecord, outcomes: Sequence[FileOutcome | None], tell: Tell, *, is_owed: bool = False
    ) -> None:
        """Settle the change unless the change is settled, or the outcome of a file is unknown.

        As long as an editor owes an answer (`is_owed`), no other text proves that the edit will not come.
        """
        if await self._journal.state(change.id) != "unsure":
            return
        applied: list[FileRecord] = []
        for file, outcome in zip(change.files, outcomes, strict=True):
            match await self._became(file, outcome):
                case "unknown":
                    return
                case "failed":
                    if is_owed:
                        return
                case done:
                    applied.append(done)
        names = ", ".join(str(file.path) for file in change.files)
        if not applied:
            await self._journal.failed(change.id)
            self._tell_model(change, f"The change of {names}, of which it was not known, was not applied.")
            return
        change = replace(change, files=tuple(applied), state="applied")
        await self._journal.applied(change)
        names = ", ".join(str(file.path) for file in applied)
        self._tell_model(
            change,
            f"The change of {names}, of which it was not known, has been applied by the editor after all. "
            "Read it again before you edit it.",
        )
        tell(change)

    async def _became(self, file: FileRecord, outcome: FileOutcome | None) -> FileRecord | Literal["failed", "unknown"]:
        """Return the file as changed, or "failed", or "unknown" while the outcome is not known."""
        if outcome is not None and outcome.applied and outcome.after is not None:
            formatted = outcome.after.text if outcome.changed_by_save else file.after
            return replace(file, after=formatted)
        try:
            state = applied_state(file, await read_current(self._documents, [file]))
        except DocumentError:
            return "unknown"
        if state == "after":
            return file
        is_known = outcome is not None and not outcome.is_unsure
        return "failed" if is_known or state == "mixed" else "unknown"

    def _locked(self, change: ChangeRecord) -> AbstractAsyncContextManager[None]:
        return locked([path for file in change.files for path in file.paths], self._journal.locks)

    def _tell_model(self, change: ChangeRecord, text: str) -> None:
        self._news.setdefault(change.session_id, []).append(text)
