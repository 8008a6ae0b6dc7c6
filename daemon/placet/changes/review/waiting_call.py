"""Call that waits until the user has decided about its files, which are in the change set meanwhile.

The accepted parts are written as the call's own change, so the model is told in the call's result exactly what became
of each file.
"""

import asyncio
from collections.abc import Awaitable, Collection, Mapping, Sequence
from pathlib import Path

from placet.changes.change_writer import ChangeWriter
from placet.changes.journal.current_files import read_or_none, refuse_moved
from placet.changes.locks import locked
from placet.changes.propose.apply import NotPutBack, Unsettled
from placet.changes.propose.preflight import refuse_impossible
from placet.changes.propose.proposal import moved_to, rejected
from placet.changes.propose.raw_proposal import CommandPlan, raw_records
from placet.changes.propose.report import describe, metadata
from placet.changes.propose.result import ChangeResult, FileResult
from placet.changes.review.parts import DecidedPart, DecisionOutcome, PartKey
from placet.changes.review.staged_file import StagedView
from placet.changes.review.written_parts import PlannedWrite, proposed_part, raw_part
from placet.core.errors import DocumentError, EditConflict, EditError, Rejected
from placet.core.executor import in_thread
from placet.core.hunks import hunk_data
from placet.core.ids import new_id
from placet.core.messages import JsonObject
from placet.core.ports import ProposedFile
from placet.core.values import replace
from placet.text.diff import excerpt, unified_diff
from placet.text.plan import EditPlan

_CHANGED = "The file has changed meanwhile."


