"""Decisions of the user about a change set: parts are written by the pipeline of all changes, or taken out of the set.

A part that is written is journaled in the turns that made the part, so undo finds the part there. An unreviewed file
that was created, deleted or renamed is undone by the journal. The set is changed after the files: a crash in between
leaves a set whose written parts no longer differ from the files.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple, Protocol, get_args

from placet.changes.journal.current_files import read_or_none
from placet.changes.propose.proposal import propose
from placet.changes.propose.result import ChangeResult
from placet.changes.review.change_sets import ChangeSet, ChangeSets
from placet.changes.review.news import news_of
from placet.changes.review.parts import DecidedFile, DecidedPart, DecidedStatus, Decision, PartKey, decided_part
from placet.changes.review.staged_file import FileState, StagedFile, StagedStep, StagedView, view_of
from placet.changes.review.unreviewed_file import unreviewed_view
from placet.changes.review.unreviewed_parts import decided_unreviewed_part
from placet.changes.undo.revert import UndoneFile
from placet.core.errors import DocumentError, EditError, RequestError
from placet.core.executor import in_thread
from placet.core.ports import Document, Documents, ProposedFile
from placet.core.values import replace
from placet.project.paths import Workspace, real
from placet.storage.database import Statement
from placet.text.plan import EditPlan, PlannedFile


class Writer(Protocol):
    """Pipeline of changes for one turn."""

    async def write(self, plan: EditPlan, files: list[ProposedFile]) -> ChangeResult | None:
        """Apply a change that the user has accepted; None if the lines have changed since the user saw the change.

        Raises EditError, EditConflict or DocumentError where nothing was applied.
        """
        ...


Bind = Callable[[StagedStep], AbstractAsyncContextManager[Writer]]
"""Function that returns the pipeline for the session and the turn of a step, while the context lasts."""


Revert = Callable[[Sequence[str], Sequence[Path]], Awaitable[Sequence[UndoneFile]]]
"""Function that undoes the shares of files in changes of the journal. Raises RequestError or EditError."""


class Reviews:
    """Review of the change sets of a front end; the services own the object."""

    def __init__(self, documents: Documents, sets: ChangeSets) -> None:
        self._documents = documents
        self._sets = sets

    async def views(self, session_id: str, workspace: Workspace) -> list[StagedView]:
        """Return the change set of the session and its subagents. Raises StoreError or DocumentError.

        A file in which nothing is left to decide, as the user typed the same, leaves the set.
        """
        staged = await self._sets.of(session_id)
        views = await self._views(staged.files, workspace)
        done = [view.file for view in views if view.is_done]
        if done and not staged.deciding.locked():
            await self._sets.store([statement for file in done for statement in staged.put(file, None)])
        return [view for view in views if not view.is_done]

    async def decide(
        self, session_id: str, decisions: Sequence[Decision], workspace: Workspace, bind: Bind, revert: Revert
    ) -> list[DecidedFile]:
        """Carry out the decisions, and return the outcome of each file, in the order of the decisions.

        The session's model is told with its next step. Raises StoreError.
        """
        staged = await self._sets.of(session_id)
        by_place: dict[Path, list[Decision]] = {}
        for decision in decisions:
            by_place.setdefault(real(decision.place), []).append(decision)
        async with staged.deciding:
            parts, outcomes = await self._parts(staged, by_place, workspace)
            failures = await _revert(parts, revert)
            failures |= await self._write(parts, workspace, bind)
            statements: list[Statement] = []
            for part in parts:
                failure = failures.get(part.key)
                statements += staged.put(part.view.file, part.rest_unwritten if failure else part.rest)
                outcome = failure or DecidedFile(part.view.file.place, part.status)
                outcomes.setdefault(real(part.view.file.place), outcome)
            await self._sets.store(statements)
            if news := news_of(parts, failures):
                await self._sets.tell_model(session_id, news)
        return [outcomes[place] for place in by_place]

    async def _views(self, files: Iterable[StagedFile], workspace: Workspace) -> list[StagedView]:
        pairs = [(file, await self._present(file)) for file in files]
        return await in_thread(lambda: [_view(file, present, workspace) for file, present in pairs])

    async def _present(self, file: StagedFile) -> tuple[Document | None, Document | None]:
        """Return the present documents at the path before the change, and at the file's place."""
        document = await read_or_none(self._documents, file.path)
        return document, document if file.new_path is None else await read_or_none(self._documents, file.new_path)

    async def _parts(
        self, staged: ChangeSet, by_place: Mapping[Path, Sequence[Decision]], workspace: Workspace
    ) -> tuple[list[DecidedPart], dict[Path, DecidedFile]]:
        """Return the decided parts of the files, and the outcome of each file that cannot be decided so."""
        states: tuple[FileState, ...] = get_args(FileState)
        files = [file for place in by_place for state in states if (file := staged.find(place, state)) is not None]
        views: dict[tuple[Path, str], StagedView] = {
            (real(view.file.place), view.version): view for view in await self._views(files, workspace)
        }
        return await in_thread(_decided, by_place, views)

    async def _write(
        self, parts: Sequence[DecidedPart], workspace: Workspace, bind: Bind
    ) -> dict[PartKey, DecidedFile]:
        """Write the plans turn by turn: undone hunks newest first, then accepted hunks oldest first. Return the files
        that could not be written.
        """
        failures: dict[PartKey, DecidedFile] = {}
        turns: dict[tuple[FileState, tuple[str, str]], list[_Write]] = {}
        for part in parts:
            for step, planned in part.plans:
                turns.setdefault((part.view.file.state, step.turn), []).append(_Write(part, step, planned))
        undone = sorted((key for key in turns if key[0] == "unreviewed"), key=_turn_id, reverse=True)
        for key in (*undone, *sorted(turns.keys() - set(undone), key=_turn_id)):
            if writes := [write for write in turns[key] if write.part.key not in failures]:
                failures |= await self._write_turn(writes, workspace, bind)
        return failures

    async def _write_turn(
        self, writes: Sequence["_Write"], workspace: Workspace, bind: Bind
    ) -> dict[PartKey, DecidedFile]:
        """Write the plans of a turn as a single change; where that is not possible, file by file."""
        is_undo = writes[0].part.view.file.state == "unreviewed"
        title = "Undo unreviewed changes" if is_undo else "Write accepted changes"
        plan = EditPlan(title, tuple(write.planned for write in writes))
        failure: tuple[DecidedStatus, str] = "moved", "The user typed in the same lines while the change was written."
        try:
            files = [await self._proposed(write, workspace) for write in writes]
            async with bind(writes[-1].step) as changes:
                if await changes.write(plan, files) is not None:
                    return {}
        except (EditError, DocumentError) as error:
            failure = "failed", str(error)
        if len(writes) == 1:
            return {writes[0].part.key: DecidedFile(writes[0].part.view.file.place, *failure)}
        failures: dict[PartKey, DecidedFile] = {}
        for write in writes:
            failures |= await self._write_turn((write,), workspace, bind)
        return failures

    async def _proposed(self, write: "_Write", workspace: Workspace) -> ProposedFile:
        part, planned = write.part, write.planned
        document = await read_or_none(self._documents, planned.path)
        file, name = part.view.file, workspace.name(planned.path)
        new_name = "" if planned.new_path is None else workspace.name(planned.new_path)
        proposed = await in_thread(propose, planned, document, name, new_name)
        if document is None:
            proposed = replace(proposed, line_ending=file.line_ending, bom=file.bom)
        return replace(proposed, edited_diff=part.edited_diff, rejected_hunks=part.rejected_hunks)


