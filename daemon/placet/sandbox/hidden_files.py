"""Hidden files: files of the project that a contained command cannot read, as a rule asks about or denies reading.

A stand-in lies over each hidden file. Nobody can open the stand-in, which is as large and as old as the file, so that
git takes a tracked file for unchanged.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from placet.project.paths import real
from placet.sandbox.containment import Containment
from placet.sandbox.listings import ALL_READABLE, Listings, Tree
from placet.sandbox.places import is_in

MOST_HIDDEN = 200
"""Number of files that are hidden; bubblewrap takes up to 2 ms for each, and longer for each further file."""
GIT_SETTING = ("core.checkStat", "minimal")
"""Setting by which git compares size and time of a file with its index, and not the inode: git-config(1)."""


class HiddenFile(Struct, frozen=True):
    """File that a command cannot read, with the facts that the stand-in repeats."""

    path: Path
    """Real path."""
    size: int
    """Size in bytes."""
    changed_ns: int
    """Time of the last change in nanoseconds."""
    is_executable: bool


def walked(containment: Containment, listings: Listings, *, is_new: bool) -> dict[Path, Tree]:
    """Return the trees in which commands write, or in which files are hidden, as of now or of the last walk. Blocks."""
    tree_of = listings.walk if is_new else listings.last
    hiding = () if containment.reading == ALL_READABLE else (*containment.roots, *containment.reading.beyond)
    tops = (*containment.writable, *hiding)
    return {top: tree_of(top, containment.reading) for top in dict.fromkeys(tops)}


def find_hidden(trees: Iterable[Tree], readable: Sequence[Path] = ()) -> tuple[tuple[HiddenFile, ...], str]:
    """Return the files to hide, and why there are files that cannot be hidden, in a clause about the project, or "".

    Files at and below the paths of `readable` are not hidden. Looks at the disk.
    """
    hidden: dict[Path, HiddenFile] = {}
    gaps: list[str] = []
    for tree in trees:
        gaps.append(tree.gap)
        for path in (Path(directory, name) for directory in tree.notable for name in tree.listings[directory].asked):
            try:
                place = real(path) if path.is_symlink() else path
                status = place.lstat()
            except OSError:
                continue  # Removed meanwhile, or a link to nothing.
            if stat.S_ISDIR(status.st_mode):
                gaps.append(f"holds {path}, a link to a folder that a rule for `read` asks about")
            elif not is_in(place, readable):
                is_executable = bool(status.st_mode & stat.S_IXUSR)
                hidden[place] = HiddenFile(place, status.st_size, status.st_mtime_ns, is_executable)
    if len(hidden) > MOST_HIDDEN:
        return (), f"holds more than {MOST_HIDDEN} files that rules for `read` ask about"
    return tuple(hidden.values()), next(filter(None, gaps), "")


def stand_in_of(file: HiddenFile, temporary: Path) -> Path:
    """Return the path of the file's stand-in, beside the session's temporary directory, where no command sees it.

    Files of the same size and age share a stand-in.
    """
    name = f"{file.size}-{file.changed_ns}-{'x' if file.is_executable else 'f'}"
    return temporary.parent / "stand-ins" / name


def make_stand_ins(files: Iterable[HiddenFile], temporary: Path) -> None:
    """Make the missing stand-ins of the files. Raises OSError. Blocks."""
    for file in files:
        stand_in = stand_in_of(file, temporary)
        if stand_in.exists():
            continue
        stand_in.parent.mkdir(exist_ok=True)
        descriptor = os.open(stand_in, os.O_WRONLY | os.O_CREAT, 0)
        try:
            os.ftruncate(descriptor, file.size)
            os.fchmod(descriptor, stat.S_IXUSR if file.is_executable else 0)
            os.utime(descriptor, ns=(file.changed_ns, file.changed_ns))
        finally:
            os.close(descriptor)
