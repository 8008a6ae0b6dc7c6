"""Directories in which commands of an agent can write, or could once write.

A command may have put a program there, or a file that a program obeys, without a question to the user. Placet itself
runs no program from such a directory (programs.py).
"""

import os
from collections.abc import Iterable
from pathlib import Path

Identity = tuple[int, int]
"""Device and inode of a directory: the same under each name of the directory, as behind a bind mount."""


class OpenDirectories:
    """Directories of one process; the search path owns the object, and no directory is ever taken out."""

    def __init__(self) -> None:
        self._added: set[Path] = set()
        self._names: set[str] = set()
        self._identities: dict[Identity, str] = {}

    def add(self, directories: Iterable[Path]) -> bool:
        """Add the directories, and return whether any is new here. Looks at the disk.

        The whole file system as a folder is left out: bubblewrap lies in there too, so no command runs unasked.
        """
        new = [path for path in directories if path not in self._added]
        for path in new:
            self._added.add(path)
            real = os.path.realpath(path)
            if os.path.dirname(real) != real:  # noqa: PTH120
                self._names |= {os.path.normcase(real), os.path.normcase(os.path.normpath(path))}
                if (identity := _identity(real)) is not None:
                    self._identities[identity] = real
        return bool(new)

    def holds(self, place: str) -> bool:
        """Return whether the absolute place, or the place behind its links, lies in one of the directories. Blocks.

        Both count, as a command can change a link that lies in one of the directories.
        """
        return bool(self._names) and any(map(self._is_in, {os.path.normpath(place), os.path.realpath(place)}))

    def _is_in(self, place: str) -> bool:
        while (parent := os.path.dirname(place)) != place:  # noqa: PTH120
            if os.path.normcase(place) in self._names or self._is_added(_identity(place)):
                return True
            place = parent
        return False

    def _is_added(self, identity: Identity | None) -> bool:
        """Return whether the directory is an added directory; the inode of a removed directory may be another's now."""
        name = None if identity is None else self._identities.get(identity)
        return name is not None and _identity(name) == identity


def _identity(name: str) -> Identity | None:
    try:
        status = os.stat(name)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def noted(record: Path) -> list[Path]:
    """Return the directories in the record: earlier sessions, of any project, have opened them to commands. Blocks."""
    try:
        names = record.read_bytes().split(b"\0")
    except OSError:
        return []
    return [Path(os.fsdecode(name)) for name in names if name]


def note(record: Path, directories: Iterable[Path]) -> None:
    """Add the directories that the record lacks. Raises OSError. Blocks."""
    if missing := set(directories).difference(noted(record)):
        record.parent.mkdir(parents=True, exist_ok=True)
        with record.open("ab") as file:
            file.write(b"".join(os.fsencode(path) + b"\0" for path in sorted(missing)))
