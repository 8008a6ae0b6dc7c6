"""Undo and redo: what a turn, a message or some changes did is taken out again, and what the user typed since is kept.

An undo is a change like any other, journaled and applied the same way; so redo is the undo of an undo.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from placet.changes.application import Overtaken, carry_out, to_the_end
from placet.changes.journal import Journal
from placet.changes.ledger import Ledger
from placet.changes.locks import locked
from placet.changes.record import ChangeRecord, FileRecord, RecordState, file_record
from placet.changes.report import reapplied_event
from placet.changes.reversal import Reversal, Status, Verdict, current, reversal
from placet.errors import DocumentError, EditError, RequestError
from placet.events import ChangeReverted, Update
from placet.messages import new_id
from placet.ports import Documents, FileEdit
from placet.project.executor import in_thread

MOST_TRIES = 5
"""How often an undo is tried while the user types in its files."""

Emit = Callable[[Update], None]


@dataclass(frozen=True, slots=True)
class UndoneFile:
    path: Path
    status: Status
    """`conflict`: the user has edited the same lines since, and nothing of this file was touched."""
    reason: str = ""
    """Why not, for a conflict."""


class Undo:
    def __init__(self, journal: Journal, documents: Documents) -> None:
        self._journal = journal
        self._documents = documents

    async def undo(
        self,
        session_id: str,
        *,
        emit: Emit,
        ledger: Ledger,
        turn_id: str | None = None,
        message_id: str | None = None,
        change_ids: Sequence[str] | None = None,
    ) -> list[UndoneFile]:
        """Take back what the target did; without one, what the last turn did that still stands.

        Each file is said of: restored, unchanged (it was as before already), or conflict (left as it is).
        Raises RequestError when there is nothing to take back, EditError when the editor did not take it.
        """
        changes = await self._journal.changes(session_id)
        standing = [change for change in changes if change.state == "applied"]
        edits = [change for change in standing if change.kind == "edit"]
        if change_ids is not None:
            target = [change for change in standing if change.id in change_ids]
        elif message_id is not None:
            target = [change for change in edits if change.message_id == message_id]
        elif turn_id is not None:
            target = [change for change in edits if change.turn_id == turn_id]
        else:
            target = [change for change in edits if change.turn_id == edits[-1].turn_id]
        if not target:
            raise RequestError("There is no applied change to take back.")
        return await self._take_back(target, changes, emit, ledger)

    async def redo(self, session_id: str, *, emit: Emit, ledger: Ledger) -> list[UndoneFile]:
        """Bring back what the last undo took, unless something was changed since. Raises RequestError, EditError."""
        changes = await self._journal.changes(session_id)
        edits = {change.id for change in changes if change.kind == "edit"}
        undos = [change for change in changes if change.state == "applied" and edits.intersection(change.undoes)]
        since = [it for it in changes if it.kind == "edit" and it.state == "applied" and undos and it.id > undos[-1].id]
        if not undos or since:
            raise RequestError("There is no undo to take back: nothing was undone, or something was changed since.")
        return await self._take_back(undos[-1:], changes, emit, ledger)

    async def _take_back(
        self, target: Sequence[ChangeRecord], changes: Sequence[ChangeRecord], emit: Emit, ledger: Ledger
    ) -> list[UndoneFile]:
        target = await self._journal.with_files(target)
        files = [file for change in reversed(target) for file in reversed(change.files)]
        async with locked(path for file in files for path in file.paths):
            for _ in range(MOST_TRIES):
                plan = await self._plan(files)
                try:
                    await to_the_end(self._apply(target, changes, plan, emit, ledger))
                except Overtaken:
                    continue
                return _undone_files(plan.verdicts)
        raise EditError(
            "The undo came to nothing, as the files kept changing. Try it again when they have come to rest."
        )

    async def _plan(self, files: Sequence[FileRecord]) -> Reversal:
        """What can be taken back now; a file that cannot be read as text any more is a conflict."""
        try:
            return await in_thread(reversal, files, await current(self._documents, files))
        except DocumentError:
            unreadable = {file: reason for file in files if (reason := await self._unreadable(file))}
            rest = [file for file in files if file not in unreadable]
            plan = await in_thread(reversal, rest, await current(self._documents, rest))
            conflicts = tuple(Verdict(file, "conflict", reason) for file, reason in unreadable.items())
            return replace(plan, verdicts=plan.verdicts + conflicts)

    async def _unreadable(self, file: FileRecord) -> str:
        try:
            await current(self._documents, [file])
        except DocumentError as error:
            return str(error)
        return ""

    async def _apply(
        self,
        target: Sequence[ChangeRecord],
        changes: Sequence[ChangeRecord],
        plan: Reversal,
        emit: Emit,
        ledger: Ledger,
    ) -> None:
        """Apply what can be, then settle which changes stand no longer and which stand again."""
        if any(verdict.status == "restored" for verdict in plan.verdicts):
            await self._carry_out(target, plan.edits)
        for edit in plan.edits:
            ledger.forget(edit.path)
        stuck = {verdict.file for verdict in plan.verdicts if verdict.status == "conflict"}
        undone = [change for change in target if not stuck.intersection(change.files)]
        again = await self._journal.with_files(_standing_again(undone, changes))
        states: dict[str, RecordState] = {change.id: "reverted" for change in undone}
        states |= {change.id: "applied" for change in again}
        await self._journal.set_states(states)
        for change in undone:
            if change.kind == "edit":
                emit(ChangeReverted(message_id=change.message_id, change_id=change.id))
        for change in again:
            if change.kind == "edit":
                emit(await in_thread(reapplied_event, change))

    async def _carry_out(self, target: Sequence[ChangeRecord], edits: Sequence[FileEdit]) -> None:
        last = target[-1]
        change = ChangeRecord(
            id=new_id("chg"),
            session_id=last.session_id,
            turn_id=last.turn_id,
            message_id=last.message_id,
            kind="undo",
            undoes=tuple(it.id for it in target),
            files=tuple(map(file_record, edits)),
        )
        if not edits:  # What the changes did, they had themselves taken back; a redo must find it all the same.
            await self._journal.applied(change)
            return
        label = "Redo" if last.kind == "undo" else "Undo"
        await carry_out(self._documents, self._journal, change, edits, label=label)


def _standing_again(undone: Iterable[ChangeRecord], changes: Iterable[ChangeRecord]) -> list[ChangeRecord]:
    """The changes that an undo had taken back, once that undo is taken back itself."""
    ids = {id for change in undone for id in change.undoes}
    return [change for change in changes if change.id in ids and change.state == "reverted"]


def _undone_files(verdicts: Iterable[Verdict]) -> list[UndoneFile]:
    """One a path: a conflict tells more than a restored file, and that more than one that was as before."""
    files: dict[Path, UndoneFile] = {}
    rank = {"unchanged": 0, "restored": 1, "conflict": 2}
    for verdict in verdicts:
        path = verdict.file.path
        known = files.get(path)
        if known is None or rank[verdict.status] > rank[known.status]:
            files[path] = UndoneFile(path, verdict.status, verdict.reason)
    return list(files.values())
