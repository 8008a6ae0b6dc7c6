"""Undo and redo: remove the work of a turn, a message, some changes or all changes from files, and keep the user's
typing.

An undo is a change like any other, journaled and applied the same way; so redo is the undo of an undo.
A change by a subagent belongs to the turn that the subagent worked for.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from placet.changes.journal.back_step import BackStep
from placet.changes.journal.current_files import read_current
from placet.changes.journal.directory_modes import finish_directories, make_directories
from placet.changes.journal.file_history import ChangedFile, RecordKey, file_history
from placet.changes.journal.journal import Journal
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.records import ChangeRecord, FileRecord, RecordState, Settlement, file_record
from placet.changes.journal.revert_plan import Reversal, Status, Verdict, revert_plan
from placet.changes.ledger import Ledger
from placet.changes.locks import locked
from placet.changes.propose.apply import Overtaken, Unsettled, carry_out
from placet.changes.propose.report import reapplied_event
from placet.changes.propose.unsure import UnsureChanges
from placet.core.errors import DocumentError, EditError, RequestError
from placet.core.events import ChangeApplied, ChangeReverted, Update
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.ports import Documents, FileEdit
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.project.files.disk import missing_directory
from placet.project.paths import real, real_entry
from placet.text.diff import count_lines, make_hunks
from placet.text.lines import to_lf

_RANK: dict[Status, int] = {"unchanged": 0, "restored": 1, "conflict": 2}
"""Rank of the outcomes of one file under its names: the highest is told."""
MOST_TRIES = 5
"""Highest number of tries of an undo while the user types in the files."""


@dataclass(frozen=True, slots=True)
class Party:
    """Update sink and ledger of one session, for an undo."""

    emit: Callable[[Update], None]
    ledger: Ledger

    def tell_applied(self, change: ChangeRecord) -> None:
        """Show a change that the editor has applied after all, and make the model read the files again."""
        for path in (path for file in change.files for path in file.paths):
            self.ledger.forget(path)
        self.emit(reapplied_event(change))


Parties = Callable[[Collection[str]], AbstractAsyncContextManager[Mapping[str, Party]]]
"""Function that returns subagents' sessions by id, kept from other processes while the context lasts. Raises
RequestError.
"""


class UndoTarget(TypedDict, total=False):
    """Changes to undo: of a turn, of a message, the given changes, or by default of the last turn that did anything.

    `paths` limits the undo to these files; `paths` alone names every change of the session to these files.
    """

    turn_id: str | None
    message_id: str | None
    change_ids: Sequence[str] | None
    paths: Sequence[Path] | None


@dataclass(frozen=True, slots=True)
class UndoneFile:
    path: Path
    status: Status
    """Outcome; `conflict`: the user has edited the same lines since, and nothing of this file was touched."""
    reason: str = ""
    """Reason of a conflict."""


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """Effect that an undo would have on one file now."""

    path: Path
    status: Status
    reason: str = ""
    additions: int = 0
    deletions: int = 0


@dataclass(frozen=True, slots=True)
class _Share:
    """Part of a change to be undone."""

    change: ChangeRecord
    files: tuple[FileRecord, ...]


@dataclass(frozen=True, slots=True)
class _Scene:
    """Session in which the undo was requested, with the session's changes and the parties."""

    session_id: str
    changes: Sequence[ChangeRecord]
    """Changes made by the session and the session's subagents."""
    parties: Mapping[str, Party]
    back: BackStep | None = None
    """Step of the user in the conversation, stored together with the undo."""

    def tell(self, change: ChangeRecord, update: ChangeApplied | ChangeReverted) -> None:
        """Emit the update in the session that made the change, and at the calls of the sessions from here down to that
        session.
        """
        *above, own = _from_here_down(change, self.session_id)
        self.parties[own.session_id].emit(update)
        for place in above:
            copied = {"message_id": place.message_id, "made_in": own.session_id}
            self.parties[place.session_id].emit(_without_call(update).model_copy(update=copied))


