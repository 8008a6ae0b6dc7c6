"""Application of a change: the journal stores the change, the holder tries the edits once, the resulting texts judge.

The whole change is applied, or nothing.
"""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from placet.changes.journal.current_files import read_or_none
from placet.changes.journal.directory_modes import modes_around
from placet.changes.journal.journal import Journal
from placet.changes.journal.presence import presence
from placet.changes.journal.records import ChangeRecord, FileRecord, Settlement
from placet.changes.journal.rollback import put, roll_back
from placet.changes.propose.preflight import refuse_unwritable
from placet.changes.propose.proposal import file_edit
from placet.core.errors import DocumentError, NotApplied
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.ports import Documents, FileEdit, FileOutcome, ProposedFile
from placet.core.values import replace

logger = logging.getLogger(__name__)


class Overtaken(NotApplied):
    """Error: nothing was applied because the user's typing came first; all files stand without the change."""


class NotPutBack(NotApplied):
    """Error: a change failed and some files could not be put back; `change` has only these files, and stands."""

    def __init__(self, message: str, change: ChangeRecord) -> None:
        super().__init__(message)
        self.change = change


class Unsettled(NotApplied):
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


async def carry_out(
    documents: Documents, journal: Journal, change: ChangeRecord, edits: Sequence[FileEdit], *, label: str
) -> list[FileOutcome]:
    """Apply `edits`, which are the first of `change`'s files, and the remaining files. Return the judged outcomes of
    the edits; every edit has landed.

    Raises NotApplied with an account per file: every file is then as before, or the error is NotPutBack and the files
    that could not be put back stay in the journal, to be undone; and StoreError. Run under `locked` and `to_the_end`.
    """
    for path, reason in (await journal.unsaved_elsewhere(path for file in change.files for path in file.paths)).items():
        raise NotApplied(f"{path} {reason} Nothing was changed.")
    change = replace(change, directories=await in_thread(modes_around, change.files))
    await journal.planned(change)
    texts, others = change.files[: len(edits)], change.files[len(edits) :]
    made = {edit.new_path or edit.path for edit in edits if edit.kind in ("create", "rename")}
    gone = {edit.path for edit in edits if edit.kind in ("delete", "rename")}
    # A file that will not be writable afterwards must be written before, a renamed file be renamed before, and a file
    # leave the place of a directory before.
    late = [
        other
        for other in others
        if not gone.isdisjoint(other.path.parents)
        or (other.new_mode is not None and (other.path in made or not other.new_mode & 0o200))
    ]
    done, failure = await _put([other for other in others if other not in late])
    reports = await _tried(documents, change, edits, label) if not failure else _not_tried(edits)
    outcomes = [await _judged(documents, edit, report, made) for edit, report in zip(edits, reports, strict=True)]
    texts = tuple(map(_with_landed_text, texts, outcomes))
    if all(outcome.has_landed for outcome in outcomes) and not failure:
        done_late, failure = await _put(late)
        done += done_late
        if not failure:
            landed = (*texts, *others)
            if landed == change.files:
                await journal.applied_as_planned(change)
            else:
                await journal.applied(replace(change, files=landed))
            return outcomes
    # A holder that rejected the edit has left the text alone, whatever the user may have typed since.
    touched = [file for file, outcome in zip(texts, outcomes, strict=True) if outcome.applied or outcome.has_landed]
    stuck = await roll_back(documents, [*touched, *done], label=f"Put back: {label}")
    account = _account(texts, outcomes, stuck, failure)
    left = replace(change, files=tuple(stuck), settles=Settlement()) if stuck else None
    unsure = {file: outcome.later for file, outcome in zip(texts, outcomes, strict=True) if _is_unknown(outcome)}
    if left is not None:
        await journal.applied(left)
    if unsure:
        # An undo settles the undone changes only where the whole undo is done.
        settles = replace(change.settles, back=None) if len(unsure) == len(change.files) else Settlement()
        change_id = change.id if left is None else new_id("chg")
        change = replace(change, id=change_id, files=tuple(unsure), settles=settles)
        await journal.unsure(change)
        raise Unsettled(account, change, tuple(unsure.values()), left)
    if left is not None:
        raise NotPutBack(account, left)
    await journal.failed(change.id)
    error = Overtaken if not failure and await _was_overtaken(documents, edits) else NotApplied
    raise error(account)


async def _put(others: Sequence[FileRecord]) -> tuple[list[FileRecord], str]:
    return await in_thread(put, others) if others else ([], "")


def _not_tried(edits: Sequence[FileEdit]) -> list[FileOutcome]:
    return [FileOutcome(edit.path, applied=False, reason="not tried, as another file failed") for edit in edits]