class WaitingCall:
    """Call whose proposal waits for the user's decisions; the change set holds the call as long as a file waits."""

    def __init__(
        self,
        change_id: str,
        plan: EditPlan,
        files: Sequence[ProposedFile],
        writer: ChangeWriter,
        targets: Mapping[Path, Path],
        baseline: Awaitable[object],
    ) -> None:
        """`baseline` is done once the diagnostics before the change are known; nothing is written before."""
        self.change_id = change_id
        self._plan = plan
        self._proposed = {file.path: file for file in files}
        self._writer = writer
        self._targets = targets
        self._baseline = baseline
        self._results: dict[Path, FileResult] = {}
        self._has_written = False
        self._feedback: list[str] = []
        self._feedback_data: list[JsonObject] = []
        self.error: EditError | DocumentError | None = None
        """Error of the last write, where nothing of the call is written so far."""
        self.conflict: EditError | DocumentError | None = None
        """Reason why the last write failed, although the files fit when the user decided."""
        self.seen: dict[Path, str] | None = None
        """Versions of the files that are left, by place, as the user's last decision in the change set left them; None
        before such a decision.
        """
        self.news: list[str] = []
        """Stored texts about the decisions, for the model of a call that is cut short."""
        self.over = asyncio.Event()
        """Set once no file of the call waits for a decision."""

    @property
    def files(self) -> tuple[ProposedFile, ...]:
        return tuple(self._proposed.values())

    @property
    def has_results(self) -> bool:
        """Return whether the user has decided about a part of the call."""
        return bool(self._results)

    def say(self, text: str, data: Sequence[JsonObject] | None = None) -> None:
        """Keep words for the model and for the screen; `data`: the words of the user, each with its file and hunk."""
        if text and text not in self._feedback:
            self._feedback.append(text)
            self._feedback_data += [{"text": text}] if data is None else data

    async def write(self, parts: Sequence[DecidedPart]) -> dict[PartKey, DecisionOutcome]:
        """Write the accepted parts as one change, and note the rejected parts; return the outcome of each file that
        could not be written. Raises StoreError.
        """
        for part in parts:
            self._hear(part)
        decided = [part for part in parts if not part.is_undecided]
        if not any(part.plans for part in decided):
            for part in decided:
                self._note(FileResult(self._refused(part)))
            return {}
        left: Collection[Path] = {part.view.file.path for part in decided}
        try:
            left = await self._apply(decided)
        except EditConflict as error:
            self.conflict = error
        except (EditError, DocumentError) as error:
            if isinstance(error, (NotPutBack, Unsettled)):  # The model must know, whatever the user decides now.
                self.say(str(error), ())
            if self._has_written:
                self.conflict = error
            else:
                self.error = error
            return {part.key: DecisionOutcome(part.view.file.place, "failed", str(error)) for part in decided}
        return {
            part.key: DecisionOutcome(part.view.file.place, "moved", _CHANGED)
            for part in decided
            if part.view.file.path in left
        }

    def forget_failure(self) -> None:
        """Forget the failure of an earlier decision, which the user can try again."""
        self.error = self.conflict = None

    def _hear(self, part: DecidedPart) -> None:
        """Keep the user's words about the file and its hunks."""
        name, uri = self._proposed[part.view.file.path].name, part.view.file.path.as_uri()
        for comment in part.comments:
            subject = f"this part of {name}" if comment.hunks else f"the change of {name}"
            excerpts = "".join(map(excerpt, comment.hunks))
            lines = f"\n```diff\n{excerpts}```\n" if excerpts else " "
            data = [{"text": comment.text, "uri": uri, "hunk": hunk_data(hunk)} for hunk in comment.hunks]
            self.say(
                f"On {subject} ({comment.outcome}):{lines}{comment.text}", data or [{"text": comment.text, "uri": uri}]
            )

    async def _apply(self, parts: Sequence[DecidedPart]) -> set[Path]:
        """Write the parts as one change, and return the files that are left out, as the user has changed the same lines
        since the decision.

        Raises EditError or DocumentError.
        """
        writes = [PlannedWrite(part, step, planned) for part in parts for step, planned in part.plans]
        plan = self._plan_of(writes)
        paths = [path for write in writes for path in write.part.view.file.leading]
        await self._writer.unsure.rest(paths)
        await self._baseline
        files = await in_thread(self._accepted_files, plan, writes)
        files += [self._refused(part) for part in parts if not part.plans]
        change_id = new_id("chg") if self._has_written else self.change_id
        async with locked((*self._targets.values(), *raw_records(plan)), self._writer.journal.locks):
            refuse_moved(self._targets)
            _, result = await self._writer.apply_as_allowed(
                change_id,
                plan,
                files,
                self._targets,
                allowed_by="user",
                leaves_out=not isinstance(plan, CommandPlan),
                stores_rejections=not self._has_written,  # With the first change, and anew at the end of the call.
            )
        if result is None:
            return {part.view.file.path for part in parts}
        self._has_written = True
        left = {file.file.path: file.file.conflict for file in result.files if file.file.conflict}
        for file in result.files:
            if file.file.path not in left:
                self._note(file)
        if left:
            self.conflict = EditConflict("\n\n".join(left.values()))
        return set(left)

    def _accepted_files(self, plan: EditPlan, writes: Sequence[PlannedWrite]) -> list[ProposedFile]:
        """Return the accepted parts on the documents that the user saw: the writer looks for later typing. Blocks.

        Raises EditError or DocumentError for a plan that cannot be written.
        """
        refuse_moved(self._targets)
        refuse_impossible(plan)
        workspace = self._writer.call.workspace
        return [
            self._accepted(
                write,
                raw_part(write)
                if write.part.view.file.is_raw
                else proposed_part(write, write.part.view.document, workspace),
            )
            for write in writes
        ]

    def _plan_of(self, writes: Sequence[PlannedWrite]) -> EditPlan:
        """Return the part of the plan that the user has accepted."""
        texts = tuple(write.planned for write in writes if not write.part.view.file.is_raw)
        if not isinstance(self._plan, CommandPlan):
            return EditPlan(self._plan.title, texts)
        paths = {write.part.view.file.path for write in writes}
        return CommandPlan(
            self._plan.title, texts, {path: records for path, records in self._plan.raw.items() if path in paths}
        )

    def _accepted(self, write: PlannedWrite, file: ProposedFile) -> ProposedFile:
        """Return the accepted part with what is known of the file since the session read the file."""
        first = self._proposed[write.part.view.file.path]
        before, shown = write.part.view.file.base_text, write.part.view.proposed
        typed = "" if before is None or shown is None else _diff(before, shown.old_text, first)
        return replace(
            file,
            merged_diff=("" if first.path in self._results else first.merged_diff) + typed,
            was_removed=first.was_removed,
            rejected_diff=write.part.rejected_diff,
        )

    def _refused(self, part: DecidedPart) -> ProposedFile:
        first = self._proposed[part.view.file.path]
        if part.rest is None and part.view.proposed is None:
            return rejected(first)
        shown = first if part.view.proposed is None else part.view.proposed
        return replace(
            shown,
            name=first.name,
            is_rejected=True,
            rejected_diff=part.rejected_diff,
            rejected_hunks=part.rejected_hunks,
        )

    def _note(self, result: FileResult) -> None:
        path = result.file.path
        before = self._results.get(path)
        self._results[path] = result if before is None else _joined(before, result)

    async def end_in_conflict(self, view: StagedView) -> bool:
        """End the wait for the file if the user has changed the same lines since the proposal; return False if the
        proposal fits the present document.

        Raises EditError if the file has appeared meanwhile, and DocumentError.
        """
        first = self._proposed[view.file.path]
        document = await read_or_none(self._writer.documents, first.path)
        try:
            await in_thread(moved_to, first, document)
        except EditConflict as error:
            self._leave_out([first.path], error)
            return True
        return False

    def leave_out(self, views: Sequence[StagedView]) -> None:
        """Note that the last write did not fit, and that the files are left as they are."""
        assert self.conflict is not None
        self._leave_out([view.file.path for view in views], self.conflict)

    def _leave_out(self, paths: Collection[Path], reason: Exception) -> None:
        for path in paths:
            self._note(FileResult(replace(self._proposed[path], conflict=str(reason))))

    def refuse_rest(self) -> None:
        """Note that the user rejects the files, as far as the files have no outcome."""
        for file in self._proposed.values():
            if file.path not in self._results and file.changes_anything:
                self._note(FileResult(rejected(file)))

    async def result(self) -> ChangeResult:
        """Return the result of the call, once the call is over.

        Raises Rejected or EditConflict where nothing was applied, and StoreError.
        """
        files = [self._results.get(path) or FileResult(_unchanged(file)) for path, file in self._proposed.items()]
        feedback = "\n\n".join(self._feedback)
        result = ChangeResult(self.change_id, self._plan.title, tuple(files), feedback, tuple(self._feedback_data))
        await self._writer.store_rejections(self.change_id, [file.file for file in files])
        if not result.applied and any(file.file.conflict for file in files):
            raise EditConflict(describe(result, self._writer.call.workspace))
        if any(file.has_rejection for file in files) and not result.applied:
            raise Rejected(feedback, metadata(result))
        return result


