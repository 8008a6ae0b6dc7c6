"""A change as the journal keeps it: for each file what it was before and after, so that either can be had again."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from placet.changes.made_for import Place
from placet.changes.raw_file import RawFile
from placet.edits.encoding import encode
from placet.messages import now
from placet.ports import FileEdit, FileEditKind
from placet.project.files import missing_directory

RecordKind = Literal["edit", "command", "undo"]
"""`command`: made by a command that ran, and known afterwards alone."""
RecordState = Literal["planned", "applied", "failed", "reverted", "unsure"]
"""`unsure`: it was sent to an editor that has not answered, and may still apply it."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file's share: of its text, of its bytes as they are (`raw_…`), or of its permission bits (`new_mode`).

    Texts are as the document's holder has them, in the file's own line endings.
    """

    kind: FileEditKind
    path: Path
    before: str | None = None
    """None where there was no file."""
    after: str | None = None
    """None where there is no file any more."""
    new_path: Path | None = None
    encoding: str = "utf-8"
    bom: bool = False
    mode: int | None = None
    """Permission bits of a file that was on disk."""
    new_mode: int | None = None
    """Its permission bits afterwards, where they are all that this record is about."""
    raw_before: RawFile | None = None
    """With `raw_after`: a file that is no text, or a symbolic link, on one side at least."""
    raw_after: RawFile | None = None
    made_directory: Path | None = None
    """The outermost directory that was made for the file."""
    target: Path | None = None
    """Where `path` led, symbolic links resolved, when the change was made; None where that is not known."""
    new_target: Path | None = None
    """The same of `new_path`."""
    is_reverted: bool = False
    """It was taken back, whatever became of the rest of its change."""
    is_edited: bool = False
    """The user put another text in place of the proposed one."""

    @property
    def form(self) -> Literal["text", "raw", "mode"]:
        if self.raw_before is not None or self.raw_after is not None:
            return "raw"
        return "text" if self.new_mode is None else "mode"

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,) if self.new_path is None else (self.path, self.new_path)

    @property
    def targets(self) -> dict[Path, Path]:
        """Where the paths led, as far as that is known."""
        pairs = ((self.path, self.target), (self.new_path, self.new_target))
        return {path: target for path, target in pairs if path is not None and target is not None}

    @property
    def as_raw(self) -> "FileRecord":
        """The same record of a text, of the bytes that the texts are on disk. Raises DocumentError."""
        before, after = (
            None if text is None else RawFile("file", encode(text, self.encoding, self.bom), mode)
            for text, mode in ((self.before, self.mode), (self.after, None))
        )
        return replace(self, raw_before=before, raw_after=after)


@dataclass(frozen=True, slots=True)
class Settlement:
    """What becomes of other changes once a change is applied; stored with it, so that a crash parts them never."""

    states: tuple[tuple[str, RecordState], ...] = ()
    reverted: tuple[tuple[str, int, bool], ...] = ()
    """Whether a change's file of that position is taken back."""


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
    settles: Settlement = Settlement()
    """For an undo."""
    made_for: tuple[Place, ...] = ()
    """For a subagent's: whom it was made for, from the user's own session down to the nearest."""
    created: int = field(default_factory=now)

    @property
    def places(self) -> tuple[Place, ...]:
        """In which sessions it counts, from the user's own down to the one that made it."""
        return (*self.made_for, Place(self.session_id, self.turn_id, self.message_id))

    def place_in(self, session_id: str) -> Place:
        """Where that session made it or had it made. Raises StopIteration if it did neither."""
        return next(place for place in self.places if place.session_id == session_id)


def file_record(edit: FileEdit) -> FileRecord:
    """What the journal must know of an edit before it is tried. Looks at the file's mode and directories."""
    base = edit.base
    destination = edit.path if edit.kind == "create" else edit.new_path
    return FileRecord(
        kind=edit.kind,
        path=edit.path,
        before=None if base is None else base.text,
        after=None if edit.kind == "delete" else edit.new_text,
        new_path=edit.new_path,
        encoding=edit.encoding if base is None else base.encoding,
        bom=edit.bom if base is None else base.bom,
        mode=edit.mode if base is None else _mode(edit.path),
        made_directory=None if destination is None else missing_directory(destination),
        target=edit.target,
        new_target=edit.new_target,
    )


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o7777
    except OSError:
        return None
