"""Marks of changes that are written before their review: the way of a written change into the session's change set.

The marks are stored before the files are written: a crash in between leaves a mark without a difference, and such a
mark goes with the next look at the set. The marks are corrected by the texts after the change.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.raw_file import RawFile
from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.changes.propose.raw_proposal import raw_records
from placet.changes.review.change_sets import ChangeSet, ChangeSets
from placet.changes.review.staged_file import StagedFile
from placet.changes.review.unreviewed_file import grown
from placet.core.executor import in_thread
from placet.core.ports import Document, ProposedFile
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
        self._marks: dict[Path, tuple[StagedFile | None, StagedFile | None]] = {}
        """File of the set before the change, and as marked now, by the path before the change."""

    async def put(self, files: Sequence[ProposedFile]) -> None:
        """Mark the files in place of the marks put before. Raises StoreError."""
        changing = [file for file in files if file.changes_anything]
        befores = [self._before(file.path) for file in changing]
        afters = await in_thread(
            lambda: [
                grown(before, file, self._places, self._change_id)
                for before, file in zip(befores, changing, strict=True)
            ]
        )
        await self._store(dict(zip([file.path for file in changing], afters, strict=True)))

    async def withdraw(self) -> None:
        """Take the marks back: the change set is as before the change. Raises StoreError."""
        await self._store({path: before for path, (before, _) in self._marks.items()})

    def _before(self, path: Path) -> StagedFile | None:
        return self._marks[path][0] if path in self._marks else self._set.find(path, "unreviewed")

    async def _store(self, afters: Mapping[Path, StagedFile | None]) -> None:
        statements: list[Statement] = []
        for path, after in afters.items():
            before = self._before(path)
            _, current = self._marks.get(path, (before, before))
            statements += self._set.put(current, after)
            self._marks[path] = before, after
        await self._sets.store(statements)


def has_texts_only(plan: EditPlan) -> bool:
    """Return whether every file of the plan is text before and after, with no other difference than the text, and has
    a name that can be stored.
    """
    return all(
        len(records) == 1 and any(map(_is_named_in_text, _text_file(records[0])))
        for records in raw_records(plan).values()
    )


def text_files(change: ChangeRecord) -> list[ProposedFile]:
    """Return the text files of a command's change, in the form of a proposal."""
    files = [file for record in change.files for file in _text_file(record)]
    return [file for file in files if _is_named_in_text(file)]


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
