"""Changes of one tool call: compare with the current text, ask, look again, apply, verify, journal, report."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence, Set
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from placet.changes.commands.command_report import CommandChange
from placet.changes.commands.command_sync import moved_on, save_own
from placet.changes.journal.current_files import read_or_none, refuse_moved
from placet.changes.journal.journal import Journal
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.records import ChangeRecord, file_record
from placet.changes.journal.rejections import RejectedPart, Rejection
from placet.changes.ledger import Ledger
from placet.changes.locks import locked
from placet.changes.propose.apply import NotPutBack, Overtaken, Unsettled, aimed_edits, carry_out
from placet.changes.propose.diagnostics_delta import Baseline, DiagnosticsTracker, no_baseline
from placet.changes.propose.diagnostics_report import delta_event
from placet.changes.propose.edit_question import edit_question, literal
from placet.changes.propose.late_diagnoses import LateDiagnoses, LateDiagnosis
from placet.changes.propose.preflight import refuse_impossible, refuse_unwritable, touched
from placet.changes.propose.proposal import all_moved_to, allowed, has_same_hunks, propose, rejected
from placet.changes.propose.raw_proposal import (
    CommandPlan,
    accepted_records,
    raw_outcomes,
    raw_proposals,
    raw_records,
    raw_targets,
    refuse_changed,
)
from placet.changes.propose.report import applied_event, metadata, proposed_event, reapplied_event
from placet.changes.propose.result import ChangeResult, Diagnosis, FileResult, changed_documents, file_result
from placet.changes.propose.unsure import UnsureChanges
from placet.changes.review.marks import UnreviewedMarks, has_texts_only
from placet.changes.review.staging import Staging
from placet.changes.undo.revert import Party
from placet.core.errors import DocumentMissing, EditConflict, EditError, Rejected
from placet.core.events import ChangeProposed, Update
from placet.core.executor import in_thread
from placet.core.messages import JsonObject, new_id
from placet.core.ports import Document, Documents, FileOutcome, ProposedChange, ProposedFile
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.permissions.feedback import Feedback
from placet.permissions.gate import Ask, Caller, Gate
from placet.project.files.line_endings import project_line_ending
from placet.project.paths import Workspace, real, real_paths
from placet.settings.models import ReviewMode
from placet.text.lines import to_lf
from placet.text.plan import EditPlan

if TYPE_CHECKING:
    from placet.changes.commands.command_changes import CommandCall, Commands
    from placet.changes.commands.command_proposer import CommandProposer
    from placet.changes.commands.contained_changes import ContainedChange, ContainedCommands
    from placet.permissions.shell import Findings

MOST_ASKS = 5
"""Highest number of times a change is put to a user who keeps editing the same lines."""
MOST_CLOSED_JUDGED = 20
"""Highest number of closed files whose diagnostics are compared when the user accepts a change."""
MOST_TRIES = 5
"""Highest number of tries of an allowed change while the user types elsewhere in the files of the change."""


@dataclass(frozen=True, slots=True)
class CallChanges:
    """Changes of one tool call, or of one decision of the user; lives as long."""

    documents: Documents
    seen: Documents
    """Documents as the session sees the documents: with its staged changes."""
    staging: Staging | None
    """Staging of proposals; None where every proposal is a question."""
    gate: Gate
    journal: Journal
    diagnostician: DiagnosticsTracker
    commands: Callable[[], "Commands"]
    contained: Callable[[], "ContainedCommands"]
    unsure: UnsureChanges
    late: LateDiagnoses
    caller: Caller
    ledger: Ledger
    turn_id: str
    emit: Callable[[Update], None]
    workspace: Workspace
    on_behalf_of: tuple[TurnRef, ...]
    entered: set[str] = field(default_factory=set[str])
    """Patterns of places outside the project for which the call has permission."""

    async def read(self, path: Path) -> Document:
        document = await read_or_none(self.seen, path)
        if document is None:
            raise DocumentMissing(f"There is no file {path}.")
        self.ledger.note(document)
        return document

    def shown(self, document: Document) -> bool:
        # No await between look and note: calls side by side show the document once.
        return self.ledger.note_if_new(document)

    async def base(self, path: Path) -> str:
        await self._ask_for_outside({path: real(path)})  # Before the answer, nobody learns whether such a file exists.
        if await read_or_none(self.seen, path) is None:
            raise DocumentMissing(f"There is no file {path}.")
        if (last_read := self.ledger.find(path)) is None:
            name = self.workspace.name(path)
            raise EditError(f"{name} has not been read in this session. Read it first, then edit it.")
        return to_lf(last_read.text)

    async def save_own(self) -> list[Path]:
        return await save_own(self.documents, self.ledger)

    async def staged(self) -> list[Path]:
        return [] if self.staging is None else await self.staging.places()

    async def staged_decided(self, places: Sequence[Path]) -> None:
        if self.staging is not None:
            await self.staging.sets.decided(self.staging.session_id, places)

    @asynccontextmanager
    async def around_command(self, findings: "Findings") -> AsyncGenerator[CommandChange]:
        command_change = CommandChange()
        try:
            async with self.commands().around(findings, self._command_call()) as command_change:
                yield command_change
        finally:
            if command_change.change is not None and self.staging is not None:
                await to_the_end(self.staging.mark_command(command_change.change, self._places))

    @asynccontextmanager
    async def around_contained(
        self, findings: "Findings", title: str, unreadable: Sequence[Path] = ()
    ) -> AsyncGenerator["ContainedChange"]:
        async with self.contained().around(
            findings, title, self._command_call(), self._command_proposer(), unreadable
        ) as change:
            yield change

    async def moved_on(self) -> list[Path]:
        return await moved_on(self.seen, self.ledger)

    async def propose(self, plan: EditPlan) -> ChangeResult:
        targets = real_paths(touched(plan)) | await in_thread(raw_targets, plan)
        await self._ask_for_outside(targets)
        vacated = [] if self.staging is None else await self.staging.vacated(touched(plan))
        await in_thread(refuse_impossible, plan, vacated)
        await self.unsure.rest(touched(plan))
        change_id = new_id("chg")
        files = await self._compare(plan)
        way, staging = await self._way(change_id, plan, files, targets), self.staging
        if way == "stage" and staging is not None:
            tracker = DiagnosticsTracker(staging.languages_with(files), self.diagnostician.settings)
            async with tracker.looking(_documents(files)) as baseline:
                await baseline
                result, changed = await self._stage(staging, change_id, plan)
            return replace(result, diagnosis=self._emitted(result, await tracker.after(baseline.result(), changed)))
        feedback_text, feedback_data = "", list[JsonObject]()
        for _ in range(MOST_ASKS):
            if not any(file.changes_anything for file in files):
                return await in_thread(_result, change_id, plan, files)
            async with self._baseline(plan, files) as baseline:
                files, feedback, is_answered = await self._ask(change_id, plan, files, way)
                leaves_out = is_answered and not isinstance(plan, CommandPlan)
                feedback_data += feedback.data
                feedback_text = "\n\n".join(dict.fromkeys(filter(None, (feedback_text, feedback.text))))
                await baseline
                paths = (*targets.values(), *raw_records(plan))
                async with self._marking(way, change_id) as marks, locked(paths, self.journal.locks):
                    refuse_moved(targets)
                    if marks is not None:
                        await marks.put(files)
                    files, result = await self._apply_as_allowed(
                        change_id, plan, files, targets, feedback_text, leaves_out=leaves_out
                    )
                    if marks is not None:
                        await (marks.put([file.file for file in result.applied]) if result else marks.withdraw())
            if result is not None:
                result = replace(result, feedback_data=tuple(feedback_data), is_unreviewed=way == "apply")
                changed = changed_documents(result.applied)
                diagnosis = await self.diagnostician.after(baseline.result(), changed)
                return replace(result, diagnosis=self._emitted(result, diagnosis))
        raise EditConflict(f"{_names(files)}: the lines kept changing while the user was asked. {_LATER}")

    async def write(
        self, plan: EditPlan, files: list[ProposedFile], targets: Mapping[Path, Path]
    ) -> ChangeResult | None:
        """Apply a change that the user has accepted, as review.decisions.Writer says."""
        unknown = real_paths(path for path in touched(plan) if path not in targets)
        targets = {**unknown, **await in_thread(raw_targets, plan), **targets}
        await in_thread(refuse_moved, targets)
        await in_thread(refuse_impossible, plan)
        await self.unsure.rest(touched(plan))
        change_id = new_id("chg")
        judged = _judged(files)
        looking = self.late.looking(self.diagnostician, _documents(judged)) if judged else no_baseline()
        async with looking as baseline:
            await baseline
            async with locked((*targets.values(), *raw_records(plan)), self.journal.locks):
                refuse_moved(targets)
                _, result = await self._apply_as_allowed(change_id, plan, files, targets, "")
        if result is not None:
            self._diagnose_later(result, {file.path for file in judged}, baseline.result())
        return result

    def _diagnose_later(self, result: ChangeResult, paths: Set[Path], baseline: Baseline | None) -> None:
        """Begin the diagnosis of the applied files of these paths; nobody waits for the language servers."""
        applied = changed_documents(file for file in result.applied if file.file.path in paths)
        changed = {after.path: (before, after) for before, after in applied}
        caller, family = self.caller, self._places[0].session_id
        self.late.begin(
            LateDiagnosis(result.id, caller, family, self.diagnostician, baseline, changed, self.emit, self.workspace)
        )

    async def _way(
        self, change_id: str, plan: EditPlan, files: Sequence[ProposedFile], targets: Mapping[Path, Path]
    ) -> ReviewMode:
        """Return how the user reviews the proposal. Raises PermissionDenied."""
        staging = self.staging
        if staging is None or not any(file.changes_anything for file in files) or not await staging.is_open():
            return "ask"
        ask = await edit_question(change_id, plan, files, self.workspace)
        action, verdict = await self.gate.decide(ask, self.caller)
        if not isinstance(plan, CommandPlan) and await staging.is_wanted(files, action):
            return "stage"
        is_asked = action == "ask" and verdict.action == "ask"
        # A title of its own remarks hard links, which the write would cut.
        is_plain = not ask.conditions and ask.title == plan.title and has_texts_only(plan)
        is_inside = all(map(self.workspace.contains, targets.values()))
        if staging.mode() != "apply" or not (is_asked and is_plain and is_inside):
            return "ask"
        return "ask" if await staging.is_replacing(files) else "apply"

    def _marking(self, way: ReviewMode, change_id: str) -> AbstractAsyncContextManager[UnreviewedMarks | None]:
        """Return the context of a write: with the marks, where the change is written before its review."""
        if way == "apply" and self.staging is not None:
            return self.staging.marking(self._places, change_id)
        return nullcontext()

    @property
    def _places(self) -> tuple[TurnRef, ...]:
        return (*self.on_behalf_of, TurnRef(self.caller.session_id, self.turn_id, self.caller.message_id))

    async def _stage(
        self, staging: Staging, change_id: str, plan: EditPlan
    ) -> tuple[ChangeResult, list[tuple[Document | None, Document]]]:
        """Put the proposal on top of the change set, and return the documents before and after as well.

        Raises EditError, EditConflict or DocumentError.
        """
        changed: list[tuple[Document | None, Document]] = []
        async with (staged := await staging.sets.of(staging.session_id)).deciding:
            files = await self._compare(plan)
            changing = [file for file in files if file.changes_anything]
            self.emit(await in_thread(_event, ProposedChange(change_id, tuple(changing)), self.caller))
            await staging.stage(changing, self._places)
            for file in changing:
                self.ledger.forget(file.path)
                if file.kind != "delete":
                    changed.append((file.document, await self.seen.read(file.new_path or file.path)))
                    self.ledger.note(changed[-1][1])
            results = tuple(
                FileResult(file, is_staged=file.changes_anything, is_taken_back=staged.lacks(file.paths))
                for file in files
            )
        return ChangeResult(change_id, plan.title, results), changed

    def _command_call(self) -> "CommandCall":
        from placet.changes.commands.command_changes import CommandCall  # Loaded with the first command.

        return CommandCall(self.caller, self.turn_id, self.ledger, self.workspace, self.emit, self.on_behalf_of)

    def _command_proposer(self) -> "CommandProposer":
        from placet.changes.commands.command_proposer import CommandProposer  # Loaded with the first such command.

        return CommandProposer(
            self.propose,
            self._compare,
            self.staging,
            self.seen,
            self.gate,
            self.caller,
            self.emit,
            self.workspace,
            self._places,
        )

    async def _ask_for_outside(self, targets: Mapping[Path, Path]) -> None:
        """Ask for permission for paths outside the project (after symlinks), once per call. EDITS.md rule 19."""
        outside = {path: target for path, target in targets.items() if not self.workspace.contains(target)}
        places = {path: f"{target.parent.as_posix()}/*" for path, target in outside.items()}
        patterns = tuple(dict.fromkeys(place for place in places.values() if place not in self.entered))
        if patterns:
            new = (str(path) for path, place in places.items() if place in patterns)
            title = "Change files outside the project: " + ", ".join(new)
            await self.gate.check(Ask("external_directory", patterns, literal(patterns), title), self.caller)
            self.entered.update(patterns)

    async def _compare(self, plan: EditPlan) -> list[ProposedFile]:
        """Return the plan's files on the current documents, with the user's own changes merged in."""
        name = self.workspace.name
        documents = [await read_or_none(self.seen, file.path) for file in plan.files]
        endings = [await project_line_ending(file.path) if file.kind == "create" else None for file in plan.files]
        texts = await in_thread(
            lambda: [
                propose(
                    file, document, name(file.path), name(file.new_path) if file.new_path else "", line_ending=ending
                )
                for file, document, ending in zip(plan.files, documents, endings, strict=True)
            ]
        )
        return texts + await in_thread(raw_proposals, plan, name)

    async def _ask(
        self, change_id: str, plan: EditPlan, files: Sequence[ProposedFile], way: ReviewMode
    ) -> tuple[list[ProposedFile], Feedback, bool]:
        """Return the files as the rules or the user allow, the user's feedback on the change and the hunks, and whether
        the user has answered.

        Raises Rejected when nothing is allowed.
        """
        ask = await edit_question(change_id, plan, files, self.workspace)
        assert ask.change is not None
        self.emit(await in_thread(_event, ask.change, self.caller))
        if way == "apply":
            return list(files), Feedback(), False
        try:
            approval = await self.gate.check(ask, self.caller)
        except Rejected as rejection:
            feedback = Feedback(rejection.feedback, tuple(rejection.metadata.get("said", ())))
            raise await self._rejection(change_id, plan, files, feedback) from rejection
        if approval is None:
            return list(files), Feedback(), False
        answer, feedback = approval.answer, approval.feedback
        answered = await in_thread(lambda: [allowed(file, answer) if file.changes_anything else file for file in files])
        if all(file.is_rejected for file in answered if file.changes_anything or file.is_rejected):
            raise await self._rejection(change_id, plan, files, feedback)
        return answered, feedback, True

    async def _rejection(
        self, change_id: str, plan: EditPlan, files: Sequence[ProposedFile], feedback: Feedback
    ) -> Rejected:
        """Store the rejection of the whole change. Return the error, with the rejected files and the feedback."""
        rejected_files = [rejected(file) if file.changes_anything else file for file in files]
        await self._store_rejections(change_id, rejected_files)
        result = await in_thread(_result, change_id, plan, rejected_files)
        return Rejected(feedback.text, metadata(replace(result, feedback_data=feedback.data)))

    async def _store_rejections(self, change_id: str, files: Sequence[ProposedFile]) -> None:
        parts = tuple(
            RejectedPart(file.kind, file.path, file.rejected_hunks, file.is_rejected, file.new_path)
            for file in files
            if file.is_rejected or file.rejected_hunks
        )
        if parts:
            place = (self.caller.session_id, self.turn_id, self.caller.message_id, self.caller.call_id)
            await self.journal.rejected(Rejection(change_id, *place, parts, on_behalf_of=self.on_behalf_of))

    async def _apply_as_allowed(
        self,
        change_id: str,
        plan: EditPlan,
        files: list[ProposedFile],
        targets: Mapping[Path, Path],
        feedback: str,
        *,
        leaves_out: bool = False,
    ) -> tuple[list[ProposedFile], ChangeResult | None]:
        """Look again and apply; return no result when the region changed and the user must see the new proposal.

        With `leaves_out`, files in conflict are left out, and the other files are applied as a whole.
        """
        for _ in range(MOST_TRIES):
            shown_files, files = files, await self._look_again(files, leaves_out=leaves_out)
            await in_thread(refuse_changed, files, plan)
            if not all(map(has_same_hunks, shown_files, files)):
                return files, None
            try:
                return files, await to_the_end(self._apply(change_id, plan, files, targets, feedback))
            except Overtaken:
                continue
        raise EditConflict(f"{_names(files)}: the user is typing there, and nothing was changed. {_LATER}")

    def _baseline(
        self, plan: EditPlan, files: Sequence[ProposedFile]
    ) -> AbstractAsyncContextManager["asyncio.Future[Baseline | None]"]:
        """Return the diagnostics before the change; a command's changes are not judged."""
        return no_baseline() if isinstance(plan, CommandPlan) else self.diagnostician.looking(_documents(files))

    def _emitted(self, result: ChangeResult, diagnosis: Diagnosis | None) -> Diagnosis | None:
        """Emit the effect of the change on the diagnostics of the files, and return the effect. EDITS.md rule 21."""
        if diagnosis is not None:
            self.emit(delta_event(diagnosis, result.id, self.caller))
        return diagnosis

    async def _look_again(self, files: Sequence[ProposedFile], *, leaves_out: bool) -> list[ProposedFile]:
        """Return the same files on the current documents. Raises EditConflict. EDITS.md rule 15."""
        documents = await asyncio.gather(*(self._current(file) for file in files))
        return await in_thread(lambda: all_moved_to(files, documents, leaves_out=leaves_out))

    async def _current(self, file: ProposedFile) -> Document | None:
        return None if file.is_raw else await read_or_none(self.documents, file.path)

    async def _apply(
        self,
        change_id: str,
        plan: EditPlan,
        files: Sequence[ProposedFile],
        targets: Mapping[Path, Path],
        feedback: str,
    ) -> ChangeResult:
        """Journal, apply and verify the change, and emit the event. Raises EditError or Overtaken when nothing was
        applied.
        """
        applying = [file for file in files if file.changes_text]
        edits = await in_thread(aimed_edits, applying, targets)
        raw = await in_thread(accepted_records, files, plan)
        change = ChangeRecord(
            id=change_id,
            session_id=self.caller.session_id,
            turn_id=self.turn_id,
            message_id=self.caller.message_id,
            call_id=self.caller.call_id,
            on_behalf_of=self.on_behalf_of,
            files=tuple(
                replace(file_record(edit), is_edited=bool(file.edited_diff))
                for edit, file in zip(edits, applying, strict=True)
            )
            + tuple(raw),
        )
        try:
            outcomes = await carry_out(self.documents, self.journal, change, edits, label=plan.title)
        except NotPutBack as error:
            self.emit(await in_thread(reapplied_event, error.change))
            raise
        except Unsettled as unsettled:
            if unsettled.left is not None:
                self.emit(await in_thread(reapplied_event, unsettled.left))
            self.unsure.watch(unsettled, Party(self.emit, self.ledger).tell_applied)
            raise
        outcome_by_path = dict(zip((file.path for file in applying), outcomes, strict=True))
        outcome_by_path |= raw_outcomes(files)
        if not isinstance(plan, CommandPlan):  # The model is not told a command's differences, only the names.
            self._note(applying, outcomes)
        await self._store_rejections(change_id, files)
        result = await in_thread(_result, change_id, plan, files, outcome_by_path, feedback)
        self.emit(applied_event(result, self.caller))
        return result

    def _note(self, files: Sequence[ProposedFile], outcomes: Sequence[FileOutcome]) -> None:
        """Note the resulting documents in the ledger, because the model is told the differences with the result."""
        for file, outcome in zip(files, outcomes, strict=True):
            before = file.document
            was_clean = before is None or not before.dirty or self.ledger.is_left_unsaved(before)
            if outcome.after is None or file.new_path is not None:
                self.ledger.forget(file.path)
            if outcome.after is not None:
                self.ledger.note(outcome.after, left_unsaved=outcome.after.dirty and was_clean)


