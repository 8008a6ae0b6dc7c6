"""Changes of one tool call: compare with the current text, ask or stage, have the allowed part written, report."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from placet.changes.asked_change import MOST_ASKS, AskedChange
from placet.changes.call import ChangingCall
from placet.changes.change_writer import ChangeWriter
from placet.changes.commands.command_report import CommandChange
from placet.changes.commands.command_sync import MovedOn, moved_on, save_own
from placet.changes.journal.current_files import read_or_none, refuse_moved
from placet.changes.ledger import REMOVED
from placet.changes.locks import locked
from placet.changes.propose.diagnostics_delta import Baseline, DiagnosticsTracker, no_baseline
from placet.changes.propose.diagnostics_report import delta_event
from placet.changes.propose.edit_question import EditQuestion, edit_question, literal
from placet.changes.propose.preflight import refuse_impossible, refuse_unwritable, touched
from placet.changes.propose.proposal import documents_before, never_at_rest, on_own_changes, propose
from placet.changes.propose.raw_proposal import CommandPlan, raw_proposals, raw_records, raw_targets
from placet.changes.propose.report import proposed_event
from placet.changes.propose.result import ChangeResult, Diagnosis, FileResult, change_result, changed_documents
from placet.changes.review.marks import has_texts_only
from placet.changes.review.seen_tree import SeenTree
from placet.changes.review.staging import Staging
from placet.changes.review.waiting_call import WaitingCall
from placet.core.errors import DocumentMissing, EditError
from placet.core.events import ChangeProposed
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.ports import Document, Documents, ProposedChange, ProposedFile
from placet.core.tasks import to_the_end
from placet.core.user_wait import waiting_for_user
from placet.core.values import replace
from placet.permissions.gate import Ask, Caller, Gate
from placet.project.files.absence import no_file
from placet.project.files.line_endings import project_line_ending
from placet.project.paths import real, real_paths
from placet.text.lines import to_lf
from placet.text.plan import EditPlan, PlannedFile

if TYPE_CHECKING:
    from placet.changes.commands.command_changes import Commands
    from placet.changes.commands.command_proposer import CommandProposer
    from placet.changes.commands.contained_changes import ContainedChange, ContainedCommands
    from placet.permissions.shell import Findings

MOST_COMMANDS = 50
"""Highest number of the session's last commands in which the author of a change is looked for."""


Way = Literal["write", "stage", "ask", "apply"]
"""Way of a proposal: written as the rules allow, or as the change set takes the proposal in each mode."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Proposal of a call; lives until the proposal is written, staged or rejected."""

    id: str
    """Id of the change."""
    plan: EditPlan
    targets: Mapping[Path, Path]
    """Places where the paths of the plan led at the time of the proposal, symlinks resolved."""


