"""Application of a change: journaled first, tried once, judged by the resulting texts; the whole change or
no change.
"""

import asyncio
import logging
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from placet.changes.journal.current_files import there
from placet.changes.journal.journal import Journal
from placet.changes.journal.presence import presence
from placet.changes.journal.records import ChangeRecord, FileRecord, Settlement
from placet.changes.journal.rollback import put, roll_back
from placet.core.errors import DocumentError, EditError
from placet.core.executor import in_thread
from placet.core.messages import new_id
from placet.core.ports import Document, Documents, FileEdit, FileOutcome

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Overtaken(EditError):
    """Error: nothing was applied because the user's typing came first; all files stand without the change."""


class NotPutBack(EditError):
    """Error: a change failed and some files could not be put back; `change` has only these files, and stands."""

    def __init__(self, message: str, change: ChangeRecord) -> None:
        super().__init__(message)
        self.change = change


class Unsettled(EditError):
    """Error: the editor has not reported the outcome of the change, and may still apply the change."""

    def __init__(
        self,
        account: str,
        change: ChangeRecord,
        later: Sequence["asyncio.Future[FileOutcome] | None"],
        left: ChangeRecord | None,
    ) -> None:
        """`change` has only the files with an unknown outcome, and `later` the future outcome of each file.

        `left` has the files that could not be put back, and stands.
        """
        super().__init__(account)
        self.change = change
        self.later = tuple(later)
        self.left = left


@dataclass(frozen=True, slots=True)
class Landed:
    """Result of a successful edit."""

    document: Document | None
    """Current document."""
    text: str
    """Text produced by the edit: as requested, or as formatted on save; without any later typing."""
    is_formatted: bool = False


