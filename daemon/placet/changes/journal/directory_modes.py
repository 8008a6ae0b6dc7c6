"""Permission bits of the directories around files that a change takes away: an undo makes such a directory anew with
the same bits. Blocks.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from sqlite3 import Row

from placet.changes.journal.records import FileRecord
from placet.core.errors import DocumentError
from placet.project.files.held_directory import held
from placet.project.paths import real
from placet.project.undecodable_names import path_of_stored, stored_name
from placet.storage.database import Statement

DIRECTORIES = "SELECT path, mode FROM change_directory WHERE change_id = ?"
DirectoryModes = Mapping[Path, int]
"""Permission bits by the path of the directory."""
_OWN = stat.S_IRWXU


def mode_on_disk(directory: Path) -> int | None:
    """Return the permission bits, or None if no directory has this path."""
    with suppress(OSError):
        status = directory.lstat()
        return stat.S_IMODE(status.st_mode) if stat.S_ISDIR(status.st_mode) else None
    return None


def modes_around(
    files: Iterable[FileRecord], mode_of: Callable[[Path], int | None] = mode_on_disk
) -> tuple[tuple[Path, int], ...]:
    """Return the directories around the files that leave their places, each with the permission bits."""
    if os.name == "nt":
        return ()
    places = (file.path for file in files if file.kind in ("delete", "rename"))
    directories = dict.fromkeys(parent for place in places for parent in place.parents)
    modes = ((directory, mode_of(directory)) for directory in directories)
    return tuple((directory, mode) for directory, mode in modes if mode is not None)


def make_directories(modes: DirectoryModes, paths: Iterable[Path]) -> list[Path]:
    """Make the missing directories around the paths of which the bits are known; return these directories, the
    outermost first. Their owner can write in the directories until `finish_directories` sets the last bits.

    A directory that cannot be made yet, as a link or a file has its name, is left to the writer of the files.
    """
    around = {parent for path in paths for parent in path.parents if parent in modes}
    missing = sorted(directory for directory in around if mode_on_disk(directory) is None)
    hindered: set[Path] = set()
    for directory in missing:
        if directory.parent in hindered or os.path.lexists(directory):
            hindered.add(directory)
            continue
        with suppress(OSError, DocumentError), held(real(directory.parent), make=True) as parent:
            parent.make_directory(directory.name, modes[directory] | _OWN)
    return missing


def finish_directories(modes: DirectoryModes, missing: Sequence[Path]) -> None:
    """Remove the directories that have stayed empty, and set the bits of the others."""
    for directory in reversed(missing):
        with suppress(OSError, DocumentError), held(real(directory.parent)) as parent:
            try:
                parent.remove_directory(directory.name)
            except OSError:
                parent.set_directory_mode(directory.name, modes[directory])


def directory_statements(change_id: str, directories: Iterable[tuple[Path, int]]) -> list[Statement]:
    return [
        (
            "INSERT INTO change_directory (change_id, path, mode) VALUES (?, ?, ?)",
            (change_id, stored_name(path), mode),
        )
        for path, mode in directories
    ]


def stored_modes(rows: Iterable[Row]) -> tuple[tuple[Path, int], ...]:
    """Return the rows of the query DIRECTORIES."""
    stored = ((path_of_stored(row["path"]), row["mode"]) for row in rows)
    return tuple((path, mode) for path, mode in stored if path is not None)
