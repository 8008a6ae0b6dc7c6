"""Entries of a project that the sandbox must know: one bounded walk of the whole tree, read anew only where a directory
changed.
"""

import os
import stat
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from placet.core.visible_text import spelled_out
from placet.project.protected_names import PROTECTED

MOST_DIRECTORIES = 50_000
_MOST_TREES = 8
"""Number of trees that are kept: one for each folder, and for each set of rules about reading."""
_RACY_NANOSECONDS = 100_000_000
"""Age below which a directory's time may stand for a later change too: clocks of file systems tick coarsely."""
INSTALLED = frozenset(("node_modules", "site-packages"))
"""Directories of installed packages. Files with protected names come and go there with the packages, and nobody opens
a package as a project, so that only repositories and files not to be read count there."""
BARE_REPOSITORY = frozenset(("HEAD", "objects", "refs"))
"""Entries by which git takes a directory for a repository: gitrepository-layout(5)."""
_STORES = frozenset(("objects", "refs"))

Kind = Literal["file", "directory", "link"]


class ReadingRules(Struct, frozen=True):
    """Rules about the files that a command must not read unasked."""

    key: Hashable
    """Value that differs wherever `is_asked` can differ: listings made by one set of rules serve no other set."""
    is_asked: Callable[[str], bool]
    """Return whether reading the file, by its absolute path, is asked or denied. A look at the name must do."""
    beyond: tuple[Path, ...] = ()
    """Directories outside of the workspace to which links lead that the rules name."""


ALL_READABLE = ReadingRules(None, lambda _: False)


class Listing(Struct, frozen=True):
    """Entries of a directory that matter to the sandbox."""

    stamp: tuple[int, int, int]
    """Device, inode, and time of the last change of the directory's inode, which no program can set."""
    is_settled: bool
    """Whether every later change gives the directory another stamp."""
    protected: dict[str, Kind]
    git: Kind | None
    """Kind of the entry `.git`."""
    is_bare: bool
    """Whether the directory itself is a repository."""
    asked: tuple[str, ...]
    """Names of the files that must not be read unasked; a link counts by the link's own name."""
    directories: tuple[str, ...]
    """Absolute paths of the sub-directories, without git's own."""
    is_notable: bool
    """Whether an entry matters."""


NOTHING = Listing((0, 0, 0), False, {}, None, False, (), (), False)
"""Listing of a directory that is not there."""


class Tree(Struct, frozen=True):
    """Listings of a directory and of all directories below, by absolute path, the nearest first."""

    listings: dict[str, Listing]
    notable: tuple[str, ...]
    """Directories with an entry that matters."""
    gap: str = ""
    """Why directories are missing here, as the end of a sentence about the project; "" for a whole tree."""


class Listings(Struct):
    """Trees kept from one command to the next; one object serves all commands of a front door."""

    _kept: dict[tuple[Path, Hashable], Tree] = field(default_factory=dict[tuple[Path, Hashable], Tree])

    def last(self, top: Path, rules: ReadingRules = ALL_READABLE) -> Tree:
        """Return the tree as the last walk has found the tree; the first call walks. Blocks."""
        return self._kept.get((top, rules.key)) or self.walk(top, rules)

    def walk(self, top: Path, rules: ReadingRules = ALL_READABLE) -> Tree:
        """Return the tree at the real path `top` as the tree is now; no symbolic link is followed. Blocks."""
        key = top, rules.key
        kept = self._kept.get(key)
        tree = _walked(str(top), {} if kept is None else kept.listings, rules.is_asked)
        self._kept.pop(key, None)
        self._kept[key] = tree
        while len(self._kept) > _MOST_TREES:
            self._kept.pop(next(iter(self._kept)), None)  # The longest unused; another thread may have been quicker.
        return tree


def _walked(top: str, kept: dict[str, Listing], is_asked: Callable[[str], bool]) -> Tree:
    listings: dict[str, Listing] = {}
    notable: list[str] = []
    gap = ""
    queue = [top]
    for directory in queue:  # The list grows meanwhile.
        if len(listings) >= MOST_DIRECTORIES:
            return Tree(listings, tuple(notable), f"has more than {MOST_DIRECTORIES:,} directories")
        try:
            status = os.lstat(directory)
            stamp = status.st_dev, status.st_ino, status.st_ctime_ns
            listing = kept.get(directory)
            if listing is None or listing.stamp != stamp or not listing.is_settled:
                if not stat.S_ISDIR(status.st_mode):
                    continue
                is_installed = not INSTALLED.isdisjoint(directory.removeprefix(top).split("/"))
                listing = _read(directory, stamp, is_asked, is_installed=is_installed)
        except FileNotFoundError:
            continue  # Removed meanwhile.
        except OSError as error:
            # What nobody but another user can open is closed to commands too.
            if _may_open(directory):
                gap = f"holds {spelled_out(directory)}, which cannot be read ({error.strerror})"
            continue
        listings[directory] = listing
        if listing.is_notable:
            notable.append(directory)
        queue += listing.directories
    return Tree(listings, tuple(notable), gap)


def _may_open(directory: str) -> bool:
    """Return whether the user owns the closed directory, so that a command can open the directory."""
    try:
        return os.lstat(directory).st_uid == os.geteuid()
    except OSError:
        return False


def _read(
    directory: str, stamp: tuple[int, int, int], is_asked: Callable[[str], bool], *, is_installed: bool
) -> Listing:
    is_settled = time.time_ns() - stamp[2] > _RACY_NANOSECONDS
    own_name = directory.rpartition(os.sep)[2]
    protected: dict[str, Kind] = {}
    asked: list[str] = []
    names: set[str] = set()
    directories: list[str] = []
    git: Kind | None = None
    with os.scandir(directory) as entries:
        for entry in entries:
            name = entry.name
            if name == ".git":
                git = _kind(entry)
                continue
            if not is_installed and PROTECTED.holds(own_name, name):
                protected[name] = _kind(entry)
            if name in BARE_REPOSITORY:
                names.add(name)
            if entry.is_dir(follow_symlinks=False):
                directories.append(entry.path)
            elif is_asked(entry.path):
                asked.append(name)
    is_bare = names >= BARE_REPOSITORY
    if is_bare:
        directories = [path for path in directories if path.rpartition(os.sep)[2] not in _STORES]
    directories.sort()
    is_notable = bool(protected or git or is_bare or asked)
    return Listing(stamp, is_settled, protected, git, is_bare, tuple(sorted(asked)), tuple(directories), is_notable)


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    return "directory" if entry.is_dir(follow_symlinks=False) else "file"
