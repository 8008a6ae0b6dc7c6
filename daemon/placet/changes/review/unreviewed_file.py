"""Unreviewed file: a change that was written before its review, as the user sees the change afterwards. Pure.

The present document is the new side. The old side is the present text without the change, so the user's typing is on
both sides. Lines of the change in which the user has typed are the user's own: these lines are no part of the change.
"""

from collections.abc import Iterator
from itertools import pairwise

from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.propose.proposal import diff_names
from placet.changes.review.staged_file import Overlay, StagedFile, StagedStep, StagedView, digest, stacked, steps_on
from placet.core.ports import Document, ProposedFile
from placet.core.values import replace
from placet.text.diff import hunks_and_diff
from placet.text.lines import to_lf
from placet.text.without_change import without_change


def on_document(file: StagedFile, document: Document | None) -> StagedFile | None:
    """Return the file with the texts of now, or None if nothing of the change is left to review.

    `document` is the present document at the file's place. A file that the user has removed, or made again after a
    delete, is the user's own.
    """
    if (document is None) != (file.kind == "delete"):
        return None
    text = "" if document is None else to_lf(document.text)
    if text == file.text:
        return file
    base_text = without_change(text, file.text, file.base_text or "")
    kind = "modify" if file.kind == "create" and base_text else file.kind
    if kind == "modify" and base_text == text:
        return None
    steps = steps_on(text, file)
    return replace(file, kind=kind, base_text=None if kind == "create" else base_text, text=text, steps=steps)


def unreviewed_view(file: StagedFile, document: Document | None, name: str, new_name: str) -> StagedView:
    """Return the file as the user reviews the file; `document` is the present document at the file's place."""
    shown = StagedView(file, new_name or name, "", document=document)
    current = on_document(file, document)
    if current is None:
        return replace(shown, is_done=True)
    proposed = _compared(current, document, name, new_name)
    lines = [(hunk.old_lines, hunk.new_lines) for hunk in proposed.hunks]
    return replace(shown, proposed=proposed, version=digest("unreviewed", current.kind, lines))


def _compared(file: StagedFile, document: Document | None, name: str, new_name: str) -> ProposedFile:
    """Return the two sides of the file, in the form of a proposal."""
    old_text = file.base_text or ""
    hunks, diff = hunks_and_diff(old_text, file.text, *diff_names(file.kind, name, new_name))
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
    )


def grown(
    file: StagedFile | None, written: ProposedFile, places: tuple[TurnRef, ...], change_id: str
) -> StagedFile | None:
    """Return the unreviewed file after a further written change, or None if nothing remains to be reviewed."""
    current = None if file is None else on_document(file, written.document)
    seen = None if current is None else Overlay(current.base_text, current.text, written.document)
    after = stacked(current, seen, written, places)
    if after is None:
        return None
    changes = (*(current.changes if current is not None else ()), change_id)
    return replace(after, state="unreviewed", changes=changes)


def undone_shares(file: StagedFile, before: str, after: str) -> Iterator[tuple[StagedStep, str, str]]:
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
