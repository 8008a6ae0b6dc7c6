"""Taking changes back: from what is there now to what would be there without them, the user's own typing kept.

The undo, the roll-back of a change that failed half-way, and the mending after a crash are all this one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, assert_never

from placet.changes.presence import Presence, presence, without
from placet.changes.record import FileRecord
from placet.edits.diff import text_edits
from placet.edits.lines import to_lf
from placet.errors import DocumentError, DocumentMissing, EditConflict
from placet.messages import new_id
from placet.ports import Document, Documents, FileEdit
from placet.project.executor import in_thread

Status = Literal["restored", "conflict", "unchanged"]
MOST_TRIES = 10
"""How often a file is put back while the user types in it."""

Texts = Mapping[Path, Document | None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be done about one file. `reason` says why not."""

    file: FileRecord
    status: Status
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reversal:
    edits: tuple[FileEdit, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it would be. `origin` is where its document lies now; None for one that is made anew."""

    text: str
    origin: Path | None
    encoding: str = "utf-8"
    bom: bool = False
    mode: int | None = None


def reversal(files: Sequence[FileRecord], documents: Texts) -> Reversal:
    """The edits that take back `files` (the newest first) from the documents that are there now.

    Where a file's share cannot be taken back, nothing at all is done to that file, nor to those it was renamed to.
    """
    stuck: dict[Path, str] = {}
    while True:
        desk = {path: _on_desk(path, document) for path, document in documents.items()}
        verdicts = [_take_back(file, desk, stuck) for file in files]
        found = {path: it.reason for it in verdicts if it.status == "conflict" for path in it.file.paths}
        if found.keys() <= stuck.keys():
            return Reversal(tuple(_net_edits(documents, desk)), tuple(verdicts))
        stuck |= found


def standing(file: FileRecord, documents: Texts) -> Presence:
    """Whether the file's share of a change is done, not done, or something between."""
    now = _text(documents[file.path])
    if file.new_path is None:
        return presence(file.before, file.after, now)
    moved = _text(documents[file.new_path])
    if now is None and moved is not None and presence(file.before, file.after, moved) == "after":
        return "after"
    return "before" if moved is None and presence(file.before, None, now) == "before" else "mixed"


async def current(documents: Documents, files: Iterable[FileRecord]) -> dict[Path, Document | None]:
    """What is there now at every path of the files. Raises DocumentError for what can no longer be read as text."""
    return {path: await there(documents, path) for file in files for path in file.paths}


async def there(documents: Documents, path: Path) -> Document | None:
    """The document, None where there is none. Raises DocumentError for anything but text."""
    try:
        return await documents.read(path)
    except DocumentMissing:
        return None


async def put_back(documents: Documents, files: Sequence[FileRecord], *, label: str) -> dict[FileRecord, str]:
    """Bring the files back to before, those that still hold the change; why not, for those where it did not succeed.

    Each file is tried for itself, and again where the user's typing came between.
    """
    failures: dict[FileRecord, str] = {}
    for file in reversed(files):
        for _ in range(MOST_TRIES):
            reason = await _put_back_one(documents, file, label)
            if reason is None:
                failures.pop(file, None)
                break
            failures[file] = reason
    return failures


async def _put_back_one(documents: Documents, file: FileRecord, label: str) -> str | None:
    """One try; None if the file is as before now."""
    try:
        plan = await in_thread(reversal, [file], await current(documents, [file]))
        reason = "".join(verdict.reason for verdict in plan.verdicts)
        if plan.edits:
            outcomes = await documents.apply(plan.edits, edit_id=new_id("chg"), label=label)
            reason = "".join(outcome.reason for outcome in outcomes)
        back = await in_thread(standing, file, await current(documents, [file])) == "before"
    except DocumentError as error:
        return str(error)
    return None if back else reason or "the editor did not take the old text back"


def _take_back(file: FileRecord, desk: dict[Path, _File | None], stuck: Mapping[Path, str]) -> Verdict:
    for path in file.paths:
        if path in stuck:
            return Verdict(file, "conflict", stuck[path])
    earlier = dict(desk)
    try:
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
    except EditConflict as error:
        return Verdict(file, "conflict", str(error))
    return Verdict(file, "unchanged" if desk == earlier else "restored")


def _take_back_create(file: FileRecord, desk: dict[Path, _File | None]) -> None:
    now = desk[file.path]
    if now is not None and not _same(now.text, file.after):
        raise EditConflict(f"{file.path} was created by this change and has been edited since; delete it if it may go.")
    desk[file.path] = None


def _take_back_modify(file: FileRecord, desk: dict[Path, _File | None]) -> None:
    now = desk[file.path]
    if now is None:
        raise EditConflict(f"{file.path} is no longer there.")
    desk[file.path] = replace(now, text=without(file.before or "", file.after or "", now.text))


def _take_back_delete(file: FileRecord, desk: dict[Path, _File | None]) -> None:
    now = desk[file.path]
    if now is None:
        desk[file.path] = _File(file.before or "", None, file.encoding, file.bom, file.mode)
    elif not _same(now.text, file.before):
        raise EditConflict(f"{file.path} was deleted by this change, and another file is there now.")


def _take_back_rename(file: FileRecord, desk: dict[Path, _File | None]) -> None:
    assert file.new_path is not None
    now, moved = desk[file.path], desk[file.new_path]
    if moved is None:
        if now is None or not _same(now.text, file.before):
            raise EditConflict(f"{file.new_path}, the new name of {file.path}, is no longer there.")
    elif now is None:
        desk[file.path] = replace(moved, text=without(file.before or "", file.after or "", moved.text))
        desk[file.new_path] = None
    elif _same(now.text, file.before) and _same(moved.text, file.after):
        desk[file.new_path] = None  # It had been copied, and not yet taken from its old place.
    else:
        raise EditConflict(f"{file.path} cannot have its name back: another file is there now.")


def _net_edits(documents: Texts, desk: Mapping[Path, _File | None]) -> Iterator[FileEdit]:
    """What leads from the documents to the desk: first what goes, then what moves, then what is made or changed.

    A file that was replaced by another of its name goes and is made anew, as it had a mode and an encoding of its own.
    """
    origins = {file.origin for file in desk.values() if file is not None}
    renames: dict[Path, Path] = {}
    for path, file in desk.items():
        is_free = documents[path] is None or path not in origins
        if file is not None and file.origin is not None and file.origin != path and is_free:
            renames[path] = file.origin
    moved = set(renames.values())
    for path, document in documents.items():
        file = desk[path]
        if document is not None and path not in moved and (file is None or file.origin != path):
            yield FileEdit("delete", path, document)
    for path, origin in renames.items():
        file, document = desk[path], documents[origin]
        if file is not None and document is not None:
            edits = text_edits(document.text, file.text)
            yield FileEdit("rename", origin, document, file.text, edits, path)
    for path, file in desk.items():
        if file is None or path in renames:
            continue
        document = documents[path]
        if document is None or file.origin != path:
            yield FileEdit("create", path, None, file.text, encoding=file.encoding, bom=file.bom, mode=file.mode)
        elif file.text != document.text:
            yield FileEdit("modify", path, document, file.text, text_edits(document.text, file.text))


def _on_desk(path: Path, document: Document | None) -> _File | None:
    return None if document is None else _File(document.text, path, document.encoding, document.bom)


def _text(document: Document | None) -> str | None:
    return None if document is None else document.text


def _same(one: str, other: str | None) -> bool:
    return other is not None and to_lf(one) == to_lf(other)
