"""Plan of a revert: from the current files to the files without some changes, with the user's own typing kept. Pure.

The undo, the rollback of a change that failed half-way, and the recovery after a crash all use this module.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, assert_never

from placet.changes.journal.current_files import CurrentFiles, as_raw
from placet.changes.journal.presence import without
from placet.changes.journal.raw_file import RawFile
from placet.changes.journal.records import FileRecord
from placet.core.errors import DocumentError, EditConflict
from placet.core.ports import Document, FileEdit
from placet.core.values import replace
from placet.text.diff import text_edits
from placet.text.encoding import encode
from placet.text.lines import to_lf
from placet.text.merge import MergeConflict

Status = Literal["restored", "conflict", "unchanged"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Possible outcome for one file. `reason` explains a conflict."""

    file: FileRecord
    status: Status
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reversal:
    edits: tuple[FileEdit, ...]
    verdicts: tuple[Verdict, ...]
    others: tuple[FileRecord, ...] = ()
    """Work on non-text files, as records to carry out."""


@dataclass(frozen=True, slots=True)
class _File:
    """Text of a file in the plan. `origin` is the path of the document now, or None for a file created anew."""

    text: str
    origin: Path | None
    encoding: str = "utf-8"
    bom: bool = False
    mode: int | None = None
    is_unsaved: bool = False
    """True if the file is open with text not on disk."""


@dataclass(slots=True)
class _Desk:
    """State of all files in the plan, while one record after another is reverted."""

    files: dict[Path, _File | RawFile | None]
    modes: dict[Path, int | None]
    made: dict[Path, Path] = field(default_factory=dict[Path, Path])
    """Directories to remove together with a removed file."""
    made_anew: frozenset[Path] = frozenset()
    """Paths at which a change made a file, and which the plan has freed. What an earlier change did to a file there is
    past: somebody had removed that file in between, and the removal stays.
    """

    @staticmethod
    def of(current_files: CurrentFiles) -> "_Desk":
        return _Desk(
            {path: _on_desk(path, file) for path, file in current_files.files.items()}, dict(current_files.modes)
        )

    def text(self, path: Path) -> _File | None:
        file = self.files[path]
        if isinstance(file, RawFile):
            raise EditConflict(f"{path} is no text any more.")
        return file

    def copy(self) -> "_Desk":
        return _Desk(dict(self.files), dict(self.modes), dict(self.made), self.made_anew)


def revert_plan(files: Sequence[FileRecord], current_files: CurrentFiles) -> Reversal:
    """Return the plan that reverts `files` (the newest first), starting from the current state.

    Where a file's part cannot be reverted, the file and the destinations of the file's renames are left alone.
    """
    stuck: dict[Path, str] = {}
    while True:
        desk = _Desk.of(current_files)
        verdicts: list[Verdict] = []
        for file in files:
            verdict, desk = _taken_back(file, desk, stuck)
            verdicts.append(verdict)
        conflicts = {
            path: verdict.reason for verdict in verdicts if verdict.status == "conflict" for path in verdict.file.paths
        }
        if conflicts.keys() <= stuck.keys():
            break
        stuck |= conflicts
    others = tuple(sorted(_other_changes(current_files, desk), key=lambda other: other.kind != "delete"))
    raw = {other.path for other in others if other.form == "raw"}
    edits = (_with_mode(edit, desk) for edit in _net_edits(_texts(current_files, raw), desk))
    targets = {path: target for file in files for path, target in file.targets.items()}
    return Reversal(tuple(_aimed(edit, targets) for edit in edits), tuple(verdicts), others)


def _taken_back(file: FileRecord, desk: _Desk, stuck: Mapping[Path, str]) -> tuple[Verdict, _Desk]:
    for path in file.paths:
        if path in stuck:
            return Verdict(file, "conflict", stuck[path]), desk
    next_desk = desk.copy()
    try:
        _take_back(file, next_desk)
    except MergeConflict as error:
        return Verdict(file, "conflict", error.of_undo), desk
    except EditConflict as error:
        return Verdict(file, "conflict", str(error)), desk
    is_same = (next_desk.files, next_desk.modes) == (desk.files, desk.modes)
    return Verdict(file, "unchanged" if is_same else "restored"), next_desk


def _take_back(file: FileRecord, desk: _Desk) -> None:
    place = file.new_path or file.path
    if file.kind in ("modify", "rename") and desk.files[place] is None and place in desk.made_anew:
        return
    match file.form:
        case "raw":
            _take_back_raw(file, desk)
        case "mode":
            _take_back_mode(file, desk)
        case "text" if any(isinstance(desk.files[path], RawFile) for path in file.paths):
            _take_back_bytes(file, desk)
        case "text":
            _take_back_text(file, desk)
        case _:
            assert_never(file.form)


