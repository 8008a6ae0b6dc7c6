"""Watch of the unsaved text of one editor, which tells other processes with the same store of the files."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from placet.core.executor import in_thread
from placet.project.paths import real
from placet.storage.unsaved_notes import UnsavedNote

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""Shortest time between two looks: while the user types, most changes of a document leave the document unsaved."""

LOOK_AGAIN_SECONDS = 2.0
"""Time after which the unsaved documents are looked at again: some editors do not report that a document was saved."""


class UnsavedWatch:
    """Watch of one editor's documents, from the first touched document until the editor leaves."""

    def __init__(self, has_unsaved: Callable[[Path], Awaitable[bool]], store: Path | None) -> None:
        self._has_unsaved = has_unsaved
        self._note = None if store is None else UnsavedNote(store)
        self._touched: dict[Path, bool | None] = {}
        """Touched documents, each with whether the document is unsaved; None for a document to be looked at."""
        self._is_touched = asyncio.Event()
        self._held: frozenset[Path] = frozenset()
        self._task = asyncio.create_task(self._watch(), name="unsaved text")

    def touch(self, path: Path, is_unsaved: bool | None = None) -> None:
        """Note that the document may have changed, or whether the document is unsaved by now."""
        self._touched[path] = is_unsaved
        self._is_touched.set()

    async def close(self) -> None:
        """Remove the note: the editor is gone, and with the editor its unsaved text."""
        self._task.cancel()
        await asyncio.wait([self._task])
        await self._tell(frozenset())

    async def _watch(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_SECONDS if self._held else None):
                    await self._is_touched.wait()
            self._is_touched.clear()
            touched, self._touched = self._touched or dict.fromkeys(self._held), {}
            held = set(self._held)
            for path, known in touched.items():
                is_unsaved = await self._has_unsaved(path) if known is None else known
                (held.add if is_unsaved else held.discard)(path)
            await self._tell(frozenset(held))
            await asyncio.sleep(LOOK_SECONDS)

    async def _tell(self, held: frozenset[Path]) -> None:
        if held == self._held or (note := self._note) is None:
            return
        try:
            await in_thread(lambda: note.write({real(path) for path in held}))
            self._held = held
        except OSError as error:
            logger.warning("Other processes cannot be told of unsaved text: %s", error)
