"""Write of a change that the rules or the user allow: look again, apply, verify, journal, tell."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.changes.call import ChangingCall
from placet.changes.journal.current_files import read_or_none
from placet.changes.journal.journal import Journal
from placet.changes.journal.records import AllowedBy, ChangeRecord, file_record
from placet.changes.journal.rejections import RejectedPart, Rejection
from placet.changes.propose.apply import NotPutBack, Overtaken, Unsettled, aimed_edits, carry_out
from placet.changes.propose.proposal import all_moved_to, has_same_hunks, is_on, never_at_rest
from placet.changes.propose.raw_proposal import CommandPlan, accepted_records, raw_outcomes, refuse_changed
from placet.changes.propose.report import applied_event, reapplied_event
from placet.changes.propose.result import ChangeResult, change_result
from placet.changes.propose.unsure import UnsureChanges
from placet.changes.undo.revert import Party
from placet.core.executor import in_thread
from placet.core.ports import Document, Documents, FileOutcome, ProposedFile
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.text.plan import EditPlan

MOST_TRIES = 5
"""Highest number of tries of an allowed change while the user types elsewhere in the files of the change."""


@dataclass(frozen=True, slots=True)
class ChangeWriter:
    """Writer of the changes of one call; the caller holds the locks of the paths."""

    documents: Documents
    journal: Journal
    unsure: UnsureChanges
    call: ChangingCall

    async def apply_as_allowed(
        self,
        change_id: str,
        plan: EditPlan,
        files: list[ProposedFile],
        targets: Mapping[Path, Path],
        *,
        allowed_by: AllowedBy | None,
        leaves_out: bool = False,
        stores_rejections: bool = True,
    ) -> tuple[list[ProposedFile], ChangeResult | None]:
        """Look again and apply; return no result when the region changed and the user must see the new proposal.

        With `leaves_out`, files in conflict are left out, and the other files are applied as a whole. Without
        `stores_rejections`, the caller stores the rejected parts.
        """
        for _ in range(MOST_TRIES):
            shown_files, files = files, await self._look_again(files, leaves_out=leaves_out)
            if isinstance(plan, CommandPlan):
                await in_thread(refuse_changed, files, plan)
            if not all(map(has_same_hunks, shown_files, files)):
                return files, None
            try:
                applying = self._apply(change_id, plan, files, targets, allowed_by, stores_rejections)
                return files, await to_the_end(applying)
            except Overtaken:
                continue
        raise never_at_rest(files, "the user is typing there, and nothing was changed.")

    async def store_rejections(self, change_id: str, files: Sequence[ProposedFile]) -> None:
        """Store the rejected parts of the files. Raises StoreError."""
        parts = tuple(
            RejectedPart(file.kind, file.path, file.rejected_hunks, file.is_rejected, file.new_path)
            for file in files
            if file.is_rejected or file.rejected_hunks
        )
        if parts:
            call, caller = self.call, self.call.caller
            place = (caller.session_id, call.turn_id, caller.message_id, caller.call_id)
            await self.journal.rejected(Rejection(change_id, *place, parts, on_behalf_of=call.on_behalf_of))

    async def _look_again(self, files: Sequence[ProposedFile], *, leaves_out: bool) -> list[ProposedFile]:
        """Return the same files on the current documents. Raises EditConflict. EDITS.md rule 15."""
        documents = await asyncio.gather(*(self._current(file) for file in files))
        if all(map(is_on, files, documents)):  # As mostly: nothing to merge.
            return all_moved_to(files, documents, leaves_out=leaves_out)
        return await in_thread(lambda: all_moved_to(files, documents, leaves_out=leaves_out))

    async def _current(self, file: ProposedFile) -> Document | None:
        return None if file.is_raw else await read_or_none(self.documents, file.path)

    async def _apply(
        self,
        change_id: str,
        plan: EditPlan,
        files: Sequence[ProposedFile],
        targets: Mapping[Path, Path],
        allowed_by: AllowedBy | None,
        stores_rejections: bool,
    ) -> ChangeResult:
        """Journal, apply and verify the change, and emit the event. Raises EditError or Overtaken when nothing was
        applied.
        """
        call, caller = self.call, self.call.caller
        applying = [file for file in files if file.changes_text]
        edits, raw = await in_thread(lambda: (aimed_edits(applying, targets), accepted_records(files, plan)))
        change = ChangeRecord(
            id=change_id,
            session_id=caller.session_id,
            turn_id=call.turn_id,
            message_id=caller.message_id,
            call_id=caller.call_id,
            allowed_by=allowed_by,
            on_behalf_of=call.on_behalf_of,
            files=tuple(
                replace(file_record(edit), is_edited=bool(file.edited_diff))
                for edit, file in zip(edits, applying, strict=True)
            )
            + tuple(raw),
        )
        try:
            outcomes = await carry_out(self.documents, self.journal, change, edits, label=plan.title)
        except NotPutBack as error:
            call.emit(await in_thread(reapplied_event, error.change))
            raise
        except Unsettled as unsettled:
            if unsettled.left is not None:
                call.emit(await in_thread(reapplied_event, unsettled.left))
            self.unsure.watch(unsettled, Party(call.emit, call.ledger).tell_applied)
            raise
        outcome_by_path = dict(zip((file.path for file in applying), outcomes, strict=True))
        outcome_by_path |= raw_outcomes(files)
        if not isinstance(plan, CommandPlan):  # The model is not told a command's differences, only the names.
            self._note(applying, outcomes)
        if stores_rejections:
            await self.store_rejections(change_id, files)
        result = await in_thread(change_result, change_id, plan, files, outcome_by_path)
        call.emit(applied_event(result, caller))
        return result

    def _note(self, files: Sequence[ProposedFile], outcomes: Sequence[FileOutcome]) -> None:
        """Note the resulting documents in the ledger, because the model is told the differences with the result."""
        ledger = self.call.ledger
        for file, outcome in zip(files, outcomes, strict=True):
            before = file.document
            was_clean = before is None or not before.dirty or ledger.is_left_unsaved(before)
            if outcome.after is None or file.new_path is not None:
                ledger.forget(file.path)
            if outcome.after is not None:
                ledger.note(outcome.after, left_unsaved=outcome.after.dirty and was_clean)
