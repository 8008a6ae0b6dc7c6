"""Protected names and directories near the top of a writable directory, read again only where a directory changed."""

import os
import stat
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from placet.project.protected_names import PROTECTED_DIRECTORIES, PROTECTED_FILES

DEEPEST = 3
MOST_DIRECTORIES = 400
_MOST_KEPT = 10 * MOST_DIRECTORIES
_RACY_NANOSECONDS = 100_000_000
"""Age below which a directory's time may stand for a later change too: clocks of file systems tick coarsely."""
_NOT_ENTERED = frozenset(("node_modules", "__pycache__", "venv", "target", "site-packages"))
_OF_BARE_REPOSITORY = frozenset(("HEAD", "objects", "refs"))

Kind = Literal["file", "directory", "link"]


class Listing(Struct, frozen=True):
    """Entries of a directory that matter to the protections."""

    stamp: tuple[int, int, int]
    """Device, inode, and time of the last change of the directory."""
    is_settled: bool
    """Whether every later change gives the directory another stamp."""
    protected: dict[str, Kind]
    git: Kind | None
    """Kind of the entry `.git`."""
    is_bare: bool
    """Whether the directory itself is a repository."""
    directories: tuple[str, ...]


EMPTY = Listing((0, 0, 0), False, {}, None, False, ())


class Listings(Struct):
    """Listings of directories, kept from one command to the next; one object serves all commands of a front door."""

    _kept: dict[Path, Listing] = field(default_factory=dict[Path, Listing])

    def walk(self, top: Path) -> Iterator[tuple[Path, Listing]]:
        """Yield the directories from the top to a bounded depth and number, the nearest first. Blocks."""
        queue = deque(((top, 0),))
        for _ in range(MOST_DIRECTORIES):
            if not queue:
                return
            directory, depth = queue.popleft()
            listing = self.of(directory)
            yield directory, listing
            if depth < DEEPEST and not listing.is_bare:
                queue.extend((directory / name, depth + 1) for name in listing.directories)

    def of(self, directory: Path) -> Listing:
        """Return the listing of the directory as the directory is now; an unreadable directory is empty. Blocks."""
        try:
            stamp = _stamp(directory)
            kept = self._kept.get(directory)
            if kept is not None and kept.is_settled and kept.stamp == stamp:
                return kept
            listing = _read(directory, stamp)
        except OSError:
            self._kept.pop(directory, None)
            return EMPTY
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[directory] = listing
        return listing


def _stamp(directory: Path) -> tuple[int, int, int]:
    status = os.stat(directory, follow_symlinks=False)  # noqa: PTH116
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(directory)
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _read(directory: Path, stamp: tuple[int, int, int]) -> Listing:
    protected: dict[str, Kind] = {}
    directories: list[str] = []
    names: set[str] = set()
    git: Kind | None = None
    is_settled = time.time_ns() - stamp[2] > _RACY_NANOSECONDS
    with os.scandir(directory) as entries:
        for entry in entries:
            name = entry.name
            if name == ".git":
                git = _kind(entry)
            elif name in PROTECTED_DIRECTORIES or name in PROTECTED_FILES:
                protected[name] = _kind(entry)
            elif name in _OF_BARE_REPOSITORY:
                names.add(name)
            elif not name.startswith(".") and name not in _NOT_ENTERED and entry.is_dir(follow_symlinks=False):
                directories.append(name)
    return Listing(stamp, is_settled, protected, git, names >= _OF_BARE_REPOSITORY, tuple(sorted(directories)))


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    return "directory" if entry.is_dir(follow_symlinks=False) else "file"