def _take_back_text(file: FileRecord, desk: _Desk) -> None:
    match file.kind:
        case "create":
            _take_back_create(file, desk)
        case "modify":
            _take_back_modify(file, desk)
        case "delete":
            _take_back_delete(file, desk)
        case "rename":
            _take_back_rename(file, desk)
        case _:
            assert_never(file.kind)


def _take_back_create(file: FileRecord, desk: _Desk) -> None:
    current = desk.text(file.path)
    if current is not None and not _same(current.text, file.after):
        raise EditConflict(f"{file.path} was created by this change and has been edited since; delete it if it may go.")
    _take_away(file, file.path, desk)


def _take_back_modify(file: FileRecord, desk: _Desk) -> None:
    current = desk.text(file.path)
    if current is None:
        raise EditConflict(f"{file.path} is no longer there.")
    desk.files[file.path] = replace(current, text=without(file.before or "", file.after or "", current.text))


def _take_back_delete(file: FileRecord, desk: _Desk) -> None:
    current = desk.text(file.path)
    if current is None:
        desk.files[file.path] = _File(file.before or "", None, file.encoding, file.bom, file.mode)
        if file.path in desk.modes:
            desk.modes[file.path] = file.mode
    elif not _same(current.text, file.before):
        raise EditConflict(f"{file.path} was deleted by this change, and another file is there now.")


def _take_back_rename(file: FileRecord, desk: _Desk) -> None:
    assert file.new_path is not None
    current, moved = desk.text(file.path), desk.text(file.new_path)
    if moved is None:
        if current is None or not _same(current.text, file.before):
            raise EditConflict(f"{file.new_path}, the new name of {file.path}, is no longer there.")
    elif current is None:
        text = without(file.before or "", file.after or "", moved.text)
        desk.files[file.path] = replace(moved, text=text, mode=file.mode)
        if file.new_path in desk.modes:
            desk.modes[file.path] = desk.modes[file.new_path]
        _take_away(file, file.new_path, desk)
    elif _same(current.text, file.before) and _same(moved.text, file.after):
        _take_away(file, file.new_path, desk)  # The file had been copied, and not yet removed from the old path.
    else:
        raise EditConflict(f"{file.path} cannot have its name back: another file is there now.")


def _take_back_raw(file: FileRecord, desk: _Desk) -> None:
    """Revert a raw record completely or not at all, because bytes are not merged."""
    if isinstance(text := desk.files[file.path], _File) and text.is_unsaved:
        raise EditConflict(f"{file.path} has unsaved changes in the editor; save it and try again.")
    current = _raw_on_desk(desk.files[file.path])
    if current == file.raw_after:
        if file.raw_before is None:
            _take_away(file, file.path, desk)
            return
        desk.files[file.path] = _from_raw(file.raw_before, desk.files[file.path])
        desk.modes[file.path] = file.raw_before.mode
    elif current != file.raw_before:
        raise EditConflict(f"{file.path} has been changed since, and is no text that could be merged.")


def _take_back_bytes(file: FileRecord, desk: _Desk) -> None:
    """Revert a text no longer readable as text: restore the written bytes, or raise EditConflict."""
    try:
        raw = file.as_raw
    except DocumentError as error:
        raise EditConflict(f"{file.path} cannot be taken back: {error}") from error
    if file.new_path is None:
        _take_back_raw(raw, desk)
    elif desk.files[file.path] is None and _raw_on_desk(desk.files[file.new_path]) == raw.raw_after:
        desk.files[file.path] = raw.raw_before
        _take_away(file, file.new_path, desk)
    else:
        raise EditConflict(f"{file.new_path} has been changed since, and is no text that could be merged.")


def _take_back_mode(file: FileRecord, desk: _Desk) -> None:
    if desk.files[file.path] is None:
        raise EditConflict(f"{file.path} is no longer there.")
    current = desk.modes[file.path]
    if current == file.new_mode:
        desk.modes[file.path] = file.mode
    elif current != file.mode:
        raise EditConflict(f"The permissions of {file.path} have been changed since.")


def _take_away(file: FileRecord, path: Path, desk: _Desk) -> None:
    desk.files[path] = None
    if file.kind == "create":
        desk.made_anew |= {path}
    if file.made_directory is not None:
        desk.made[path] = file.made_directory