class Undo:
    def __init__(self, journal: Journal, documents: Documents, unsure: UnsureChanges) -> None:
        self._journal = journal
        self._documents = documents
        self._unsure = unsure

    async def undo(
        self,
        session_id: str,
        party: Party,
        others: Parties,
        *,
        turn_id: str | None = None,
        message_id: str | None = None,
        change_ids: Sequence[str] | None = None,
        paths: Sequence[Path] | None = None,
        back: BackStep | None = None,
    ) -> list[UndoneFile]:
        """Undo the changes of the target; without a target, the changes of the last turn that still stand.

        With `paths`, undo only changes of these files; with `paths` alone, all changes of the session to the files.
        With `back`, store this step of the user together with the undo, also where no change is left to undo.
        `party` is the session's own; `others` gives the parties of the subagents that worked for the target.
        Each file gets a status: restored, unchanged (the file was as before already), or conflict (the file is left
        alone).
        Raises RequestError when nothing can be undone or another process is at work in a session concerned, EditError
        when the editor did not apply the undo.
        """
        await self._unsure.look(await self._journal.seen_from(session_id), party.tell_applied)
        changes = await self._journal.seen_from(session_id)
        applied_changes = [change for change in changes if change.state in ("applied", "unsure")]
        own = [change for change in applied_changes if change.kind != "undo"]
        if change_ids is not None:
            target = [change for change in applied_changes if change.id in change_ids]
        elif message_id is not None:
            target = [change for change in own if change.place_in(session_id).message_id == message_id]
        elif turn_id is not None:
            target = [change for change in own if change.place_in(session_id).turn_id == turn_id]
        elif paths is not None:
            target = own
        else:
            turns = [change.place_in(session_id).turn_id for change in own]
            # The turn that began last: the user may have decided about changes of an earlier turn since.
            last = list(dict.fromkeys(turns))[-1:]
            target = [change for change, turn in zip(own, turns, strict=True) if turn in last]
        _refuse_unsure(target)
        shares = _shares(await self._journal.with_files(target), paths)
        if not shares and back is not None:
            await self._journal.settle(Settlement(back=back))
            return []
        if not shares:
            raise RequestError("There is no applied change to take back.")
        return await self._with_parties(session_id, shares, changes, party, others, back)

    async def undo_files(
        self, session_id: str, party: Party, others: Parties, files: Sequence[ChangedFile]
    ) -> list[UndoneFile]:
        """Undo the changes of each file, under all names that the file has had, as one change.

        Return the outcome of each file. Raises as `undo` does.
        """
        await self._unsure.look(await self._journal.seen_from(session_id), party.tell_applied)
        changes = await self._journal.seen_from(session_id)
        ids = {id for file in files for id in file.changes}
        target = [change for change in changes if change.id in ids and change.state in ("applied", "unsure")]
        _refuse_unsure(target)
        target = await self._journal.with_files(target)
        histories = await in_thread(lambda: [file_history(file, target) for file in files])
        shares = [
            _Share(change, own)
            for change in target
            if (own := _chosen(change, lambda key: any(key in history for history in histories)))
        ]
        if not shares:
            raise RequestError("There is no applied change to take back.")
        undone = {
            file.path: file for file in await self._with_parties(session_id, shares, changes, party, others, None)
        }
        return [
            _worst([undone[record.path] for change in target for record in _chosen(change, history.__contains__)], file)
            for file, history in zip(files, histories, strict=True)
        ]

    async def preview(self, session_id: str, change_ids: Collection[str]) -> list[UndoPreview]:
        """Return the effect that an undo of the changes would have now; nothing is changed. Raises RequestError."""
        target = [change for change in await self._journal.seen_from(session_id) if change.id in change_ids]
        _refuse_unsure(target)
        shares = _shares(await self._journal.with_files(target), None)
        plan = await self._plan([file for share in reversed(shares) for file in reversed(share.files)])
        return await in_thread(_previews, plan)

    async def redo(self, session_id: str, party: Party, others: Parties) -> list[UndoneFile]:
        """Restore the changes of the last undo, unless files were changed since. Raises RequestError, EditError."""
        changes = await self._journal.seen_from(session_id)
        own = {change.id for change in changes if change.kind != "undo"}
        undos = [change for change in changes if change.state == "applied" and own.intersection(change.undoes)]
        since = changes[changes.index(undos[-1]) :] if undos else []
        if not undos or any(change.kind != "undo" and change.state == "applied" for change in since):
            raise RequestError("There is no undo to take back: nothing was undone, or something was changed since.")
        (undo,) = await self._journal.with_files(undos[-1:])
        return await self._with_parties(session_id, [_Share(undo, undo.files)], changes, party, others, None)

    async def _with_parties(
        self,
        session_id: str,
        shares: Sequence[_Share],
        changes: Sequence[ChangeRecord],
        party: Party,
        others: Parties,
        back: BackStep | None,
    ) -> list[UndoneFile]:
        concerned = [*(share.change for share in shares), *_undone_by(shares, changes)]
        sessions = {place.session_id for change in concerned for place in _from_here_down(change, session_id)}
        async with others(sorted(sessions - {session_id})) as parties:
            return await self._take_back(shares, _Scene(session_id, changes, {**parties, session_id: party}, back))

    async def _take_back(self, shares: Sequence[_Share], scene: _Scene) -> list[UndoneFile]:
        files = [file for share in reversed(shares) for file in reversed(share.files)]
        async with locked([path for file in files for path in file.paths], self._journal.locks):
            for _ in range(MOST_TRIES):
                plan = await self._plan(files)
                try:
                    await to_the_end(self._apply(shares, plan, scene))
                except Overtaken:
                    continue
                return _undone_files(plan.verdicts)
        raise EditError(
            "The undo came to nothing, as the files kept changing. Try it again when they have come to rest."
        )

    async def _plan(self, files: Sequence[FileRecord]) -> Reversal:
        """Return the changes which can be undone now; an unreadable file is a conflict, and so is a file that an editor
        of another process holds with unsaved text.
        """
        held = await self._journal.unsaved_elsewhere(path for file in files for path in file.paths)
        left = {file: f"The file {held[path]}" for file in files for path in file.paths if path in held}
        rest = [file for file in files if file not in left]
        try:
            current = await read_current(self._documents, rest)
        except DocumentError:
            left |= {file: reason for file in rest if (reason := await self._unreadable(file))}
            rest = [file for file in rest if file not in left]
            current = await read_current(self._documents, rest)
        plan = await in_thread(revert_plan, rest, current)
        conflicts = tuple(Verdict(file, "conflict", reason) for file, reason in left.items())
        return replace(plan, verdicts=plan.verdicts + conflicts)

    async def _unreadable(self, file: FileRecord) -> str:
        try:
            await read_current(self._documents, [file])
        except DocumentError as error:
            return str(error)
        return ""

    async def _apply(self, shares: Sequence[_Share], plan: Reversal, scene: _Scene) -> None:
        """Apply the possible part, then settle which changes stand no longer and which stand again."""
        stuck = {verdict.file for verdict in plan.verdicts if verdict.status == "conflict"}
        settled = _settled(shares, stuck, await self._journal.with_files(_undone_by(shares, scene.changes)))
        settlement = replace(settled.settlement, back=scene.back)
        if any(verdict.status == "restored" for verdict in plan.verdicts):
            try:
                await self._carry_out(shares, plan, settlement, scene.session_id)
            except Unsettled as unsettled:
                self._unsure.watch(unsettled, lambda _: self._tell(settled, plan, scene))
                raise
        else:
            await self._journal.settle(settlement)
        self._tell(settled, plan, scene)

    def _tell(self, settled: "_Settled", plan: Reversal, scene: _Scene) -> None:
        """Show the changes no longer standing and the changes standing again, and make the models read the
        files again.
        """
        for path in {path for file in (*plan.edits, *plan.others) for path in (file.path, file.new_path) if path}:
            for party in scene.parties.values():
                party.ledger.forget(path)
        for change in settled.undone:
            if change.kind != "undo":
                scene.tell(change, ChangeReverted(message_id=change.message_id, change_id=change.id))
        for change in settled.again:
            if change.kind != "undo":
                scene.tell(change, reapplied_event(change))

    async def _carry_out(
        self, shares: Sequence[_Share], plan: Reversal, settlement: Settlement, session_id: str
    ) -> None:
        last = shares[-1].change
        place = last.place_in(session_id)
        change = ChangeRecord(
            id=(settlement.back.undo_id if settlement.back is not None else "") or new_id("chg"),
            session_id=session_id,
            turn_id=place.turn_id,
            message_id=place.message_id,
            on_behalf_of=last.places[: last.places.index(place)],
            kind="undo",
            undoes=tuple(share.change.id for share in shares),
            settles=settlement,
            files=(*await in_thread(_records, plan.edits), *await in_thread(_with_directories, plan.others)),
        )
        if not change.files:  # The changes had reverted their own effect; a redo must find the changes all the same.
            await self._journal.applied(change)
            return
        label = "Redo" if last.kind == "undo" else "Undo"
        modes = {path: mode for share in reversed(shares) for path, mode in share.change.directories}
        missing = await in_thread(make_directories, modes, _filled(change.files))
        try:
            await carry_out(self._documents, self._journal, change, plan.edits, label=label)
        finally:
            await in_thread(finish_directories, modes, missing)
        if plan.others:
            await self._documents.reload()


