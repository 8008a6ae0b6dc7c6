"""Reads of files off the event loop, gathered: a way to the pool and back takes longer than reading a short file."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from placet.core.executor import in_thread
from placet.core.ports import Document

MOST_TOGETHER = 512
"""Highest number of files that one thread reads for a batch; further files are read in other threads meanwhile.

Threads side by side hinder each other at short reads: four threads need three times as long for 300 files as one.
"""


@dataclass(slots=True)
class _Batch:
    """Reads that began in one step of the event loop; lives until all files of the batch are read."""

    outcomes: "asyncio.Task[dict[Path, Document | Exception]]"
    paths: set[Path] = field(default_factory=set[Path])


class GatheredReads:
    """Reads of one owner of documents. Reads that begin in the same step of the event loop share a call in the pool."""

    def __init__(self, read: Callable[[Path], Document]) -> None:
        """Read each file by `read`, which blocks."""
        self._read = read
        self._open: _Batch | None = None
        """Batch that further reads may join."""

    async def read(self, path: Path) -> Document:
        """Return the document. Raises the error of `read`."""
        batch = self._open
        if batch is None or (len(batch.paths) == MOST_TOGETHER and path not in batch.paths):
            paths = set[Path]()
            batch = self._open = _Batch(asyncio.create_task(self._all(paths), name="reads of files"), paths)
        batch.paths.add(path)
        outcomes = await asyncio.shield(batch.outcomes)  # Other reads may wait for the same batch.
        if isinstance(outcome := outcomes[path], Exception):
            raise outcome
        return outcome

    async def _all(self, paths: set[Path]) -> "dict[Path, Document | Exception]":
        if self._open is not None and self._open.paths is paths:
            self._open = None
        return await in_thread(lambda: {path: self._try(path) for path in paths})

    def _try(self, path: Path) -> Document | Exception:
        try:
            return self._read(path)
        except Exception as error:  # noqa: BLE001 - the error is raised where the caller awaits
            return error