class _Write(NamedTuple):
    """Share of a turn in the writing of a decided part."""

    part: DecidedPart
    step: StagedStep
    planned: PlannedFile


def _turn_id(key: tuple[FileState, tuple[str, str]]) -> str:
    return key[1][1]


def _view(file: StagedFile, present: tuple[Document | None, Document | None], workspace: Workspace) -> StagedView:
    name = workspace.name(file.path)
    new_name = "" if file.new_path is None else workspace.name(file.new_path)
    document, at_place = present
    if file.state == "unreviewed":
        return unreviewed_view(file, at_place, name, new_name)
    return view_of(file, document, at_place, name, new_name)


def _decided(
    by_place: Mapping[Path, Sequence[Decision]], views: Mapping[tuple[Path, str], StagedView]
) -> tuple[list[DecidedPart], dict[Path, DecidedFile]]:
    """Return the decided parts of the viewed files, and the outcome of each file that cannot be decided so."""
    parts: list[DecidedPart] = []
    outcomes: dict[Path, DecidedFile] = {}
    for place, decisions in by_place.items():
        by_version: dict[str, list[Decision]] = {}
        for decision in decisions:
            by_version.setdefault(decision.version, []).append(decision)
        decided = [
            (view, by_version[version]) for version in by_version if (view := views.get((place, version))) is not None
        ]
        gone = [view for view, _ in decided if view.is_done and view.file.state == "unreviewed"]
        if gone or len(decided) < len(by_version):
            outcomes[place] = DecidedFile(decisions[0].place, "moved", "The file has changed since you looked.")
            continue
        for view, own in decided:
            part = decided_unreviewed_part(view, own) if view.file.state == "unreviewed" else decided_part(view, own)
            if part is None:
                outcomes[place] = DecidedFile(decisions[0].place, "conflict", view.conflict)
            else:
                parts.append(part)
    return parts, outcomes


async def _revert(parts: Iterable[DecidedPart], revert: Revert) -> dict[PartKey, DecidedFile]:
    """Undo the changes that only the journal can undo; return the files that stay as the files are."""
    failures: dict[PartKey, DecidedFile] = {}
    for part in parts:
        if not part.reverts:
            continue
        file = part.view.file
        try:
            undone = await revert(file.changes, list(dict.fromkeys((file.path, file.place))))
        except (RequestError, EditError, DocumentError) as error:
            failures[part.key] = DecidedFile(file.place, "failed", str(error))
            continue
        if reason := next((undone_file.reason for undone_file in undone if undone_file.status == "conflict"), ""):
            failures[part.key] = DecidedFile(file.place, "conflict", reason)
    return failures
