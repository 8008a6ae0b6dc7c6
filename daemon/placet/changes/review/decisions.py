"""Decisions of the user about a change set: parts are written by the pipeline of all changes, or taken out of the set.

A written part is journaled in the turns of the part's steps, so undo finds the part in these turns. The journal undoes
the creation, deletion or renaming of an unreviewed file. The set is changed after the files: a crash in between
leaves a set whose written parts no longer differ from the files.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from placet.changes.journal.current_files import read_or_none
from placet.changes.journal.file_history import ChangedFile
from placet.changes.journal.raw_file import permissions
from placet.changes.propose.raw_proposal import CommandPlan, raw_proposals
from placet.changes.review.change_sets import ChangeSet, ChangeSets, news_statement
from placet.changes.review.news import news_of
from placet.changes.review.parts import DecidedPart, DecidedStatus, DecisionOutcome, PartKey, decided_part
from placet.changes.review.staged_content import content_records
from placet.changes.review.staged_file import FileState, StagedStep, StagedView, UndecidedFile
from placet.changes.review.unreviewed_parts import decided_unreviewed_part
from placet.changes.review.views import Views
from placet.changes.review.written_parts import PlannedWrite, proposed_part
from placet.core.errors import DocumentError, EditConflict, EditError, RequestError
from placet.core.executor import in_thread
from placet.core.hunks import Decision
from placet.core.ports import Document, Documents, ProposedFile
from placet.project.paths import Workspace
from placet.storage.database import Statement
from placet.text.plan import EditPlan

if TYPE_CHECKING:
    from placet.changes.propose.result import ChangeResult
    from placet.changes.review.waiting_call import WaitingCall
    from placet.changes.undo.revert import UndoneFile


class Writer(Protocol):
    """Pipeline of changes for one turn."""

    async def write(
        self, plan: EditPlan, files: list[ProposedFile], targets: Mapping[Path, Path]
    ) -> "ChangeResult | None":
        """Apply a change that the user has accepted; None if the lines have changed since the user saw the change.

        `targets`: places where paths of the change led at the time of the proposal, symlinks resolved. Raises
        EditError, EditConflict or DocumentError where nothing was applied, also for a path that leads elsewhere by now.
        """
        ...


Bind = Callable[[StagedStep], AbstractAsyncContextManager[Writer]]
"""Function that returns the pipeline for the session and the turn of a step, while the context lasts."""


Revert = Callable[[Sequence[ChangedFile]], Awaitable[Sequence["UndoneFile"]]]
"""Function that undoes the changes of unreviewed files as one change, and returns the outcome of each file. Raises
RequestError or EditError.
"""


def _not_here(*_: object) -> NoReturn:
    """Stand for a function that decisions about waiting files never call."""
    raise AssertionError("The decision is about a file for which no call waits.")


class Reviews:
    """Review of the change sets of a front end; the services own the object."""

    def __init__(self, documents: Documents, sets: ChangeSets) -> None:
        self._documents = documents
        self.sets = sets
        self._views = Views(documents)

    async def views(self, session_id: str, workspace: Workspace, *, with_waiting: bool = False) -> list[StagedView]:
        """Return the change set of the session and its subagents. Raises StoreError.

        A file in which nothing is left to decide leaves the set; a redo of the change brings an unreviewed file back.
        """
        staged = await self.sets.of(session_id)
        waiting = staged.waiting if with_waiting else ()
        views = await self._views.of((*staged.files, *waiting), workspace)
        done = [view.file for view in views if view.is_done]
        if done and not staged.deciding.locked():
            leaving = (
                staged.set_aside(file) if file.state == "unreviewed" else staged.put(file, None) for file in done
            )
            await self.sets.store([statement for statements in leaving for statement in statements])
        return [view for view in views if not view.is_done]

    async def views_of_call(self, session_id: str, call: "WaitingCall", workspace: Workspace) -> list[StagedView]:
        """Return the files for whose decision the call waits; a file in which nothing is left to decide leaves the set.

        Raises StoreError.
        """
        staged = self.sets.known(session_id)
        views = await self._views.of(staged.waiting_for(call), workspace)
        for view in views:
            if view.is_done:
                staged.put(view.file, None)
        return [view for view in views if not view.is_done]

    async def decide(
        self,
        session_id: str,
        decisions: Sequence[Decision],
        workspace: Workspace,
        bind: Bind = _not_here,
        revert: Revert = _not_here,
        *,
        is_one_answer: bool = False,
    ) -> list[DecisionOutcome]:
        """Carry out the decisions, and return the outcome of each file, in the order of the decisions.

        Without `bind` and `revert` all decisions are about files of waiting calls. Decisions of one answer are carried
        out together: where a file has changed since the user looked, none is. The session's model is told with its next
        step, and a waiting call with its result. Raises StoreError.
        """
        staged = await self.sets.of(session_id)
        places = staged.targets(decision.place for decision in decisions)
        by_place: dict[Path, list[Decision]] = {}
        for decision in decisions:
            by_place.setdefault(places[decision.place], []).append(decision)
        async with staged.deciding:
            decided, outcomes = await self._decided(staged, by_place, workspace, is_one_answer=is_one_answer)
            if is_one_answer and any(outcome.status == "moved" for outcome in outcomes.values()):
                return [DecisionOutcome(own[0].place, "moved", _CHANGED) for own in by_place.values()]
            parts = [part for _, part in decided]
            failures = await _revert([part for part in parts if part.reverts], revert)
            calls = _parts_by_call(staged, parts)
            for call, own in calls.items():
                failures |= await call.write(own)
            others = [part for part in parts if part.view.file.state != "waiting"]
            unwritten, in_part = await self._write(others, workspace, bind)
            failures |= unwritten
            statements: list[Statement] = []
            for place, part in decided:
                failure = failures.get(part.key)
                statements += staged.put(part.view.file, part.rest_unwritten if failure else part.rest)
                outcomes.setdefault(place, failure or DecisionOutcome(part.view.file.place, part.status, part.left))
            if news := news_of(others, failures, in_part):
                statements.append(news_statement(session_id, news))
            own_calls = {} if is_one_answer else calls
            for call, own in own_calls.items():
                if text := news_of(own, failures):
                    call.news.append(text)
                    statements.append(news_statement(session_id, text))
            await self.sets.store(statements)
            for call in own_calls:
                views = await self._views.of(staged.waiting_for(call), workspace)
                call.seen = {view.file.place: view.version for view in views if not view.is_done}
        return [outcomes[place] for place in by_place]

    async def _decided(
        self,
        staged: ChangeSet,
        by_place: Mapping[Path, Sequence[Decision]],
        workspace: Workspace,
        *,
        is_one_answer: bool,
    ) -> tuple[list[tuple[Path, DecidedPart]], dict[Path, DecisionOutcome]]:
        """Return the decided parts of the files, and the outcome of each file that cannot be decided so. An answer is
        about waiting files alone.
        """
        files = [(place, file) for place in by_place for file in staged.at(place)]
        files = [(place, file) for place, file in files if file.state == "waiting" or not is_one_answer]
        views = await self._views.of([file for _, file in files], workspace)
        by_version = {(place, view.version): view for (place, _), view in zip(files, views, strict=True)}
        return await in_thread(_decided, by_place, by_version)

    async def _write(
        self, parts: Sequence[DecidedPart], workspace: Workspace, bind: Bind
    ) -> tuple[dict[PartKey, DecisionOutcome], set[PartKey]]:
        """Write the plans turn by turn: undone hunks newest first, then accepted hunks oldest first. Return the files
        that could not be written, and which of these were written in part, by an earlier turn.
        """
        failures: dict[PartKey, DecisionOutcome] = {}
        written: set[PartKey] = set()
        documents = {part.key: part.view.document for part in parts}
        turns: dict[tuple[FileState, tuple[str, str]], list[PlannedWrite]] = {}
        for part in parts:
            for step, planned in part.plans:
                turns.setdefault((part.view.file.state, step.turn), []).append(PlannedWrite(part, step, planned))
        undone = sorted((key for key in turns if key[0] == "unreviewed"), key=_turn_id, reverse=True)
        for key in (*undone, *sorted(turns.keys() - set(undone), key=_turn_id)):
            if writes := [write for write in turns[key] if write.part.key not in failures]:
                failed = await self._write_turn(writes, workspace, bind, documents)
                written |= {write.part.key for write in writes} - failed.keys()
                failures |= failed
                documents.clear()
        in_part = written & failures.keys()
        for part in parts:
            if part.key in in_part:
                failures[part.key] = _failed_in_part(part, failures[part.key])
        return failures, in_part

    async def _write_turn(
        self,
        writes: Sequence["PlannedWrite"],
        workspace: Workspace,
        bind: Bind,
        documents: Mapping[PartKey, Document | None],
    ) -> dict[PartKey, DecisionOutcome]:
        """Write the plans of a turn as a single change; where that is not possible, file by file.

        `documents` were read just now; other documents are read by this method.
        """
        contents = [write for write in writes if write.part.view.file.is_raw]
        if contents and len(contents) < len(writes):  # A text can lie where a link or another file goes.
            failures = await self._write_turn(contents, workspace, bind, documents)
            texts = [write for write in writes if not write.part.view.file.is_raw]
            return failures | await self._write_turn(texts, workspace, bind, documents)
        is_undo = writes[0].part.view.file.state == "unreviewed"
        title = "Undo unreviewed changes" if is_undo else "Write accepted changes"
        failure: tuple[DecidedStatus, str] = "moved", _CHANGED
        try:
            if contents:
                plan, files = await in_thread(_content_plan, title, contents, workspace)
            else:
                plan = EditPlan(title, tuple(write.planned for write in writes))
                present = await asyncio.gather(*(self._read(write, documents) for write in writes))
                pairs = list(zip(writes, present, strict=True))
                files = await in_thread(lambda: [proposed_part(*pair, workspace) for pair in pairs])
            async with bind(writes[-1].step) as changes:
                targets = dict(pair for write in writes for pair in write.part.view.file.targets)
                if await changes.write(plan, files, targets) is not None:
                    return {}
        except EditConflict:
            pass  # The words of the error are for the model, which would read the file again.
        except (EditError, DocumentError) as error:
            failure = "failed", str(error)
        if len(writes) == 1:
            return {writes[0].part.key: DecisionOutcome(writes[0].part.view.file.place, *failure)}
        failures: dict[PartKey, DecisionOutcome] = {}
        for write in writes:
            failures |= await self._write_turn((write,), workspace, bind, {})
        return failures

    async def _read(self, write: "PlannedWrite", documents: Mapping[PartKey, Document | None]) -> Document | None:
        if write.part.key in documents:
            return documents[write.part.key]
        return await read_or_none(self._documents, write.planned.path)


def _content_plan(
    title: str, writes: Sequence[PlannedWrite], workspace: Workspace
) -> tuple[CommandPlan, list[ProposedFile]]:
    """Return the plan that writes files which are no text. Blocks."""
    records = {
        write.planned.path: content_records(write.part.view.file, permissions(write.planned.path)) for write in writes
    }
    plan = CommandPlan(title, (), records)
    return plan, raw_proposals(plan, workspace.name)


def _failed_in_part(part: DecidedPart, failure: DecisionOutcome) -> DecisionOutcome:
    """Return the outcome of a file of which only the shares of the first turns could be written."""
    done = f"A part of the change is {part.status}; the rest is not, and still waits for your decision."
    return DecisionOutcome(failure.place, "failed", f"{done} {failure.reason}")


def _turn_id(key: tuple[FileState, tuple[str, str]]) -> str:
    return key[1][1]


_CHANGED = "The file has changed meanwhile."
_NO_TEXT = "The file is no text, and the decision is about the whole file."


def _decided(
    by_place: Mapping[Path, Sequence[Decision]], views: Mapping[tuple[Path, str], StagedView]
) -> tuple[list[tuple[Path, DecidedPart]], dict[Path, DecisionOutcome]]:
    """Return the decided parts of the viewed files, each with the file's place, and the outcome of each file that
    cannot be decided so.
    """
    parts: list[tuple[Path, DecidedPart]] = []
    outcomes: dict[Path, DecisionOutcome] = {}
    for place, decisions in by_place.items():
        by_version: dict[str, list[Decision]] = {}
        for decision in decisions:
            by_version.setdefault(decision.version, []).append(decision)
        decided = [
            (view, by_version[version]) for version in by_version if (view := views.get((place, version))) is not None
        ]
        gone = [view for view, _ in decided if view.is_done and view.file.state == "unreviewed"]
        if gone or len(decided) < len(by_version):
            outcomes[place] = DecisionOutcome(decisions[0].place, "moved", "The file has changed since you looked.")
            continue
        for view, own in decided:
            decide = decided_unreviewed_part if view.file.state == "unreviewed" else decided_part
            try:
                part = decide(view, own)
            except EditConflict:
                part = None
            if part is None:
                outcomes[place] = DecisionOutcome(decisions[0].place, "conflict", view.reason_against or _NO_TEXT)
            else:
                parts.append((place, part))
    return parts, outcomes


def _parts_by_call(staged: ChangeSet, parts: Sequence[DecidedPart]) -> "dict[WaitingCall, list[DecidedPart]]":
    """Return the parts of the files that calls wait for, by call."""
    calls: dict[WaitingCall, list[DecidedPart]] = {}
    for part in parts:
        if (call := staged.waiting_call(part.view.file)) is not None:
            calls.setdefault(call, []).append(part)
    return calls


async def _revert(parts: Sequence[DecidedPart], revert: Revert) -> dict[PartKey, DecisionOutcome]:
    """Undo creations, deletions and renamings by the journal; return the files without success.

    The files are undone together, as one file can stand at a place that another file is to have again; where that is
    not possible, file by file.
    """
    if not parts:
        return {}
    try:
        undone = await revert([_changed(part.view.file) for part in parts])
    except (RequestError, EditError, DocumentError) as error:
        if len(parts) == 1:
            return {parts[0].key: DecisionOutcome(parts[0].view.file.place, "failed", str(error))}
        failures: dict[PartKey, DecisionOutcome] = {}
        for part in reversed(parts):
            failures |= await _revert([part], revert)
        return failures
    return {
        part.key: DecisionOutcome(part.view.file.place, "conflict", file.reason)
        for part, file in zip(parts, undone, strict=True)
        if file.status == "conflict"
    }


def _changed(file: UndecidedFile) -> ChangedFile:
    return ChangedFile(file.changes, file.target(file.path), file.target(file.place))