async def _tried(
    documents: Documents, change: ChangeRecord, edits: Sequence[FileEdit], label: str
) -> list[FileOutcome]:
    try:
        turn_id = change.places[0].turn_id if change.kind == "edit" else ""
        if not edits:
            return []
        return await documents.apply(edits, edit_id=change.id, label=label, turn_id=turn_id)
    except Exception as error:  # Whatever became of the holder: the texts decide, and any may have been changed.
        logger.exception("Applying %s failed", change.id)
        return [FileOutcome(edit.path, applied=True, reason=str(error) or type(error).__name__) for edit in edits]


async def _judged(documents: Documents, edit: FileEdit, report: FileOutcome, made: Collection[Path]) -> FileOutcome:
    """Return the outcome with `landed_text` if the current text has the edit, else the report unchanged. EDITS.md
    rule 3.

    A file that the change removes to create another file at the same path (in `made`) is judged by the other file.
    """
    try:
        goes = edit.kind in ("delete", "rename") and edit.path not in made
        if goes and not await in_thread(edit.path.is_dir) and await read_or_none(documents, edit.path) is not None:
            return report
        if edit.kind == "delete":
            return replace(report, after=None, changed_by_save=False, landed_text="")
        after = report.after if report.applied else None
        after = after or await read_or_none(documents, edit.new_path or edit.path)
    except DocumentError:
        return report
    if after is None:
        return report
    before = None if edit.base is None else edit.base.text
    is_formatted = report.applied and report.changed_by_save
    if is_formatted or after.text == edit.new_text:
        landed_text = after.text
    elif await in_thread(presence, before, edit.new_text, after.text) == "after":
        landed_text = edit.new_text
    else:
        return report
    return replace(report, after=after, changed_by_save=is_formatted, landed_text=landed_text)


async def _was_overtaken(documents: Documents, edits: Sequence[FileEdit]) -> bool:
    """Return whether any document has moved on from the base text of its edit."""
    for edit in edits:
        if edit.base is not None:
            document = await read_or_none(documents, edit.path)
            if document is not None and document.text != edit.base.text:
                return True
    return False


def _with_landed_text(file: FileRecord, outcome: FileOutcome) -> FileRecord:
    """Return the record with the real text of the file, because an undo must start from the real text."""
    if not outcome.has_landed or file.after is None or file.after == outcome.landed_text:
        return file
    return replace(file, after=outcome.landed_text)


def _is_unknown(outcome: FileOutcome) -> bool:
    """Return whether the holder may still apply the edit."""
    return outcome.is_unsure and not outcome.has_landed


def _account(
    files: Sequence[FileRecord], outcomes: Sequence[FileOutcome], stuck: dict[FileRecord, str], failure: str
) -> str:
    """Return the account for the model: a line per file. `stuck`: the files that could not be put back, with reasons;
    `failure`: the reason why a file on disk could not be put in place.
    """
    lines = [f"- {failure}"] if failure else []
    for file, reason in stuck.items():
        lines.append(
            f"- {file.path}: COULD NOT BE PUT BACK, and holds the change, which the user can undo. "
            f"Read it before anything else: {reason}"
        )
    for file, outcome in zip(files, outcomes, strict=True):
        if file in stuck:
            continue
        if outcome.has_landed:
            lines.append(f"- {file.path}: was changed, and has been put back.")
        elif outcome.is_unsure:
            lines.append(f"- {file.path}: NOT KNOWN whether it was changed: {outcome.reason}")
        else:
            lines.append(f"- {file.path}: not changed: {outcome.reason or 'afterwards the text was not there'}")
    state = "The change was not applied. Every file is as it was before."
    advice = "Read the files again before you propose it anew."
    is_unsure = any(map(_is_unknown, outcomes))
    if is_unsure:
        state = "It is not known whether the change was applied."
        advice = "You are told when it gets known. Do not propose the change anew until then."
    if stuck:
        state += " Some files could not be put back." if is_unsure else ""
        state = state.replace("Every file is as it was before.", "Some files could not be put back.")
    return "\n".join([state, *lines, advice])


def aimed_edits(files: Sequence[ProposedFile], targets: Mapping[Path, Path]) -> list[FileEdit]:
    """Return the edits of the files, with the targets at the time of the question to the user, wherever the paths lead
    now.

    Raises DocumentError when the user's own text cannot be written.
    """
    refuse_unwritable(files)
    edits = map(file_edit, files)
    return [
        replace(edit, target=targets[edit.path], new_target=None if edit.new_path is None else targets[edit.new_path])
        for edit in edits
    ]