@dataclass(frozen=True, slots=True)
class _Settled:
    """New states of the changes, and of each of their files by position."""

    states: dict[str, RecordState]
    reverted: dict[tuple[str, int], bool]
    undone: list[ChangeRecord]
    """Changes of which nothing stands any more."""
    again: list[ChangeRecord]
    """Changes which an undo had taken back completely, and which stand again because the undo is undone."""

    @property
    def settlement(self) -> Settlement:
        reverted = tuple((id, position, is_so) for (id, position), is_so in self.reverted.items())
        return Settlement(tuple(self.states.items()), reverted)


def _settled(shares: Iterable[_Share], stuck: Set[FileRecord], underlying: Iterable[ChangeRecord]) -> _Settled:
    """Return the new states; `underlying` are the changes undone by the shares, where the shares are undos."""
    settled = _Settled({}, {}, [], [])
    for share in shares:
        back = {file for file in share.files if file not in stuck}
        for position, file in enumerate(share.change.files):
            if file in back:
                settled.reverted[share.change.id, position] = True
        if all(file.is_reverted or file in back for file in share.change.files):
            settled.undone.append(share.change)
            settled.states[share.change.id] = "reverted"
    for change in underlying:
        undos = [undo for undo in settled.undone if change.id in undo.undoes]
        paths = {path for undo in undos for file in undo.files for path in file.paths}
        is_whole = any(not undo.files for undo in undos)
        positions = [
            position
            for position, file in enumerate(change.files)
            if file.is_reverted and (is_whole or paths.intersection(file.paths))
        ]
        settled.reverted.update({(change.id, position): False for position in positions})
        if positions and change.state == "reverted":
            settled.states[change.id] = "applied"
            settled.again.append(change)
    return settled