def _other_changes(current_files: CurrentFiles, desk: _Desk) -> Iterator[FileRecord]:
    """Yield the work on files which are not text before or after, and on permission bits."""
    origins = _origins(desk.files.values())
    for path, current in current_files.files.items():
        planned, current_mode = desk.files[path], current_files.modes.get(path)
        mode = desk.modes.get(path)
        origin = planned.origin if isinstance(planned, _File) else path
        if origin is not None and origin != path and _is_free(path, current, origins):
            # The file is renamed to the path, with its permissions; then the permissions can be set.
            current_mode, origin = current_files.modes.get(origin), path
        if isinstance(current, RawFile) or isinstance(planned, RawFile) or _is_encoded_anew(path, current, planned):
            old, new = as_raw(current, current_mode), _raw_on_desk(planned)
            if old != new:
                new = None if new is None else replace(new, mode=mode)
                kind = "create" if old is None else "delete" if new is None else "modify"
                yield FileRecord(kind, path, raw_before=old, raw_after=new, made_directory=desk.made.get(path))
                continue
        is_kept = planned is not None and origin == path  # A file that is made anew has its permissions from the start.
        if is_kept and current_mode is not None and mode is not None and mode != current_mode:
            yield FileRecord("modify", path, mode=current_mode, new_mode=mode)


def _net_edits(documents: Mapping[Path, Document | None], desk: _Desk) -> Iterator[FileEdit]:
    """Yield the edits from the documents to the desk: first removals, then moves, then created and modified files.

    A file that was replaced by another file of the same name is deleted and created anew, because the file had a mode
    and an encoding of its own.
    """
    texts = {path: file for path, file in desk.files.items() if path in documents and not isinstance(file, RawFile)}
    origins = _origins(texts.values())
    renames = {
        path: file.origin
        for path, file in texts.items()
        if file is not None and file.origin not in (None, path) and _is_free(path, documents[path], origins)
    }
    moved = set(renames.values())
    for path, document in documents.items():
        file = texts[path]
        if document is not None and path not in moved and (file is None or file.origin != path):
            yield FileEdit("delete", path, document, made_directory=desk.made.get(path))
    for path, origin in renames.items():
        file, document = texts[path], documents[origin]
        if file is not None and document is not None:
            edits = text_edits(document.text, file.text)
            made = desk.made.get(origin)
            yield FileEdit("rename", origin, document, file.text, edits, path, made_directory=made)
    for path, file in texts.items():
        if file is None or path in renames:
            continue
        document = documents[path]
        if document is None or file.origin != path:
            yield FileEdit("create", path, None, file.text, encoding=file.encoding, bom=file.bom, mode=file.mode)
        elif file.text != document.text:
            yield FileEdit("modify", path, document, file.text, text_edits(document.text, file.text))


def _origins(files: Iterable[_File | RawFile | None]) -> set[Path | None]:
    """Return the paths now of the texts in the plan."""
    return {file.origin for file in files if isinstance(file, _File)}


def _is_free(path: Path, current: Document | RawFile | None, origins: Collection[Path | None]) -> bool:
    """Return whether a file can be renamed to the path: no file is there, or the file there goes."""
    return current is None or path not in origins


def _texts(current_files: CurrentFiles, raw: set[Path]) -> dict[Path, Document | None]:
    """Return the documents handled as texts."""
    return {
        path: file for path, file in current_files.files.items() if path not in raw and not isinstance(file, RawFile)
    }


def _aimed(edit: FileEdit, targets: Mapping[Path, Path]) -> FileEdit:
    new_target = None if edit.new_path is None else targets.get(edit.new_path)
    return replace(edit, target=targets.get(edit.path), new_target=new_target)


def _with_mode(edit: FileEdit, desk: _Desk) -> FileEdit:
    mode = desk.modes.get(edit.path)
    return edit if edit.kind != "create" or mode is None else replace(edit, mode=mode)


def _is_encoded_anew(path: Path, current: Document | None, planned: _File | None) -> bool:
    """Return whether the encoding or BOM changes: edits of a text keep the encoding, so the bytes must be written
    instead.
    """
    if current is None or planned is None or planned.origin != path:
        return False
    return (current.encoding, current.bom) != (planned.encoding, planned.bom)


def _on_desk(path: Path, file: Document | RawFile | None) -> _File | RawFile | None:
    if not isinstance(file, Document):
        return file
    return _File(file.text, path, file.encoding, file.bom, is_unsaved=file.dirty)


def _raw_on_desk(file: _File | RawFile | None) -> RawFile | None:
    return RawFile("file", encode(file.text, file.encoding, file.bom)) if isinstance(file, _File) else file


def _from_raw(raw: RawFile, current: _File | RawFile | None) -> _File | RawFile:
    """Return the file as text if the bytes are text, so that later records can be merged with the file."""
    decoded = raw.text
    if decoded is None:
        return raw
    origin = current.origin if isinstance(current, _File) else None
    return _File(decoded.text, origin, decoded.encoding, decoded.bom, raw.mode)


def _same(text: str, other_text: str | None) -> bool:
    return other_text is not None and to_lf(text) == to_lf(other_text)
