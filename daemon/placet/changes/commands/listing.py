"""Listing of the project's files, without files left out by .gitignore, and of the names in each directory."""

import asyncio
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.core.executor import in_thread
from placet.core.values import replace
from placet.project.search import search_lines

MOST_LISTED = 50_000
"""Most files listed; the rest of a larger project is ignored."""
MOST_DIRECTORIES = 20_000
LISTING_SECONDS = 3.0
"""Longest time for the listing; files not listed by then are not looked at."""
FEW_FILES = 5000
"""Number of files up to which one thread lists faster than several."""
UNSETTLED_NS = 50_000_000
"""Age below which a written file may change again without a later time (git's "racy" files)."""

_FILES = ("--files", "--hidden", "--glob=!.git")


@dataclass(frozen=True, slots=True)
class Directory:
    """Entries of a directory, ignored or not."""

    time: int
    """Time when an entry was last added or removed; 0 if the time could mislead a later look."""
    names: frozenset[str]
    links: tuple[str, ...]
    """Symbolic links as absolute paths; `directories` holds the directories in the same form."""
    directories: tuple[str, ...]
    has_files: bool
    mode: int
    """Permission bits."""

    @property
    def named_by_kind(self) -> frozenset[str]:
        """Return the names of the files, and the paths of the directories."""
        return self.names.difference(map(os.path.basename, self.directories)).union(self.directories)


@dataclass(frozen=True, slots=True)
class Listing:
    """Listing of a project; paths are absolute, and strings for speed."""

    files: tuple[str, ...]
    directories: Mapping[str, Directory]
    is_whole: bool
    """True if nothing was left out for lack of room or time."""

    def absent(self, path: str) -> str | None:
        """Return the outermost part of the path that certainly did not exist; None if the existence is not known."""
        place = path
        while True:
            parent, name = os.path.split(place)
            if parent == place:
                return None
            if (directory := self.directories.get(parent)) is None:
                place = parent
                continue
            if name not in directory.names:
                return place
            # A directory stood where the file stands now, or a file where its directory stands now.
            is_other_kind = (place in directory.directories) == (place == path) and place not in directory.links
            return place if is_other_kind else None

    def mode(self, directory: Path) -> int | None:
        """Return the permission bits of a directory, or None for a directory that is not listed."""
        listed = self.directories.get(str(directory))
        return None if listed is None else listed.mode


NOTHING_LISTED = Listing((), {}, is_whole=True)


async def list_project(roots: Sequence[Path], earlier: Listing = NOTHING_LISTED) -> Listing:
    """Return the project's files, symbolic links included. Raises ToolError."""
    files, is_whole = await _listed_below(roots, len(earlier.files))
    return await in_thread(_looked_into, roots, files, is_whole, earlier)


async def list_new(roots: Sequence[Path], earlier: Listing) -> list[str]:
    """Return the files and symbolic links that exist now and did not exist before. Raises ToolError."""
    grown = await in_thread(_grown, earlier)
    if not grown:
        return []
    files, _ = await _listed_below(roots, len(earlier.files))
    links = (link for directory in grown for link in directory.links)
    earlier_files = frozenset(earlier.files)
    return [path for path in (*files, *links) if path not in earlier_files]


async def list_ignored(directory: Path) -> list[str]:
    """Return all files under a directory which .gitignore leaves out. Raises ToolError."""
    files, _ = await _listed((*_FILES, "--no-ignore"), directory)
    return files


async def _listed_below(roots: Sequence[Path], expected: int) -> tuple[list[str], bool]:
    threads = ("--threads=1",) if expected < FEW_FILES else ()
    listings = [await _listed((*_FILES, "--no-require-git", *threads), root) for root in roots]
    files = sorted({file for listed, _ in listings for file in listed})
    return files[:MOST_LISTED], all(is_whole for _, is_whole in listings) and len(files) <= MOST_LISTED


async def _listed(arguments: Sequence[str], directory: Path) -> tuple[list[str], bool]:
    """Return the files listed within the time and number limits, and whether the list is complete."""
    files: list[str] = []
    prefix = os.path.join(directory, "")  # noqa: PTH118

    async def take(lines: list[bytes]) -> None:
        files.extend(prefix + os.fsdecode(line) for line in lines[: MOST_LISTED + 1 - len(files)])

    try:
        async with asyncio.timeout(LISTING_SECONDS):
            await search_lines(arguments, directory, take)
    except TimeoutError:
        return files, False
    return files, len(files) <= MOST_LISTED


def _looked_into(roots: Sequence[Path], files: Sequence[str], is_whole: bool, earlier: Listing) -> Listing:
    directories: dict[str, Directory] = {}
    beyond: list[str] = []
    for path in (directories_with_files := _directories(roots, files)):
        if (directory := _look_into(path, earlier.directories.get(path))) is not None:
            directories[path] = directory
            beyond += (below for below in directory.directories if below not in directories_with_files)
    # Directories without a listed file, ignored or empty: a command may make files there.
    while beyond and len(directories) < MOST_DIRECTORIES:
        path = beyond.pop()
        if (directory := _look_into(path, earlier.directories.get(path))) is not None:
            directories[path] = directory
            beyond += () if directory.has_files else directory.directories
    links = (link for path in directories_with_files if path in directories for link in directories[path].links)
    return Listing(tuple(dict.fromkeys((*files, *links))), directories, is_whole)


def _grown(listing: Listing) -> list[Directory]:
    """Return the directories with new files or new directories, as they are now."""
    looked = [(earlier, _look_into(path, earlier)) for path, earlier in listing.directories.items()]
    return [
        current
        for earlier, current in looked
        if current is not None and current is not earlier and not current.named_by_kind <= earlier.named_by_kind
    ]


def _directories(roots: Sequence[Path], files: Iterable[str]) -> dict[str, None]:
    """Return the roots and every directory under the roots that holds a file, at any depth."""
    directories = dict.fromkeys(map(str, roots))
    for directory in {os.path.dirname(file) for file in files}:  # noqa: PTH120
        for directory_above in _upwards(directory):
            if directory_above in directories:
                break
            directories[directory_above] = None
    return directories


def _upwards(directory: str) -> Iterator[str]:
    while True:
        yield directory
        parent = os.path.dirname(directory)  # noqa: PTH120
        if parent == directory:
            return
        directory = parent


def _look_into(path: str, earlier: Directory | None) -> Directory | None:
    """Return the directory, or None if the directory cannot be read. `earlier` is used while still valid."""
    looked = time.time_ns()
    try:
        status = os.stat(path)  # noqa: PTH116
        changed, mode = status.st_mtime_ns, stat.S_IMODE(status.st_mode)
        if earlier is not None and earlier.time == changed != 0:
            return earlier if earlier.mode == mode else replace(earlier, mode=mode)
        with os.scandir(path) as entries:
            found_entries = list(entries)
    except OSError:
        return None
    directories = tuple(
        entry.path for entry in found_entries if entry.name != ".git" and entry.is_dir(follow_symlinks=False)
    )
    return Directory(
        time=changed if looked - changed > UNSETTLED_NS else 0,
        names=frozenset(entry.name for entry in found_entries),
        links=tuple(entry.path for entry in found_entries if entry.is_symlink()),
        directories=directories,
        has_files=len(directories) < len(found_entries),
        mode=mode,
    )
