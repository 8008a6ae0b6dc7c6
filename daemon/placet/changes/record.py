"""A change as the journal keeps it: for each file the text before and after, so that either can be had again."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from placet.messages import now
from placet.ports import FileEdit, FileEditKind

RecordKind = Literal["edit", "undo"]
RecordState = Literal["planned", "applied", "failed", "reverted"]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file's share. Texts are as the document's holder has them, in the file's own line endings."""

    kind: FileEditKind
    path: Path
    before: str | None
    """None where there was no file."""
    after: str | None
    """None where there is no file any more."""
    new_path: Path | None = None
    encoding: str = "utf-8"
    bom: bool = False
    mode: int | None = None
    """Permission bits of a file that was on disk."""

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,) if self.new_path is None else (self.path, self.new_path)


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    id: str
    session_id: str
    turn_id: str
    message_id: str
    files: tuple[FileRecord, ...]
    call_id: str | None = None
    kind: RecordKind = "edit"
    state: RecordState = "planned"
    undoes: tuple[str, ...] = ()
    """For an undo: the changes it takes back."""
    created: int = field(default_factory=now)


def file_record(edit: FileEdit) -> FileRecord:
    """What the journal must know of an edit before it is tried. Looks at the file's mode."""
    base = edit.base
    return FileRecord(
        kind=edit.kind,
        path=edit.path,
        before=None if base is None else base.text,
        after=None if edit.kind == "delete" else edit.new_text,
        new_path=edit.new_path,
        encoding=edit.encoding if base is None else base.encoding,
        bom=edit.bom if base is None else base.bom,
        mode=edit.mode if base is None else _mode(edit.path),
    )


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o7777
    except OSError:
        return None