def _result(
    change_id: str,
    plan: EditPlan,
    files: Iterable[ProposedFile],
    outcomes: Mapping[Path, FileOutcome] = MappingProxyType({}),
    feedback: str = "",
) -> ChangeResult:
    results = tuple(file_result(file, outcomes.get(file.path)) for file in files)
    return ChangeResult(change_id, plan.title, results, feedback)


def _event(change: ProposedChange, caller: Caller) -> ChangeProposed:
    """Return the event of the proposal. Raises DocumentError for text that could not be written."""
    refuse_unwritable(change.files)
    return proposed_event(change, caller)


_LATER = "Read the file again, and propose the change when it has come to rest."


def _judged(files: Iterable[ProposedFile]) -> list[ProposedFile]:
    """Return the files of an accepted change with diagnostics worth a look: the open files alone, where the services
    would have to load many closed files.
    """
    changing = [file for file in files if file.changes_anything]
    opened = [file for file in changing if file.document is not None and file.document.version is not None]
    return opened if len(changing) - len(opened) > MOST_CLOSED_JUDGED else changing


def _documents(files: Iterable[ProposedFile]) -> list[Document]:
    return [file.document for file in files if file.changes_anything and file.document is not None]


def _names(files: Iterable[ProposedFile]) -> str:
    return ", ".join(file.name for file in files if file.changes_anything)
