"""Record of a change in the journal: for each file the state before and after, so that either can be restored."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from placet.changes.journal.back_step import BackStep
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.raw_file import RawFile
from placet.core.ids import now
from placet.core.ports import FileEdit, FileEditKind
from placet.core.values import replace
from placet.project.files.disk import encoding_of_new, missing_directory
from placet.text.encoding import encode

RecordKind = Literal["edit", "command", "undo"]
"""Kind of a change; `command`: made by a running command, and known only afterwards."""
RecordState = Literal["planned", "applied", "failed", "reverted", "unsure"]
"""State of a change; `unsure`: sent to an editor without an answer yet, so the editor may still apply the change."""


AllowedBy = Literal["user", "rule"]
"""Who allowed a change; `rule`: a rule, a grant or a plugin, so that nobody was asked."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file's part of a change: of the text, of the bytes (`raw_…`), or of the permission bits (`new_mode`).

    Texts are as the document's holder has the texts, in the file's own line endings.
    """

    kind: FileEditKind
    path: Path
    before: str | None = None
    """Text before; None where no file existed."""
    after: str | None = None
    """Text after; None where the file no longer exists."""
    new_path: Path | None = None
    encoding: str = "utf-8"
    bom: bool = False
    mode: int | None = None
    """Permission bits of a file on disk."""
    new_mode: int | None = None
    """Permission bits afterwards, where the record is about the bits only."""
    raw_before: RawFile | None = None
    """Bytes before; with `raw_after` for a non-text file, or a symbolic link, on one side at least."""
    raw_after: RawFile | None = None
    made_directory: Path | None = None
    """Outermost directory made for the file."""
    target: Path | None = None
    """Target of `path`, symbolic links resolved, when the change was made; None if unknown."""
    new_target: Path | None = None
    """Target of `new_path`, in the same form."""
    is_reverted: bool = False
    """True if the file was undone, whatever became of the rest of the change."""
    is_edited: bool = False
    """True if the user put another text in place of the proposed text."""

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
        """Return the targets of the paths, as far as known."""
        pairs = ((self.path, self.target), (self.new_path, self.new_target))
        return {path: target for path, target in pairs if path is not None and target is not None}

    @property
    def as_raw(self) -> "FileRecord":
        """Return the same record of a text, with the texts as bytes on disk. Raises DocumentError."""
        before, after = (
            None if text is None else RawFile("file", encode(text, self.encoding, self.bom), mode)
            for text, mode in ((self.before, self.mode), (self.after, None))
        )
        return replace(self, raw_before=before, raw_after=after)


@dataclass(frozen=True, slots=True)
class Settlement:
    """New states of other changes once a change is applied; stored together with the change, so a crash never separates
    the two.
    """

    states: tuple[tuple[str, RecordState], ...] = ()
    reverted: tuple[tuple[str, int, bool], ...] = ()
    """Change id, position of the file in the change, and true if the file is undone."""
    back: BackStep | None = None
    """Step of the user in the conversation, of which the change is a part."""


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
    allowed_by: AllowedBy | None = None
    """None for a change by a running command, a change that was written before its review, an undo, and a change of an
    earlier Placet.
    """
    undoes: tuple[str, ...] = ()
    """Ids of the changes taken back by an undo."""
    settles: Settlement = Settlement()
    """Settlement of an undo."""
    on_behalf_of: tuple[TurnRef, ...] = ()
    """Places for which a subagent's change was made, from the user's own session down to the nearest session."""
    directories: tuple[tuple[Path, int], ...] = ()
    """Directories around the files that leave their places, each with the permission bits before the change."""
    created: int = field(default_factory=now)

    @property
    def places(self) -> tuple[TurnRef, ...]:
        """Return the places where the change counts, from the user's own session down to the session which made the
        change.
        """
        return (*self.on_behalf_of, TurnRef(self.session_id, self.turn_id, self.message_id))

    def place_in(self, session_id: str) -> TurnRef:
        """Return the place where the session made the change or had the change made. Raises StopIteration if the
        session did neither.
        """
        return next(place for place in self.places if place.session_id == session_id)


def file_record(edit: FileEdit) -> FileRecord:
    """Return the record of an edit for the journal, before the edit is tried. Reads the file's mode and directories."""
    base = edit.base
    encoding, bom = encoding_of_new(edit) if base is None else (base.encoding, base.bom)
    destination = edit.path if edit.kind == "create" else edit.new_path
    return FileRecord(
        kind=edit.kind,
        path=edit.path,
        before=None if base is None else base.text,
        after=None if edit.kind == "delete" else edit.new_text,
        new_path=edit.new_path,
        encoding=encoding,
        bom=bom,
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
