"""Names of a folder's files and directories, except names that git ignores; the list is kept, and looked up again."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.project.search import search

FRESH_SECONDS = 3.0
"""Age in seconds below which a list is used unchanged."""
FRESH_TIMES = 10
"""Multiple of the time to make a list; a list younger than this product is used unchanged too."""
PATIENCE_SECONDS = 0.02
"""Time in seconds to wait for a new list when an old list exists."""
FIRST_SECONDS = 2.0
"""Time in seconds to wait for the first list."""
LISTING_SECONDS = 10.0
"""Time limit for listing a folder; for a slower folder, perhaps a home, the list holds the names found by then."""
MOST_BYTES = 8 * 1024 * 1024
"""Limit in bytes for the names of a folder; later names are not known here."""

_EVERY_FILE = ("--files", "--hidden", "--path-separator=/", "--glob=!.git")


@dataclass(frozen=True, slots=True)
class FileNames:
    """Names relative to their folder, with `/`, and a `/` at the end of a directory; the shortest name first."""

    names: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()
    """Same names in lower case, for searching."""


class FileList:
    """List of the names in a single folder; the list belongs to one event loop."""

    def __init__(self, root: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._root = root
        self._clock = clock
        self._names: FileNames | None = None
        self._stale_at = float("-inf")
        self._looking: asyncio.Task[None] | None = None

    async def names(self) -> FileNames:
        """Return all known names. In a large folder the names may be as old as the last call, which starts a new look.

        A folder that cannot be listed has no names.
        """
        if self._clock() > self._stale_at and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look())
        if self._looking is not None and not self._looking.done():
            await asyncio.wait([self._looking], timeout=FIRST_SECONDS if self._names is None else PATIENCE_SECONDS)
        return self._names or FileNames()

    async def close(self) -> None:
        """Stop looking."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look(self) -> None:
        began_at = self._clock()
        pieces: list[bytes] = []
        size = 0

        async def take(text: bytes) -> None:
            nonlocal size
            size += len(text)
            if size <= MOST_BYTES:
                pieces.append(text)

        with contextlib.suppress(ToolError, OSError, TimeoutError):
            async with asyncio.timeout(LISTING_SECONDS):
                await search(_EVERY_FILE, self._root, take)
        self._names = await in_thread(file_names, b"".join(pieces))
        self._stale_at = began_at + max(FRESH_SECONDS, FRESH_TIMES * (self._clock() - began_at))


def file_names(listing: bytes) -> FileNames:
    """Return the names that rg listed, a name per line, and the directories of the names. Names outside UTF-8 are left
    out."""
    files = [name for name in listing.decode("utf-8", "replace").split("\n") if name and "\ufffd" not in name]
    directories: set[str] = set()
    for directory in {name.rpartition("/")[0] for name in files}:
        above = directory
        while above and above not in directories:
            directories.add(above)
            above = above.rpartition("/")[0]
    names = sorted((*files, *(f"{directory}/" for directory in directories)), key=len)
    if not names:
        return FileNames()
    lower = "\n".join(names).lower().split("\n")
    return FileNames(
        tuple(names), tuple(name if name == lowered else lowered for name, lowered in zip(names, lower, strict=True))
    )
