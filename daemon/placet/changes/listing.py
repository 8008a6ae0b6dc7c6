"""Which files of the project there are, as .gitignore leaves them, and which names its directories hold."""

import asyncio
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.project.executor import in_thread
from placet.project.search import search_lines

MOST_LISTED = 50_000
"""Files that are looked at at all; of a larger project only so many are."""
MOST_DIRECTORIES = 20_000
LISTING_SECONDS = 3.0
"""What of a project is not listed by then is not looked at."""
FEW_FILES = 5000
"""So many are listed faster by one thread than by several."""
UNSETTLED_NS = 50_000_000
"""What was written so shortly before it was looked at may change again without a later time (git's "racy" files)."""

_FILES = ("--files", "--hidden", "--glob=!.git")


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths are absolute, and texts for speed."""

    files: tuple[str, ...]
    names: Mapping[str, frozenset[str]]
    """Of each directory that was looked into, all that was in it, ignored or not."""
    times: Mapping[str, int]
    """When each of them last had an entry added or taken away; 0 where a later look could be misled."""
    is_whole: bool
    """Nothing was left out because there is too much."""

    def absent(self, path: str) -> str | None:
        """The outermost part of the path that was certainly not there; None where that is not known."""
        while True:
            parent, name = os.path.split(path)
            if parent == path:
                return None
            if (names := self.names.get(parent)) is not None:
                return None if name in names else path
            path = parent


async def list_project(roots: Sequence[Path], *, expected: int) -> Listing:
    """The project's files, symbolic links included. `expected` is how many there are, about. Raises ToolError."""
    threads = ("--threads=1",) if expected < FEW_FILES else ()
    found = [await _listed((*_FILES, "--no-require-git", *threads), root) for root in roots]
    files = sorted({file for listed, _ in found for file in listed})
    is_whole = all(is_whole for _, is_whole in found) and len(files) <= MOST_LISTED
    return await in_thread(_looked_into, roots, files[:MOST_LISTED], is_whole)


async def list_ignored(directory: Path) -> list[str]:
    """All files under a directory that .gitignore leaves out. Raises ToolError."""
    files, _ = await _listed((*_FILES, "--no-ignore"), directory)
    return files


def has_moved(listing: Listing) -> bool:
    """Whether files may have come or gone since. Blocks."""
    return any(changed == 0 or _time(directory) != changed for directory, changed in listing.times.items())


async def _listed(arguments: Sequence[str], directory: Path) -> tuple[list[str], bool]:
    """What came in time and is not too much; and whether that is all."""
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


def _looked_into(roots: Sequence[Path], files: Sequence[str], is_whole: bool) -> Listing:
    names: dict[str, frozenset[str]] = {}
    times: dict[str, int] = {}
    links: list[str] = []
    now = time.time_ns()
    known = _directories(roots, files)
    beyond: list[str] = []
    for directory in known:
        entries = _look_into(directory, names, times, now)
        links += [entry.path for entry in entries if entry.is_symlink()]
        beyond += [entry.path for entry in entries if _is_directory(entry) and entry.path not in known]
    # Of what holds no listed file: what is ignored, and what is empty, where something may be made.
    while beyond and len(names) < MOST_DIRECTORIES:
        entries = _look_into(beyond.pop(), names, times, now)
        if all(_is_directory(entry) for entry in entries):
            beyond += [entry.path for entry in entries]
    return Listing(tuple(dict.fromkeys((*files, *links))), names, times, is_whole)


def _directories(roots: Sequence[Path], files: Iterable[str]) -> dict[str, None]:
    """The roots and every directory under them that holds a file, at whatever depth."""
    found = dict.fromkeys(map(str, roots))
    for directory in {os.path.dirname(file) for file in files}:  # noqa: PTH120
        for one in _upwards(directory):
            if one in found:
                break
            found[one] = None
    return found


def _upwards(directory: str) -> Iterator[str]:
    while True:
        yield directory
        parent = os.path.dirname(directory)  # noqa: PTH120
        if parent == directory:
            return
        directory = parent


def _look_into(
    directory: str, names: dict[str, frozenset[str]], times: dict[str, int], now: int
) -> "list[os.DirEntry[str]]":
    try:
        changed = _time(directory)
        with os.scandir(directory) as entries:
            found = list(entries)
    except OSError:
        return []
    times[directory] = changed if now - changed > UNSETTLED_NS else 0
    names[directory] = frozenset(entry.name for entry in found)
    return found


def _is_directory(entry: "os.DirEntry[str]") -> bool:
    return entry.name != ".git" and entry.is_dir(follow_symlinks=False)


def _time(directory: str) -> int:
    try:
        return os.stat(directory).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0