async def carry_out(
    documents: Documents, journal: Journal, change: ChangeRecord, edits: Sequence[FileEdit], *, label: str
) -> tuple[Landed, ...]:
    """Apply `edits`, which are the first of `change`'s files, and the remaining files, and return how each edit landed.

    Raises EditError with an account per file: every file is then as before, or the error is NotPutBack and the files
    that could not be put back stay in the journal, to be undone; and StoreError. Run under `locked` and `to_the_end`.
    """
    await journal.planned(change)
    texts, others = change.files[: len(edits)], change.files[len(edits) :]
    # A file that will not be writable afterwards must be written before.
    late = [other for other in others if other.new_mode is not None and not other.new_mode & 0o200]
    done, refusal = await _put([other for other in others if other not in late])
    outcomes = await _tried(documents, change, edits, label) if not refusal else _not_tried(edits)
    made = {edit.new_path or edit.path for edit in edits if edit.kind in ("create", "rename")}
    landings = [await _landing(documents, edit, outcome, made) for edit, outcome in zip(edits, outcomes, strict=True)]
    landed = tuple(landing for landing in landings if landing is not None)
    texts = tuple(map(_with_landing, texts, landings))
    if len(landed) == len(edits) and not refusal:
        done_late, refusal = await _put(late)
        done += done_late
        if not refusal:
            await journal.applied(replace(change, files=(*texts, *others)))
            return landed
    # A holder that rejected the edit has left the text alone, whatever the user may have typed since.
    touched = [
        file
        for file, outcome, landing in zip(texts, outcomes, landings, strict=True)
        if outcome.applied or landing is not None
    ]
    failures = await roll_back(documents, [*touched, *done], label=f"Put back: {label}")
    account = _account(texts, outcomes, landings, failures, refusal)
    left = replace(change, files=tuple(failures), settles=Settlement()) if failures else None
    unsure = {
        file: outcome.later
        for file, outcome, landing in zip(texts, outcomes, landings, strict=True)
        if outcome.is_unsure and landing is None
    }
    if left is not None:
        await journal.applied(left)
    if unsure:
        # An undo settles the undone changes only where the whole undo is done.
        settles = change.settles if len(unsure) == len(change.files) else Settlement()
        change_id = change.id if left is None else new_id("chg")
        change = replace(change, id=change_id, files=tuple(unsure), settles=settles)
        await journal.unsure(change)
        raise Unsettled(account, change, tuple(unsure.values()), left)
    if left is not None:
        raise NotPutBack(account, left)
    await journal.failed(change.id)
    is_generic = not refusal
    error = Overtaken if is_generic and await _was_overtaken(documents, edits) else EditError
    raise error(account)


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to the end whatever happens; raise a cancellation only after the end."""
    task = asyncio.ensure_future(work)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is None:
        return task.result()
    if not task.cancelled() and (failure := task.exception()) is not None:
        raise cancellation from failure
    raise cancellation


async def _put(others: Sequence[FileRecord]) -> tuple[list[FileRecord], str]:
    return await in_thread(put, others) if others else ([], "")


def _not_tried(edits: Sequence[FileEdit]) -> list[FileOutcome]:
    return [FileOutcome(edit.path, applied=False, reason="not tried, as another file failed") for edit in edits]


async def _tried(
    documents: Documents, change: ChangeRecord, edits: Sequence[FileEdit], label: str
) -> list[FileOutcome]:
    try:
        turn_id = change.places[0].turn_id if change.kind == "edit" else ""
        return await documents.apply(edits, edit_id=change.id, label=label, turn_id=turn_id)
    except Exception as error:  # Whatever became of the holder: the texts decide, and any may have been changed.
        logger.exception("Applying %s failed", change.id)
        return [FileOutcome(edit.path, applied=True, reason=str(error) or type(error).__name__) for edit in edits]


async def _landing(documents: Documents, edit: FileEdit, outcome: FileOutcome, made: Collection[Path]) -> Landed | None:
    """Return how the edit landed, judged by the current text, or None if the edit did not land. EDITS.md rule 3.

    A file that the change removes to create another file at the same path (in `made`) is judged by the other file.
    """
    try:
        goes = edit.kind in ("delete", "rename") and edit.path not in made
        if goes and await there(documents, edit.path) is not None:
            return None
        if edit.kind == "delete":
            return Landed(None, "")
        after = outcome.after if outcome.applied else None
        after = after or await there(documents, edit.new_path or edit.path)
    except DocumentError:
        return None
    if after is None:
        return None
    if outcome.applied and outcome.changed_by_save:
        return Landed(after, after.text, is_formatted=True)
    if after.text == edit.new_text:
        return Landed(after, after.text)
    before = None if edit.base is None else edit.base.text
    if await in_thread(presence, before, edit.new_text, after.text) == "after":
        return Landed(after, edit.new_text)
    return None


async def _was_overtaken(documents: Documents, edits: Sequence[FileEdit]) -> bool:
    """Return whether any document has moved on from the base text of its edit."""
    for edit in edits:
        if edit.base is not None:
            document = await there(documents, edit.path)
            if document is not None and document.text != edit.base.text:
                return True
    return False


def _with_landing(file: FileRecord, landing: Landed | None) -> FileRecord:
    """Return the record with the real text of the file, because an undo must start from the real text."""
    return file if landing is None or file.after is None else replace(file, after=landing.text)


def _account(
    files: Sequence[FileRecord],
    outcomes: Sequence[FileOutcome],
    landings: Sequence[Landed | None],
    failures: dict[FileRecord, str],
    refusal: str,
) -> str:
    lines = [f"- {refusal}"] if refusal else []
    for file, reason in failures.items():
        lines.append(
            f"- {file.path}: COULD NOT BE PUT BACK, and holds the change, which the user can undo. "
            f"Read it before anything else: {reason}"
        )
    for file, outcome, landing in zip(files, outcomes, landings, strict=True):
        if file in failures:
            continue
        if landing is not None:
            lines.append(f"- {file.path}: was changed, and has been put back.")
        elif outcome.is_unsure:
            lines.append(f"- {file.path}: NOT KNOWN whether it was changed: {outcome.reason}")
        else:
            lines.append(f"- {file.path}: not changed: {outcome.reason or 'afterwards the text was not there'}")
    state = "The change was not applied. Every file is as it was before."
    advice = "Read the files again before you propose it anew."
    is_unsure = any(outcome.is_unsure and landing is None for outcome, landing in zip(outcomes, landings, strict=True))
    if is_unsure:
        state = "It is not known whether the change was applied."
        advice = "You are told when it gets known. Do not propose the change anew until then."
    if failures:
        state += " Some files could not be put back." if is_unsure else ""
        state = state.replace("Every file is as it was before.", "Some files could not be put back.")
    return "\n".join([state, *lines, advice])
