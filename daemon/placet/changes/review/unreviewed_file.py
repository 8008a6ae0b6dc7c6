"""Unreviewed file: a change that was written before its review, as the user sees the change afterwards. Pure.

The present document is the new side. The old side is the present text without the change, so the user's typing is on
both sides. Lines of the change in which the user has typed are the user's own: these lines are no part of the change.

A command can also change permissions, and files that are no text. Such a file is reviewed whole, and is the user's own
as soon as the content or the permissions are others than the command left.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.raw_file import RawFile, described
from placet.changes.propose.proposal import diff_names, text_of_file
from placet.changes.review.staged_file import Overlay, StagedStep, StagedView, UndecidedFile, digest, stacked, steps_on
from placet.core.ports import Document, FileEditKind, ProposedFile
from placet.core.values import replace
from placet.text.diff import hunks_and_diff
from placet.text.encoding import encode
from placet.text.lines import to_lf
from placet.text.without_change import without_change


class OnDisk(NamedTuple):
    """State of a file on disk."""

    content: str
    """Description of the content; empty for no file."""
    mode: int | None
    """Permission bits of a regular file."""


def on_document(file: UndecidedFile, document: Document | None) -> UndecidedFile | None:
    """Return the file with the texts of now, or None if nothing of the change is left to review.

    `document` is the present document at the file's place. A file that the user has removed, or made again after a
    delete, is the user's own.
    """
    if file.is_raw:
        return file
    if (document is None) != (file.kind == "delete"):
        return None
    text = "" if document is None else to_lf(document.text)
    if text == file.text:
        return None if _is_unchanged(file) else file
    base_text = without_change(text, file.text, file.base_text or "")
    kind = "modify" if file.kind == "create" and base_text else file.kind
    if kind == "modify" and base_text == text and file.base_mode is None:
        return None
    steps = steps_on(text, file)
    return replace(file, kind=kind, base_text=None if kind == "create" else base_text, text=text, steps=steps)


def unreviewed_view(
    file: UndecidedFile, document: Document | None, name: str, new_name: str, on_disk: OnDisk | None = None
) -> StagedView:
    """Return the file as the user reviews the file; `document` is the present document at the file's place, and
    `on_disk` the present file where a command has changed more than a text.
    """
    shown = StagedView(file, new_name or name, "", document=document)
    standing = file if on_disk is None else _standing(file, on_disk)
    current = None if standing is None else on_document(standing, document)
    if current is None:
        return replace(shown, is_done=True)
    proposed = _compared(current, document, name, new_name)
    lines = [(hunk.old_lines, hunk.new_lines) for hunk in proposed.hunks]
    modes = () if current.base_mode is None else (current.base_mode, current.mode)
    return replace(shown, proposed=proposed, version=digest("unreviewed", current.kind, lines, *modes))


def _standing(file: UndecidedFile, on_disk: OnDisk) -> UndecidedFile | None:
    """Return the file as the last standing step has left the file, or None if the content is of no step."""
    if file.base_mode is not None:
        is_standing = on_disk.mode != file.base_mode and any(step.mode == on_disk.mode for step in file.steps)
        file = replace(file, mode=on_disk.mode) if is_standing else replace(file, mode=None, base_mode=None)
    if not file.is_raw:
        return None if _is_unchanged(file) else file
    if not any(step.text == on_disk.content for step in file.steps):
        return None
    kind = "modify" if file.kind == "delete" and on_disk.content else file.kind
    file = replace(file, kind=kind, text=on_disk.content)
    return None if _is_unchanged(file) else file


def _is_unchanged(file: UndecidedFile) -> bool:
    return file.kind == "modify" and file.text == file.base_text and file.base_mode is None


def _compared(file: UndecidedFile, document: Document | None, name: str, new_name: str) -> ProposedFile:
    """Return the two sides of the file, in the form of a proposal."""
    old_text = file.base_text or ""
    hunks, diff = hunks_and_diff(old_text, file.text, *diff_names(file.kind, name, new_name))
    if file.base_mode is not None:
        diff = f"old mode {file.base_mode:o}\nnew mode {file.mode or 0:o}\n{diff}"  # As git writes permissions.
    return ProposedFile(
        path=file.path,
        kind=file.kind,
        old_text=old_text,
        new_text=file.text,
        hunks=hunks,
        new_path=file.new_path,
        name=name,
        new_name=new_name,
        document=document,
        diff=diff,
        is_raw=file.is_raw,
        mode=file.mode,
        base_mode=file.base_mode,
    )


def grown(
    file: UndecidedFile | None, written: ProposedFile, places: tuple[TurnRef, ...], change_id: str
) -> UndecidedFile | None:
    """Return the unreviewed file after a further written change, or None if nothing remains to be reviewed."""
    if written.is_raw or (file is not None and file.is_raw):
        current = file
        after = _grown_raw(file, written, places)
    else:
        current = None if file is None else on_document(file, written.document)
        seen = None if current is None else Overlay(current.base_text, current.text, written.document)
        after = stacked(current, seen, written, places)
        after = after or _unchanged_text(current, written, places)
    if after is not None and written.base_mode is not None:
        after = _with_mode(after, written)
    if after is None or _is_unchanged(after):
        return None
    changes = (*(current.changes if current is not None else ()), change_id)
    return replace(after, state="unreviewed", changes=changes)


def _unchanged_text(
    current: UndecidedFile | None, written: ProposedFile, places: tuple[TurnRef, ...]
) -> UndecidedFile | None:
    """Return the file with the permissions as the only change; None for a file that is created and deleted again."""
    if written.kind != "modify":
        return None
    step = StagedStep(places, written.new_text, written.path, None if current is None else current.mode)
    if current is None:
        return UndecidedFile("modify", written.path, written.old_text, written.new_text, steps=(step,))
    return replace(current, base_text=written.new_text, text=written.new_text, steps=(*current.steps, step))


def _with_mode(file: UndecidedFile, written: ProposedFile) -> UndecidedFile:
    """Return the file with the permissions that a command has set in the last step."""
    steps = (*file.steps[:-1], replace(file.steps[-1], mode=written.mode))
    base_mode = written.base_mode if file.base_mode is None else file.base_mode
    if file.kind == "create":
        return replace(file, steps=steps, mode=written.mode)  # A created file goes with its permissions.
    if base_mode == written.mode:
        return replace(file, steps=steps, mode=None, base_mode=None)
    return replace(file, steps=steps, mode=written.mode, base_mode=base_mode)


def _grown_raw(file: UndecidedFile | None, written: ProposedFile, places: tuple[TurnRef, ...]) -> UndecidedFile | None:
    """Return a file that is no text before or after a change; None for a file that is created and deleted again."""
    text = _described_after(written)
    if file is None:
        grown_file = UndecidedFile(
            written.kind, written.path, None if written.kind == "create" else written.old_text, text
        )
    elif (kind := _joined_kind(file.kind, written.kind)) is None:
        return None
    elif file.is_raw or file.base_text is None:
        grown_file = replace(file, kind=kind, text=text)
    else:
        steps = tuple(replace(step, text=_described_text(step.text)) for step in file.steps)
        grown_file = replace(file, kind=kind, base_text=_described_text(file.base_text), text=text, steps=steps)
    if written.kind == "rename":
        is_new = grown_file.kind == "create"
        grown_file = replace(grown_file, **{"path" if is_new else "new_path": written.new_path})
    step = StagedStep(places, text, grown_file.place, grown_file.mode, grown_file.kind == "delete")
    return replace(grown_file, is_raw=True, steps=(*grown_file.steps, step))


def _described_after(written: ProposedFile) -> str:
    """Return the description of the file after the change."""
    if written.is_raw or written.kind == "delete":
        return written.new_text
    document = written.document
    encoding, bom = ("utf-8", written.bom) if document is None else (document.encoding, document.bom)
    return described(RawFile("file", encode(text_of_file(written), encoding, bom)))


def _described_text(text: str) -> str:
    return described(RawFile("file", text.encode("utf-8", "surrogatepass")))


def _joined_kind(before: FileEditKind, after: FileEditKind) -> FileEditKind | None:
    """Return the kind of two changes of a file together; None for a file that is created and deleted again."""
    match before, after:
        case "create", "delete":
            return None
        case "create", _:
            return "create"
        case "delete", _:
            return "modify"
        case _, "delete":
            return "delete"
        case "rename", _:
            return "rename"
        case _:
            return after


def undone_shares(file: UndecidedFile, before: str, after: str) -> Iterator[tuple[StagedStep, str, str]]:
    """Yield each turn's share in the undoing of hunks, newest first: the turn's last step, the text before, the text
    after. `before` is the text of the file, and `after` is that text without the undone hunks.
    """
    steps = list({step.turn: step for step in file.steps}.values())
    texts = [before]
    for step in reversed(steps[:-1]):
        earlier = without_change(after, before, step.text)
        texts.append(without_change(after, earlier, step.text))
    texts.append(after)
    for step, (text, next_text) in zip(reversed(steps), pairwise(texts), strict=True):
        if text != next_text:
            yield step, text, next_text