@dataclass(frozen=True, slots=True)
class CallChanges:
    """Changes of one tool call; lives as long."""

    documents: Documents
    seen: Documents
    """Documents as the session sees the documents: with its staged changes."""
    staging: Staging
    gate: Gate
    diagnostician: DiagnosticsTracker
    commands: Callable[[], "Commands"]
    contained: Callable[[], "ContainedCommands"]
    writer: ChangeWriter
    entered: set[str] = field(default_factory=set[str])
    """Patterns of places outside the project for which the call has permission."""

    @property
    def call(self) -> ChangingCall:
        return self.writer.call

    async def read(self, path: Path) -> Document:
        document = await read_or_none(self.seen, path)
        if document is None:
            raise self._missing(path)
        self.call.ledger.note(document)
        return document

    def _missing(self, path: Path) -> DocumentMissing:
        was_read = self.call.ledger.find(path) is not None
        since = " It was there when you read it, and has been removed or renamed since you read it." if was_read else ""
        return DocumentMissing(f"{no_file(path)}{since}")

    def shown(self, document: Document) -> bool:
        # No await between look and note: calls side by side show the document once.
        return self.call.ledger.note_if_new(document)

    async def base(self, path: Path) -> str:
        await self._ask_for_outside({path: real(path)})  # Before the answer, nobody learns whether such a file exists.
        if (document := await read_or_none(self.seen, path)) is None:
            raise self._missing(path)
        self.call.ledger.recall(document)
        if (last_read := self.call.ledger.find(path)) is None:
            name = self.call.workspace.name(path)
            if self.call.ledger.was_read_earlier(path):
                raise EditError(f"{name} has changed since you read it. Read it again, then edit it.")
            raise EditError(f"{name} has not been read in this session. Read it first, then edit it.")
        return to_lf(last_read.text)

    async def save_own(self) -> list[Path]:
        return await save_own(self.documents, self.call.ledger)

    async def staged(self) -> list[Path]:
        return await self.staging.places()

    async def tree(self) -> SeenTree:
        return await self.staging.documents.tree()

    async def staged_decided(self, places: Sequence[Path]) -> None:
        await self.staging.sets.decided(self.staging.session_id, places)

    @asynccontextmanager
    async def around_command(self, findings: "Findings") -> AsyncGenerator[CommandChange]:
        command_change = CommandChange()
        try:
            async with self.commands().around(findings, self.call) as command_change:
                yield command_change
        finally:
            if command_change.change is not None:
                change = command_change.change
                await to_the_end(self.staging.mark_written(change.id, change.files, self.call.places))

    @asynccontextmanager
    async def around_contained(
        self, findings: "Findings", title: str, unreadable: Sequence[Path] = ()
    ) -> AsyncGenerator["ContainedChange"]:
        async with self.contained().around(findings, title, self.call, self._command_proposer(), unreadable) as change:
            yield change

    async def moved_on(self) -> MovedOn:
        return await moved_on(self.seen, self.call.ledger)

    async def propose(self, plan: EditPlan) -> ChangeResult:
        is_command = isinstance(plan, CommandPlan)
        targets = real_paths(touched(plan)) | (await in_thread(raw_targets, plan) if is_command else {})
        await self._ask_for_outside(targets)
        await self.staging.look()
        vacated = self.staging.vacated(touched(plan))
        await in_thread(refuse_impossible, plan, vacated)
        await self.writer.unsure.rest(touched(plan))
        proposal = Proposal(new_id("chg"), plan, targets)
        files = await self._compare(plan)
        for _ in range(MOST_ASKS):
            if (question := await self._question(proposal, files)) is None:
                return await in_thread(change_result, proposal.id, plan, files)
            match self._way(question, proposal, files):
                case "stage":
                    return await self._stage(proposal, files)
                case "ask":
                    result = await self._wait(question, proposal, files)
                    files = await self._compare(plan) if result is None else files
                case way:
                    files, result = await self._write(question, proposal, files, way)
            if result is not None:
                return result
        raise never_at_rest(files, "the lines kept changing while the change was written.")

    async def _write(
        self, question: EditQuestion, proposal: Proposal, files: Sequence[ProposedFile], way: Way
    ) -> tuple[list[ProposedFile], ChangeResult | None]:
        """Write a change that the rules or the mode `apply` let pass, and return the result; or return the files as the
        files are now, where the lines have changed meanwhile.
        """
        assert question.ask.change is not None
        self.call.emit(await in_thread(_event, question.ask.change, self.call.caller))
        plan, targets = proposal.plan, proposal.targets
        async with self._baseline(plan, files) as baseline:
            marking = self._marking(files)
            await baseline
            paths = (*targets.values(), *raw_records(plan))
            before = marking if has_texts_only(plan) else None
            context = nullcontext() if before is None else before.marking(self.call.places, proposal.id)
            async with context as marks, locked(paths, self.writer.journal.locks):
                refuse_moved(targets)
                if marks is not None:
                    await marks.put(files)
                files, result = await self.writer.apply_as_allowed(
                    proposal.id, plan, list(files), targets, allowed_by="rule" if way == "write" else None
                )
                if marks is not None:
                    await (marks.put([file.file for file in result.applied]) if result else marks.withdraw())
        if result is None:
            return files, None
        if marking is not None and before is None:
            await to_the_end(self._mark_written(marking, proposal.id))
        result = replace(result, is_unreviewed=marking is not None)
        return files, await self._diagnosed(result, baseline.result())

    async def _wait(
        self, question: EditQuestion, proposal: Proposal, files: Sequence[ProposedFile]
    ) -> ChangeResult | None:
        """Put the proposal into the change set, and return the result once the user has decided about each file; None
        if a grant allows the change meanwhile.

        Raises Rejected, EditConflict and EditError where nothing was applied.
        """
        staged, plan = self.staging.staged, proposal.plan
        while True:
            async with self._baseline(plan, files) as baseline:
                waiting = WaitingCall(proposal.id, plan, files, self.writer, proposal.targets, baseline)
                asked = AskedChange(waiting, self.staging, self.gate, self.call)
                if not (others := await asked.put(files, question)):
                    try:
                        with waiting_for_user():
                            is_decided = await asked.decide(question, partial(self._question, proposal))
                    finally:
                        staged.end_wait(waiting)
                        self.staging.announce(staged)
                    if not is_decided:
                        return None
                    await self.staging.sets.take_back_news(self.staging.session_id, waiting.news)
                    return await self._diagnosed(await waiting.result(), baseline.result())
            await others[0].over.wait()
            files = await self._compare(plan)
            again = await self._question(proposal, files)
            if again is None or again.action == "allow":
                return None
            question = again

    async def _question(self, proposal: Proposal, files: Sequence[ProposedFile]) -> EditQuestion | None:
        """Return the question about the files, with the answer of rules, grants and plugins; None without a change.

        Raises PermissionDenied.
        """
        if not any(file.changes_anything for file in files):
            return None
        ask = await edit_question(proposal.id, proposal.plan, files, self.call.workspace)
        return EditQuestion(ask, *await self.gate.decide(ask, self.call.caller))

    def _way(self, question: EditQuestion, proposal: Proposal, files: Sequence[ProposedFile]) -> Way:
        """Return the way of the proposal to the files."""
        plan = proposal.plan
        ask, action, verdict = question
        staging = self.staging
        if staging.is_open and not isinstance(plan, CommandPlan) and staging.is_wanted(files, action):
            return "stage"
        if action == "allow":
            return "write"
        # A title of its own remarks hard links, which the write would cut.
        is_plain = not ask.conditions and ask.title == plan.title and has_texts_only(plan)
        is_inside = all(map(self.call.workspace.contains, proposal.targets.values()))
        is_asked_by_rules = verdict.action == "ask"  # A plugin that asks is not passed by.
        return "apply" if staging.mode() == "apply" and is_asked_by_rules and is_plain and is_inside else "ask"

    def _marking(self, files: Sequence[ProposedFile]) -> Staging | None:
        """Return the staging where the files are marked as written before their review (docs/REVIEW.md).

        Placet's own files, such as the plan of a planning agent, are no files of the user.
        """
        is_own = all(self._is_own(file.path) for file in files)
        return None if is_own or self.staging.mode() == "ask" else self.staging

    def _is_own(self, path: Path) -> bool:
        return self.writer.journal.is_beside(path) and not self.call.workspace.contains(real(path))

    async def _mark_written(self, staging: Staging, change_id: str) -> None:
        """Mark the files of a written change that holds more than texts."""
        await staging.mark_written(change_id, await self.writer.journal.files(change_id), self.call.places)

    async def _stage(self, proposal: Proposal, files: Sequence[ProposedFile]) -> ChangeResult:
        """Put the proposal on top of the change set. Raises EditError, EditConflict or DocumentError."""
        staging = self.staging
        tracker = DiagnosticsTracker(staging.languages_with(files), self.diagnostician.settings)
        changed: list[tuple[Document | None, Document]] = []
        async with tracker.looking(documents_before(files)) as baseline:
            await baseline
            async with (staged := await staging.look()).deciding:
                files = await self._compare(proposal.plan)
                changing = [file for file in files if file.changes_anything]
                self.call.emit(await in_thread(_event, ProposedChange(proposal.id, tuple(changing)), self.call.caller))
                await staging.stage(changing, self.call.places)
                for file in changing:
                    self.call.ledger.forget(file.path)
                    if file.kind != "delete":
                        changed.append((file.document, await self.seen.read(file.new_path or file.path)))
                        self.call.ledger.note(changed[-1][1])
                results = tuple(
                    FileResult(file, is_staged=file.changes_anything, is_taken_back=staged.lacks(file.paths))
                    for file in files
                )
        result = ChangeResult(proposal.id, proposal.plan.title, results)
        return replace(result, diagnosis=self._emitted(result, await tracker.after(baseline.result(), changed)))

    def _command_proposer(self) -> "CommandProposer":
        from placet.changes.commands.command_proposer import CommandProposer  # Loaded with the first such command.

        return CommandProposer(
            self.propose,
            self._compare,
            self.staging,
            self.seen,
            self.gate,
            self.call,
        )

    async def _ask_for_outside(self, targets: Mapping[Path, Path]) -> None:
        """Ask for permission for paths outside the project (after symlinks), once per call. EDITS.md rule 19."""
        outside = {path: target for path, target in targets.items() if not self.call.workspace.contains(target)}
        places = {path: f"{target.parent.as_posix()}/*" for path, target in outside.items()}
        patterns = tuple(dict.fromkeys(place for place in places.values() if place not in self.entered))
        if patterns:
            new = (str(path) for path, place in places.items() if place in patterns)
            title = "Change files outside the project: " + ", ".join(new)
            await self.gate.check(Ask("external_directory", patterns, literal(patterns), title), self.call.caller)
            self.entered.update(patterns)

    async def _compare(self, plan: EditPlan) -> list[ProposedFile]:
        """Return the plan's files on the current documents, with the user's own changes merged in."""
        name = self.call.workspace.name
        documents = [await read_or_none(self.seen, file.path) for file in plan.files]
        planned = [
            await self._on_own_changes(file, document) for file, document in zip(plan.files, documents, strict=True)
        ]
        endings = [await project_line_ending(file.path) if file.kind == "create" else None for file in plan.files]
        texts = await in_thread(
            lambda: [
                propose(
                    file, document, name(file.path), name(file.new_path) if file.new_path else "", line_ending=ending
                )
                for file, document, ending in zip(planned, documents, endings, strict=True)
            ]
        )
        texts = self.staging.parted(texts)
        texts = [replace(file, was_removed=self._was_removed(file)) for file in texts]
        return texts + (await in_thread(raw_proposals, plan, name) if isinstance(plan, CommandPlan) else [])

    def _was_removed(self, file: ProposedFile) -> bool:
        """Return whether the file to be created has gone after the session read it, and the model does not know yet."""
        ledger = self.call.ledger
        return file.kind == "create" and ledger.find(file.path) is not None and not ledger.is_told(file.path, REMOVED)

    async def _on_own_changes(self, file: PlannedFile, document: Document | None) -> PlannedFile:
        """Return the file as computed on the text after the session's own commands. Raises EditConflict."""
        if document is None or file.base_text is None or to_lf(file.base_text) == to_lf(document.text):
            return file
        journal, place = self.writer.journal, real(file.path)
        commands = [
            change for change in await journal.seen_from(self.call.caller.session_id) if change.kind == "command"
        ]
        steps = [
            (record.before, record.after)
            for change in await journal.with_files(commands[-MOST_COMMANDS:])
            for record in change.files
            if record.before is not None and record.after is not None and real(record.path) == place
        ]
        return await in_thread(on_own_changes, file, steps, self.call.workspace.name(file.path))

    def _baseline(
        self, plan: EditPlan, files: Sequence[ProposedFile]
    ) -> AbstractAsyncContextManager["asyncio.Future[Baseline | None]"]:
        """Return the diagnostics before the change; a command's changes are not judged."""
        return no_baseline() if isinstance(plan, CommandPlan) else self.diagnostician.looking(documents_before(files))

    async def _diagnosed(self, result: ChangeResult, baseline: Baseline | None) -> ChangeResult:
        """Return the result of a written change with its effect on the diagnostics."""
        diagnosis = await self.diagnostician.after(baseline, changed_documents(result.applied))
        return replace(result, diagnosis=self._emitted(result, diagnosis))

    def _emitted(self, result: ChangeResult, diagnosis: Diagnosis | None) -> Diagnosis | None:
        """Emit the effect of the change on the diagnostics of the files, and return the effect. EDITS.md rule 21."""
        if diagnosis is not None:
            self.call.emit(delta_event(diagnosis, result.id, self.call.caller))
        return diagnosis


def _event(change: ProposedChange, caller: Caller) -> ChangeProposed:
    """Return the event of the proposal. Raises DocumentError for text that could not be written."""
    refuse_unwritable(change.files)
    return proposed_event(change, caller)
