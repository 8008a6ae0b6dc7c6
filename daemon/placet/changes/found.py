"""What is there now at the paths of some records: documents, files that are no text, links, permission bits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.changes.presence import Presence, presence
from placet.changes.raw_file import RawFile, permissions, read_raw
from placet.changes.record import FileRecord
from placet.edits.encoding import encode
from placet.errors import DocumentError, DocumentMissing
from placet.ports import Document, Documents
from placet.project.executor import in_thread


@dataclass(frozen=True, slots=True)
class Found:
    files: Mapping[Path, Document | RawFile | None]
    modes: Mapping[Path, int | None]
    """Permission bits, of the paths that some record not of text is about."""


async def current(documents: Documents, records: Iterable[FileRecord]) -> Found:
    """What is there now at every path of the records. Raises DocumentError for what can no longer be read."""
    records = tuple(records)
    special = {record.path for record in records if record.form != "text"}
    looked_at = await in_thread(_look, tuple(special)) if special else {}
    files: dict[Path, Document | RawFile | None] = {}
    for path in (path for record in records for path in record.paths):
        if path not in files:
            raw = looked_at[path][0] if path in looked_at else None
            files[path] = await there(documents, path) if raw is None or raw.text is not None else raw
    return Found(files, {path: mode for path, (_, mode) in looked_at.items()})


async def there(documents: Documents, path: Path) -> Document | None:
    """The document, None where there is none. Raises DocumentError for anything but text."""
    try:
        return await documents.read(path)
    except DocumentMissing:
        return None


def standing(record: FileRecord, found: Found) -> Presence:
    """Whether the record's share of a change is done, not done, or something between."""
    now = found.files[record.path]
    match record.form:
        case "raw":
            return _of_two(as_raw(now) == record.raw_after, as_raw(now) == record.raw_before)
        case "mode":
            mode = found.modes[record.path]
            return _of_two(mode == record.new_mode, mode == record.mode)
        case "text":
            return _standing_text(record, found)


def as_raw(file: Document | RawFile | None, mode: int | None = None) -> RawFile | None:
    """The same as bytes."""
    if file is None or isinstance(file, RawFile):
        return file
    return RawFile("file", encode(file.text, file.encoding, file.bom), mode)


def _look(paths: Sequence[Path]) -> dict[Path, tuple[RawFile | None, int | None]]:
    return {path: (read_raw(path), permissions(path)) for path in paths}


def _of_two(is_after: bool, is_before: bool) -> Presence:
    return "after" if is_after else "before" if is_before else "mixed"


def _standing_text(record: FileRecord, found: Found) -> Presence:
    now = _text(found.files[record.path])
    if record.new_path is None:
        return presence(record.before, record.after, now)
    moved = _text(found.files[record.new_path])
    if now is None and moved is not None and presence(record.before, record.after, moved) == "after":
        return "after"
    return "before" if moved is None and presence(record.before, None, now) == "before" else "mixed"


def _text(file: Document | RawFile | None) -> str | None:
    if isinstance(file, RawFile):
        raise DocumentError("It is no text any more.")
    return None if file is None else file.text