def _is_named(file: FileRecord, places: set[Path], entries: set[Path]) -> bool:
    """Return whether the file is among the places; a symbolic link that is itself changed is not followed."""
    if file.form == "raw":
        return not entries.isdisjoint(map(real_entry, file.paths))
    return not places.isdisjoint(map(real, file.paths))


def _shares(changes: Sequence[ChangeRecord], paths: Sequence[Path] | None) -> list[_Share]:
    """Return the standing parts of the changes, for all or some files; a file is found by old and new path."""
    entries = set(map(real_entry, paths or ()))
    links = {
        real_entry(path)
        for change in changes
        for file in change.files
        if file.form == "raw"
        for path in file.paths
        if path.is_symlink()
    }
    named = None if paths is None else {real(path) for path in paths if real_entry(path) not in links}
    shares: list[_Share] = []
    for change in changes:
        applied_files = [file for file in change.files if not file.is_reverted]
        files = [file for file in applied_files if named is None or _is_named(file, named, entries)]
        if files or (named is None and not change.files):
            shares.append(_Share(change, tuple(files)))
    return shares


def _chosen(change: ChangeRecord, is_wanted: Callable[[RecordKey], bool]) -> tuple[FileRecord, ...]:
    return tuple(file for position, file in enumerate(change.files) if is_wanted((change.id, position)))