def _unchanged(file: ProposedFile) -> ProposedFile:
    """Return the file as already as wanted."""
    return replace(file, kind="modify", new_text=file.old_text, hunks=(), diff="")


def _joined(first: FileResult, then: FileResult) -> FileResult:
    """Return the result of two decisions about parts of the same file."""
    if then.outcome is None:
        first, then = then, first  # The written part leads.
    file, other = then.file, first.file
    is_both = first.outcome is not None
    return replace(
        then,
        file=replace(
            file,
            is_rejected=file.is_rejected and other.is_rejected,
            conflict=file.conflict or other.conflict,
            kind=other.kind if is_both else file.kind,
            hunks=other.hunks + file.hunks if is_both else file.hunks,
            diff=other.diff + file.diff if is_both else file.diff,
            merged_diff=other.merged_diff + file.merged_diff,
            edited_diff=other.edited_diff + file.edited_diff,
            rejected_diff=other.rejected_diff + file.rejected_diff,
            rejected_hunks=other.rejected_hunks + file.rejected_hunks,
        ),
        formatted_diff=first.formatted_diff + then.formatted_diff,
    )


def _diff(old: str, new: str, file: ProposedFile) -> str:
    name = file.name.lstrip("/")
    return unified_diff(old, new, f"a/{name}", f"b/{name}")
