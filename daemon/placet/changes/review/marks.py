"""Marks of changes that are written before their review: the way of a written change into the session's change set.

The marks are stored before the files are written: a crash in between leaves a mark without a difference, and such a
mark goes with the next look at the set. The marks are corrected by the texts after the change.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.raw_file import RawFile, described, read_raw
from placet.changes.journal.records import FileRecord
from placet.changes.propose.raw_proposal import raw_records
from placet.changes.review.change_sets import ChangeSet, ChangeSets
from placet.changes.review.staged_file import UndecidedFile
from placet.changes.review.unreviewed_file import grown
from placet.core.errors import DocumentError
from placet.core.executor import in_thread
from placet.core.ports import Document, ProposedFile
from placet.core.values import replace
from placet.project.undecodable_names import spelled
from placet.storage.database import Statement
from placet.text.diff import make_hunks
from placet.text.lines import to_lf
from placet.text.plan import EditPlan


class UnreviewedMarks:
    """Marks of one change; lives while the change is written, under the lock of the change set."""

    def __init__(self, sets: ChangeSets, change_set: ChangeSet, places: tuple[TurnRef, ...], change_id: str) -> None:
        self._sets = sets
        self._set = change_set
        self._places = places
        self._change_id = change_id
        self._marks: dict[Path, tuple[UndecidedFile | None, UndecidedFile | None]] = {}
        """File of the set before the change, and as marked now, by the path before the change."""

    async def put(self, files: Sequence[ProposedFile]) -> None:
        """Mark the files, which are all texts, in place of the marks put before. Raises StoreError."""
        await self.put_written([replace(file, is_raw=False) if file.is_raw else file for file in files])

    async def put_written(self, files: Sequence[ProposedFile]) -> None:
        """Mark the files that a command has written, in place of the marks put before. Raises StoreError."""
        changing = await in_thread(lambda: [_at_target(file) for file in files if file.changes_anything])
        befores = [self._before(file.path, is_raw=file.is_raw) for file in changing]
        afters = await in_thread(
            lambda: [
                grown(before, file, self._places, self._change_id)
                for before, file in zip(befores, changing, strict=True)
            ]
        )
        places = {after.place for after in afters if after is not None and after.kind != "delete"}
        await self._store(
            {
                file.path: self._under_own_name(before, after, places)
                for file, before, after in zip(changing, befores, afters, strict=True)
            }
        )

    async def withdraw(self) -> None:
        """Take the marks back: the change set is as before the change. Raises StoreError."""
        await self._store({path: before for path, (before, _) in self._marks.items()})

    def _under_own_name(
        self, before: UndecidedFile | None, after: UndecidedFile | None, places: Collection[Path]
    ) -> UndecidedFile | None:
        """Return the file under the last name if the file was deleted after a renaming, and another file has the first
        name: a place has one file of the set.
        """
        if before is None or before.new_path is None or after is None or after.kind != "delete":
            return after
        is_taken = after.path in places or self._set.find(after.path, "unreviewed") is not None
        return replace(after, new_path=before.new_path) if is_taken else after

    def _before(self, path: Path, *, is_raw: bool = False) -> UndecidedFile | None:
        if path in self._marks:
            return self._marks[path][0]
        return self._set.find_entry(path) if is_raw else self._set.find(path, "unreviewed")

    async def _store(self, afters: Mapping[Path, UndecidedFile | None]) -> None:
        statements: list[Statement] = []
        for path, after in afters.items():
            before = self._before(path, is_raw=after is not None and after.is_raw)
            _, current = self._marks.get(path, (before, before))
            statements += self._set.put(current, after)
            self._marks[path] = before, after
        await self._sets.store(statements)


def _at_target(file: ProposedFile) -> ProposedFile:
    """Return the text to which a link leads under the text's own path: the link may go, and the change stands. Blocks
    (stat).
    """
    path = file.path
    while not file.is_raw and path.is_symlink() and path.exists():
        path = Path(os.path.normpath(path.parent / path.readlink()))
    return file if path == file.path else replace(file, path=path, name="")


def has_texts_only(plan: EditPlan) -> bool:
    """Return whether every file of the plan is text before and after, with no other difference than the text, and has
    a name that can be stored.
    """
    return all(
        len(records) == 1 and any(map(_is_named_in_text, _text_file(records[0])))
        for records in raw_records(plan).values()
    )


def written_files(records: Iterable[FileRecord]) -> list[ProposedFile]:
    """Return the files of a written change, in the form of a proposal. Blocks."""
    files: dict[Path, ProposedFile] = {}
    for record in records:
        file = _permissions(record, files.get(record.path)) if record.form == "mode" else _content(record)
        if file is not None and _is_named_in_text(file):
            files[record.path] = file
    return list(files.values())


def _content(record: FileRecord) -> ProposedFile:
    """Return the file as a text, or with a description of each side for a file that is no text."""
    for file in _text_file(record):
        return file
    old_text, new_text = described(record.raw_before), described(record.raw_after)
    hunks = make_hunks(old_text, new_text)
    return ProposedFile(record.path, record.kind, old_text, new_text, hunks, is_raw=True)


def _permissions(record: FileRecord, file: ProposedFile | None) -> ProposedFile | None:
    """Return the file with new permissions; `file` is the file with a new content too. None for a file that has gone
    meanwhile.
    """
    if file is None:
        try:
            raw = read_raw(record.path)
        except DocumentError:
            return None
        if raw is None:
            return None
        if (decoded := raw.text) is None:
            file = ProposedFile(record.path, "modify", described(raw), described(raw), (), is_raw=True)
        else:
            document = Document(record.path, decoded.text, "disk", encoding=decoded.encoding, bom=decoded.bom)
            text = to_lf(decoded.text)
            file = ProposedFile(record.path, "modify", text, text, (), document=document)
    return replace(file, mode=record.new_mode, base_mode=record.mode)


def _is_named_in_text(file: ProposedFile) -> bool:
    """Return whether the paths are UTF-8, as the store needs names in UTF-8."""
    return all(spelled(str(path)) == str(path) for path in file.paths)


def _text_file(record: FileRecord) -> Iterator[ProposedFile]:
    match record.form, record.kind:
        case "text", "create" | "modify" | "delete":
            before, after = record.before, record.after
        case "raw", "create":
            before, after = None, _text(record.raw_after)
        case "raw", "delete":
            before, after = _text(record.raw_before), None
        case _:
            return
    if before is not None or after is not None:
        document = None if before is None else Document(record.path, before, "disk")
        old_text, new_text = to_lf(before or ""), to_lf(after or "")
        hunks = make_hunks(old_text, new_text)
        yield ProposedFile(record.path, record.kind, old_text, new_text, hunks, document=document)


def _text(raw: RawFile | None) -> str | None:
    decoded = None if raw is None else raw.text
    return None if decoded is None else decoded.text
