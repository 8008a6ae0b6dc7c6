"""Watch of the unsaved text of one editor, which tells other processes with the same store of the files."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from placet.core.executor import in_thread
from placet.frontends.lsp.connection.buffers import BufferStore, OpenBuffer
from placet.project.paths import real
from placet.storage.unsaved_notes import UnsavedNote

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""Shortest time between two looks: while the user types, most changes of a document leave the document unsaved."""

LOOK_AGAIN_SECONDS = 2.0
"""Time after which the unsaved documents are looked at again: some editors do not report that a document was saved."""


class UnsavedWatch:
    """Watch of one connection's documents, from the opening of the sessions until the editor leaves."""

    def __init__(
        self, buffers: BufferStore, has_unsaved: Callable[[Path], Awaitable[bool]], store: Path | None
    ) -> None:
        self._buffers = buffers
        self._has_unsaved = has_unsaved
        self._note = None if store is None else UnsavedNote(store)
        self._touched = {open_buffer.path for open_buffer in buffers.all() if open_buffer.path is not None}
        self._is_touched = asyncio.Event()
        self._is_touched.set()
        self._held: frozenset[Path] = frozenset()
        self._task = asyncio.create_task(self._watch(), name="unsaved text")

    async def close(self) -> None:
        """Remove the note: the editor is gone, and with the editor its unsaved text."""
        self._task.cancel()
        await asyncio.wait([self._task])
        await self._tell(frozenset())

    async def _watch(self) -> None:
        with self._buffers.watched(self._touch):
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_AGAIN_SECONDS if self._held else None):
                        await self._is_touched.wait()
                self._is_touched.clear()
                touched, self._touched = self._touched or set(self._held), set()
                held = set(self._held)
                for path in touched:
                    (held.add if await self._has_unsaved(path) else held.discard)(real(path))
                await self._tell(frozenset(held))
                await asyncio.sleep(LOOK_SECONDS)

    def _touch(self, open_buffer: OpenBuffer) -> None:
        if open_buffer.path is not None:
            self._touched.add(open_buffer.path)
            self._is_touched.set()

    async def _tell(self, held: frozenset[Path]) -> None:
        if held == self._held or self._note is None:
            return
        try:
            await in_thread(self._note.write, held)
            self._held = held
        except OSError as error:
            logger.warning("Other processes cannot be told of unsaved text: %s", error)
