"""Staged change of a file that is no text, or of a link: the user reviews a description, and decides about the whole.

The change keeps the bytes before and after. The bytes before are compared with the disk at each look and before the
write.
"""

from pathlib import Path

from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.raw_file import RawFile, described
from placet.changes.journal.records import FileRecord
from placet.changes.propose.raw_proposal import raw_proposal
from placet.changes.review.staged_file import StagedStep, StagedView, UndecidedFile, digest
from placet.changes.review.unreviewed_file import OnDisk
from placet.core.ports import FileEditKind, ProposedFile
from placet.core.values import replace
from placet.text.diff import make_hunks, unified_diff


def staged_content(
    path: Path, before: RawFile | None, after: RawFile | None, mode: int | None, places: tuple[TurnRef, ...]
) -> UndecidedFile:
    """Return the change of the path from one content to another; None stands for no file.

    `mode` holds the new permission bits of a file that had others.
    """
    kind: FileEditKind = "create" if before is None else "delete" if after is None else "modify"
    text, base_text = described(after), None if before is None else described(before)
    steps = (StagedStep(places, text, path, mode, kind == "delete"),)
    return UndecidedFile(
        kind, path, base_text, text, steps=steps, mode=mode, is_raw=True, raw_before=before, raw_after=after
    )


def content_view(file: UndecidedFile, on_disk: OnDisk, name: str) -> StagedView:
    """Return the file as the user reviews the file."""
    shown = StagedView(file, name, digest("content", file.kind, file.base_text, file.text, file.mode))
    has_mode = file.mode is None or file.kind == "create" or on_disk.mode == file.mode
    if on_disk.content == file.text and has_mode:
        return replace(shown, is_done=True)
    if on_disk.content != (file.base_text or ""):
        conflict = "The file has been changed meanwhile." if on_disk.content else "The file is no longer there."
        if file.kind == "create":
            conflict = "A file of this name has been made meanwhile."
        return replace(shown, conflict=conflict, version=digest("conflict", shown.version, on_disk.content))
    return replace(shown, proposed=_proposed(file, name))


def content_records(file: UndecidedFile, mode: int | None) -> list[FileRecord]:
    """Return the records that write the change; `mode` holds the present permission bits."""
    records: list[FileRecord] = []
    if file.raw_before != file.raw_after:
        records.append(FileRecord(file.kind, file.path, raw_before=file.raw_before, raw_after=file.raw_after))
    elif file.mode is not None:
        records.append(FileRecord("modify", file.path, mode=mode, new_mode=file.mode))
    return records


def _proposed(file: UndecidedFile, name: str) -> ProposedFile:
    proposed = raw_proposal(content_records(file, None), name)
    old_text, new_text = file.base_text or "", file.text
    shown = name.lstrip("/")
    old_name = "/dev/null" if file.kind == "create" else f"a/{shown}"
    new_name = "/dev/null" if file.kind == "delete" else f"b/{shown}"
    diff = unified_diff(old_text, new_text, old_name, new_name)
    hunks = make_hunks(old_text, new_text)
    return replace(proposed, old_text=old_text, new_text=new_text, hunks=hunks, diff=diff, mode=file.mode)