def _refuse_unsure(changes: Iterable[ChangeRecord]) -> None:
    if any(change.state == "unsure" for change in changes):
        raise RequestError(
            "It is not known yet whether the change was applied: the editor has not answered. "
            "Look at the editor, and try it again then."
        )


def _previews(plan: Reversal) -> list[UndoPreview]:
    """Return the effect on each file, with the counts of lines for texts."""
    counts = {
        edit.path: count_lines(make_hunks(to_lf("" if edit.base is None else edit.base.text), to_lf(edit.new_text)))
        for edit in plan.edits
    }
    return [
        UndoPreview(file.path, file.status, file.reason, *counts.get(file.path, (0, 0)))
        for file in _undone_files(plan.verdicts)
    ]


def _from_here_down(change: ChangeRecord, session_id: str) -> tuple[TurnRef, ...]:
    return change.places[change.places.index(change.place_in(session_id)) :]


def _without_call(update: ChangeApplied | ChangeReverted) -> ChangeApplied | ChangeReverted:
    """Return the update without the call, because the call that made the change belongs to another session."""
    return update.model_copy(update={"call_id": None}) if isinstance(update, ChangeApplied) else update


def _undone_by(shares: Iterable[_Share], changes: Iterable[ChangeRecord]) -> list[ChangeRecord]:
    ids = {id for share in shares for id in share.change.undoes}
    return [change for change in changes if change.id in ids]


def _filled(files: Iterable[FileRecord]) -> list[Path]:
    """Return the places at which the records put a file."""
    return [file.new_path or file.path for file in files if file.kind in ("create", "rename")]


def _records(edits: Iterable[FileEdit]) -> list[FileRecord]:
    return [file_record(edit) for edit in edits]


def _with_directories(others: Iterable[FileRecord]) -> list[FileRecord]:
    """Return the records with the directories to be made; the journal must know the directories beforehand."""
    return [
        replace(other, made_directory=missing_directory(other.path))
        if other.form == "raw" and other.kind == "create"
        else other
        for other in others
    ]


def _worst(outcomes: Iterable[UndoneFile], file: ChangedFile) -> UndoneFile:
    """Return the outcome of a file of these outcomes under its names."""
    worst = max(outcomes, key=lambda outcome: _RANK[outcome.status], default=None)
    return UndoneFile(file.path, "unchanged") if worst is None else replace(worst, path=file.path)


def _undone_files(verdicts: Iterable[Verdict]) -> list[UndoneFile]:
    """Return a single result per path: a conflict outranks a restored file, and a restored file outranks an unchanged
    file.
    """
    files: dict[Path, UndoneFile] = {}
    for verdict in verdicts:
        path = verdict.file.path
        previous = files.get(path)
        if previous is None or _RANK[verdict.status] > _RANK[previous.status]:
            files[path] = UndoneFile(path, verdict.status, verdict.reason)
    return list(files.values())
