"""Decisions of the user about a change set: parts are written by the pipeline of all changes, or taken out of the set.

A part that is written is journaled in the turns that staged the part, so undo finds the part there. The set is changed
after the files: a crash in between leaves a set whose written parts no longer differ from the files.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from placet.changes.journal.current_files import read_or_none
from placet.changes.propose.proposal import propose
from placet.changes.propose.result import ChangeResult
from placet.changes.review.change_sets import ChangeSet, ChangeSets
from placet.changes.review.news import news_of
from placet.changes.review.parts import DecidedFile, DecidedPart, Decision, decided_part
from placet.changes.review.staged_file import StagedFile, StagedStep, StagedView, view_of
from placet.core.errors import DocumentError, EditError
from placet.core.executor import in_thread
from placet.core.ports import Documents, ProposedFile
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


class Reviews:
    """Review of the change sets of a front end; the services own the object."""

    def __init__(self, documents: Documents, sets: ChangeSets) -> None:
        self._documents = documents
        self._sets = sets

    async def views(self, session_id: str, workspace: Workspace) -> list[StagedView]:
        """Return the staged files of the session and its subagents. Raises StoreError or DocumentError.

        A file in which nothing is left to write, as the user typed the same, leaves the set.
        """
        staged = await self._sets.of(session_id)
        views = [await self._view(file, workspace) for file in staged.files]
        done = [view.file for view in views if view.is_done]
        if done and not staged.deciding.locked():
            await self._sets.store([statement for file in done for statement in staged.put(file, None)])
        return [view for view in views if view.file not in done]

    async def decide(
        self, session_id: str, decisions: Sequence[Decision], workspace: Workspace, bind: Bind
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
            failures = await self._write(parts, workspace, bind)
            statements: list[Statement] = []
            for part in parts:
                failure = failures.get(part.view.file.place)
                statements += staged.put(part.view.file, part.rest_unwritten if failure else part.rest)
                outcomes[real(part.view.file.place)] = failure or DecidedFile(part.view.file.place, part.status)
            await self._sets.store(statements)
            if news := news_of(parts, failures):
                await self._sets.tell_model(session_id, news)
        return [outcomes[place] for place in by_place]

    async def _view(self, file: StagedFile, workspace: Workspace) -> StagedView:
        document = await read_or_none(self._documents, file.path)
        at_place = document if file.new_path is None else await read_or_none(self._documents, file.new_path)
        name = workspace.name(file.path)
        new_name = "" if file.new_path is None else workspace.name(file.new_path)
        return await in_thread(view_of, file, document, at_place, name, new_name)

    async def _parts(
        self, staged: ChangeSet, by_place: Mapping[Path, Sequence[Decision]], workspace: Workspace
    ) -> tuple[list[DecidedPart], dict[Path, DecidedFile]]:
        """Return the decided parts of the files, and the outcome of each file that cannot be decided so."""
        parts: list[DecidedPart] = []
        outcomes: dict[Path, DecidedFile] = {}
        for place, decisions in by_place.items():
            file = staged.find(place)
            view = None if file is None else await self._view(file, workspace)
            if view is None or any(decision.version != view.version for decision in decisions):
                outcomes[place] = DecidedFile(decisions[0].place, "moved", "The file has changed since you looked.")
            elif (part := decided_part(view, decisions)) is None:
                outcomes[place] = DecidedFile(decisions[0].place, "conflict", view.conflict)
            else:
                parts.append(part)
        return parts, outcomes

    async def _write(self, parts: Sequence[DecidedPart], workspace: Workspace, bind: Bind) -> dict[Path, DecidedFile]:
        """Write the accepted texts, turn by turn, oldest first; return the files that could not be written."""
        failures: dict[Path, DecidedFile] = {}
        turns: dict[tuple[str, str], list[tuple[DecidedPart, StagedStep, PlannedFile]]] = {}
        for part in parts:
            for step, planned in part.plans:
                turns.setdefault(step.turn, []).append((part, step, planned))
        for turn in sorted(turns, key=lambda turn: turn[1]):
            writing = [item for item in turns[turn] if item[0].view.file.place not in failures]
            if writing:
                failures |= await self._write_turn(writing, workspace, bind)
        return failures

    async def _write_turn(
        self, writing: Sequence[tuple[DecidedPart, StagedStep, PlannedFile]], workspace: Workspace, bind: Bind
    ) -> dict[Path, DecidedFile]:
        plan = EditPlan("Write accepted changes", tuple(planned for _, _, planned in writing))
        places = [part.view.file.place for part, _, _ in writing]
        try:
            files = [await self._proposed(part, planned, workspace) for part, _, planned in writing]
            async with bind(writing[-1][1]) as changes:
                result = await changes.write(plan, files)
        except (EditError, DocumentError) as error:
            return {place: DecidedFile(place, "failed", str(error)) for place in places}
        if result is None:
            reason = "The user typed in the same lines while the change was written."
            return {place: DecidedFile(place, "moved", reason) for place in places}
        return {}

    async def _proposed(self, part: DecidedPart, planned: PlannedFile, workspace: Workspace) -> ProposedFile:
        document = await read_or_none(self._documents, planned.path)
        file, name = part.view.file, workspace.name(planned.path)
        new_name = "" if planned.new_path is None else workspace.name(planned.new_path)
        proposed = await in_thread(propose, planned, document, name, new_name)
        if document is None:
            proposed = replace(proposed, line_ending=file.line_ending, bom=file.bom)
        return replace(proposed, edited_diff=part.edited_diff, rejected_hunks=part.rejected_hunks)
