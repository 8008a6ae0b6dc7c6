"""Applying a change: journaled first, tried once, judged by what is there afterwards; all of it, or nothing."""

import asyncio
import logging
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from placet.changes.journal import Journal
from placet.changes.presence import presence
from placet.changes.record import ChangeRecord, FileRecord
from placet.changes.reversal import put_back, there
from placet.errors import DocumentError, EditError
from placet.ports import Document, Documents, FileEdit, FileOutcome
from placet.project.executor import in_thread

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Overtaken(EditError):
    """Nothing was applied because the user's typing came first; all files stand without the change."""


@dataclass(frozen=True, slots=True)
class Landed:
    """An edit that went through."""

    document: Document | None
    """What is there now."""
    text: str
    """What the edit made of the file: as asked, or as saving formatted it; without what was typed since."""
    is_formatted: bool = False


async def carry_out(
    documents: Documents, journal: Journal, change: ChangeRecord, edits: Sequence[FileEdit], *, label: str
) -> tuple[Landed, ...]:
    """Apply `edits`, which are those of `change`, and say how each landed.

    Raises EditError that says per file what happened: every file is then as before, or named as one that could not
    be put back; and StoreError. To be run under `locked` and `to_the_end`.
    """
    await journal.planned(change)
    outcomes = await _tried(documents, change, edits, label)
    made = {edit.new_path or edit.path for edit in edits if edit.kind in ("create", "rename")}
    landings = [await _landing(documents, edit, outcome, made) for edit, outcome in zip(edits, outcomes, strict=True)]
    landed = tuple(landing for landing in landings if landing is not None)
    change = replace(change, files=tuple(map(_with_landing, change.files, landings)))
    if len(landed) == len(edits):
        await journal.applied(change)
        return landed
    # A holder that refused has left the text alone, whatever the user may have typed in it since.
    touched = [
        file
        for file, outcome, landing in zip(change.files, outcomes, landings, strict=True)
        if outcome.applied or landing is not None
    ]
    failures = await put_back(documents, touched, label=f"Put back: {label}")
    await journal.failed(change.id)
    error = Overtaken if not failures and await _was_overtaken(documents, edits) else EditError
    raise error(_account(change.files, outcomes, landings, failures))


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Let `work` come to its end whatever happens; a cancellation is raised when it is there."""
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


async def _tried(
    documents: Documents, change: ChangeRecord, edits: Sequence[FileEdit], label: str
) -> list[FileOutcome]:
    try:
        return await documents.apply(edits, edit_id=change.id, label=label)
    except Exception as error:  # Whatever became of the holder: the texts decide, and any may have been changed.
        logger.exception("Applying %s failed", change.id)
        return [FileOutcome(edit.path, applied=True, reason=str(error) or type(error).__name__) for edit in edits]


async def _landing(documents: Documents, edit: FileEdit, outcome: FileOutcome, made: Collection[Path]) -> Landed | None:
    """How the edit landed, by what is there; None if it did not. EDITS.md rule 3.

    A file that the change takes away to make another at its place (one of `made`) is judged by that other one.
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
    """Whether some document has moved on from the text its edit was made for."""
    for edit in edits:
        if edit.base is not None:
            document = await there(documents, edit.path)
            if document is not None and document.text != edit.base.text:
                return True
    return False


def _with_landing(file: FileRecord, landing: Landed | None) -> FileRecord:
    """The text that is really there is what an undo must start from."""
    return file if landing is None or file.after is None else replace(file, after=landing.text)


def _account(
    files: Sequence[FileRecord],
    outcomes: Sequence[FileOutcome],
    landings: Sequence[Landed | None],
    failures: dict[FileRecord, str],
) -> str:
    lines: list[str] = []
    for file, outcome, landing in zip(files, outcomes, landings, strict=True):
        if file in failures:
            lines.append(f"- {file.path}: COULD NOT BE PUT BACK, read it before anything else: {failures[file]}")
        elif landing is not None:
            lines.append(f"- {file.path}: was changed, and has been put back.")
        else:
            lines.append(f"- {file.path}: not changed: {outcome.reason or 'afterwards the text was not there'}")
    state = "Some files could not be put back." if failures else "Every file is as it was before."
    return "\n".join(
        [f"The change was not applied. {state}", *lines, "Read the files again before you propose it anew."]
    )
