"""Current state at the paths of some records: documents, non-text files, links, permission bits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.changes.journal.presence import Presence, presence
from placet.changes.journal.raw_file import RawFile, permissions, read_raw
from placet.changes.journal.records import FileRecord
from placet.core.errors import DocumentError, DocumentMissing
from placet.core.executor import in_thread
from placet.core.ports import Document, Documents
from placet.project.paths import real_paths
from placet.text.encoding import encode


@dataclass(frozen=True, slots=True)
class CurrentFiles:
    """Current state of the files of some records; lives as long as one look at the files."""

    files: Mapping[Path, Document | RawFile | None]
    modes: Mapping[Path, int | None]
    """Permission bits of the paths of non-text records."""


async def read_current(documents: Documents, records: Iterable[FileRecord]) -> CurrentFiles:
    """Return the current state at every path of the records. A file whose text cannot be read is returned as bytes.

    Raises DocumentError for a file that can no longer be read at all, and for a path that leads elsewhere than before.
    """
    records = tuple(records)
    await in_thread(_refuse_moved, records)
    special = {record.path for record in records if record.form != "text"}
    looked_at = await in_thread(_look, tuple(special)) if special else {}
    files: dict[Path, Document | RawFile | None] = {}
    for path in (path for record in records for path in record.paths):
        if path not in files:
            raw = looked_at[path][0] if path in looked_at else None
            files[path] = await _file(documents, path) if raw is None or raw.text is not None else raw
    return CurrentFiles(files, {path: mode for path, (_, mode) in looked_at.items()})


async def read_or_none(documents: Documents, path: Path) -> Document | None:
    """Return the document, or None if the file does not exist. Raises DocumentError for anything but text."""
    try:
        return await documents.read(path)
    except DocumentMissing:
        return None


async def _file(documents: Documents, path: Path) -> Document | RawFile | None:
    try:
        return await read_or_none(documents, path)
    except DocumentError:
        raw = await in_thread(read_raw, path)
        if raw is None and await in_thread(path.is_dir):
            return None  # A directory has taken the place of the file.
        if raw is None or raw.form == "link":
            raise
        return raw


def _refuse_moved(records: Iterable[FileRecord]) -> None:
    for record in records:
        refuse_moved(record.targets)


def refuse_moved(targets: Mapping[Path, Path]) -> None:
    """Raise DocumentError for a path that no longer leads to the recorded target. Blocks."""
    for path, current_target in real_paths(targets).items():
        if current_target != (target := targets[path]):
            raise DocumentError(
                f"{path} leads to {current_target} by now, and led to {target} when the change to it was asked for, "
                "so nothing was done there. Look at what has become of the directories, and propose the change anew."
            )


def applied_state(record: FileRecord, current: CurrentFiles) -> Presence:
    """Return whether the record's part of a change is done, not done, or something between."""
    current_file = current.files[record.path]
    match record.form:
        case "raw":
            return _of_two(as_raw(current_file) == record.raw_after, as_raw(current_file) == record.raw_before)
        case "mode":
            mode = current.modes[record.path]
            return _of_two(mode == record.new_mode, mode == record.mode)
        case "text":
            return _text_state(record, current)


def as_raw(file: Document | RawFile | None, mode: int | None = None) -> RawFile | None:
    """Return the same file as bytes."""
    if file is None or isinstance(file, RawFile):
        return file
    return RawFile("file", encode(file.text, file.encoding, file.bom), mode)


def _look(paths: Sequence[Path]) -> dict[Path, tuple[RawFile | None, int | None]]:
    return {path: (read_raw(path), permissions(path)) for path in paths}


def _of_two(is_after: bool, is_before: bool) -> Presence:
    return "after" if is_after else "before" if is_before else "mixed"


def _text_state(record: FileRecord, current: CurrentFiles) -> Presence:
    if any(isinstance(current.files[path], RawFile) for path in record.paths):
        return _bytes_state(record.as_raw, current)
    current_text = _text(current.files[record.path])
    if record.new_path is None:
        return presence(record.before, record.after, current_text)
    moved_text = _text(current.files[record.new_path])
    if current_text is None and moved_text is not None and presence(record.before, record.after, moved_text) == "after":
        return "after"
    return "before" if moved_text is None and presence(record.before, None, current_text) == "before" else "mixed"


def _bytes_state(record: FileRecord, current: CurrentFiles) -> Presence:
    raw_files = [as_raw(current.files[path]) for path in record.paths]
    if record.new_path is None:
        return _of_two(raw_files == [record.raw_after], raw_files == [record.raw_before])
    return _of_two(raw_files == [None, record.raw_after], raw_files == [record.raw_before, None])


def _text(file: Document | RawFile | None) -> str | None:
    assert not isinstance(file, RawFile)
    return None if file is None else file.text
