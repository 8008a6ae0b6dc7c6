"""History of one file in the journal: what some changes did to the file, under each of its names."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.project.paths import real, real_entry


class ChangedFile(Struct, frozen=True):
    """File that some changes of the journal have changed."""

    changes: tuple[str, ...]
    """Ids of the changes."""
    path: Path
    """Path before the changes; for a file that the changes have created, the path now."""
    place: Path
    """Path now; for a file that the changes have deleted, the path before."""


RecordKey = tuple[str, int]
"""Key of a record of a file: the id of the change, and the position in the change."""
_Step = tuple[RecordKey, frozenset[Path], frozenset[Path]]
"""Step of a file from the names of one place to the names of the same or another place."""


def file_history(file: ChangedFile, changes: Sequence[ChangeRecord]) -> set[RecordKey]:
    """Return the keys of the standing records of the file in its changes. Blocks (links).

    A renaming gives a file another name, and another file can have the first name then: the file is followed from its
    first name forward, and from its last name backward.
    """
    steps = [
        ((change.id, position), _names(record, record.path), _names(record, record.new_path or record.path))
        for change in changes
        if change.id in file.changes
        for position, record in enumerate(change.files)
        if not record.is_reverted
    ]
    backward = [(key, after, before) for key, before, after in reversed(steps)]
    return {*_followed(steps, file.path), *_followed(backward, file.place)}


def _followed(steps: Iterable[_Step], path: Path) -> Iterator[RecordKey]:
    """Yield the keys of the steps of the file that has the path before the first step."""
    names = frozenset((path, real_entry(path)))
    for key, before, after in steps:
        if not names.isdisjoint(before):
            names = after
            yield key


def _names(record: FileRecord, path: Path) -> frozenset[Path]:
    """Return the path, and its place when the record was made; a symbolic link that is itself changed is not
    followed.
    """
    return frozenset((path, real_entry(path) if record.form == "raw" else record.targets.get(path) or real(path)))
