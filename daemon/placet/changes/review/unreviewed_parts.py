"""Decided parts of unreviewed files: which hunks are kept, which hunks are undone, and what stays unreviewed. Pure."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from placet.changes.review.parts import (
    Comment,
    DecidedPart,
    chosen_ids,
    comments_of,
    diff_of,
    edited_hunks,
    own_text,
)
from placet.changes.review.staged_file import StagedStep, StagedView, UndecidedFile, steps_on
from placet.changes.review.unreviewed_file import on_document, undone_shares
from placet.core.hunks import Decision
from placet.core.values import replace
from placet.text.diff import apply_hunks
from placet.text.plan import PlannedFile


def decided_unreviewed_part(view: StagedView, decisions: Sequence[Decision]) -> DecidedPart | None:
    """Return the decided part of an unreviewed file with a difference; None to undo a file that is no text by now.

    A hunk counts as accepted if the decisions both accept and reject the hunk.
    """
    comments = comments_of(view, decisions)
    decisions = [decision for decision in decisions if decision.outcome != "comment"]
    if not decisions:
        return DecidedPart(view, view.file, view.file, comments=comments, is_undecided=True)
    if view.proposed is None:
        is_kept = all(decision.outcome == "accept" and decision.edited is None for decision in decisions)
        return DecidedPart(view, None, view.file, comments=comments) if is_kept else None
    if view.proposed.is_raw:
        return _whole_part(view, decisions, comments)
    current = on_document(view.file, view.document)
    assert current is not None
    if (text := own_text(current, decisions)) is not None:
        return _edited(view, current, text, comments)
    old_text, hunks = view.proposed.old_text, view.proposed.hunks
    all_ids = frozenset(hunk.id for hunk in hunks)
    kept = chosen_ids(decisions, "accept", all_ids)
    undone = chosen_ids(decisions, "reject", all_ids) - kept
    is_whole = not any(decision.outcome == "accept" for decision in decisions)
    is_whole &= any(decision.hunks is None for decision in decisions) or undone == all_ids
    if is_whole and _needs_journal(current, decisions):
        rest, diff = _before_delete(current), view.proposed.diff
        return DecidedPart(view, rest, view.file, rejected_diff=diff, comments=comments, reverts=True)
    own_hunks = edited_hunks(old_text, hunks, decisions)
    edited_text = apply_hunks(old_text, own_hunks, all_ids)
    edited = replace(current, text=edited_text, steps=steps_on(edited_text, current))
    after = apply_hunks(old_text, own_hunks, all_ids - undone)
    return DecidedPart(
        view,
        _rest(current, after, apply_hunks(old_text, own_hunks, kept), decisions),
        _rest_unwritten(view, current, decisions),
        tuple(
            (step, PlannedFile("modify", current.place, text, next_text))
            for step, text, next_text in _shares(current, edited, after)
        ),
        rejected_diff=view.proposed.diff if after == old_text != edited.text else diff_of(after, edited.text, view),
        edited_diff=diff_of(current.text, edited.text, view),
        comments=comments,
    )


def _whole_part(view: StagedView, decisions: Sequence[Decision], comments: tuple[Comment, ...]) -> DecidedPart | None:
    """Return the decided part of a file that is no text; None for a text of the user's own."""
    assert view.proposed is not None
    if any(decision.edited is not None for decision in decisions):
        return None
    if any(decision.outcome == "accept" for decision in decisions):
        return DecidedPart(view, None, view.file, comments=comments)
    rest, diff = _before_delete(view.file), view.proposed.diff
    return DecidedPart(view, rest, view.file, rejected_diff=diff, comments=comments, reverts=True)


def _rest_unwritten(view: StagedView, file: UndecidedFile, decisions: Sequence[Decision]) -> UndecidedFile | None:
    """Return the part without a decision if nothing could be written: undone and edited hunks stay unreviewed."""
    assert view.proposed is not None
    hunks = view.proposed.hunks
    unedited = [decision for decision in decisions if decision.edited is None]
    kept = chosen_ids(unedited, "accept", frozenset(hunk.id for hunk in hunks))
    if not kept:
        return view.file
    return _rest(file, file.text, apply_hunks(view.proposed.old_text, hunks, kept), unedited)


def _shares(file: UndecidedFile, edited: UndecidedFile, after: str) -> Iterator[tuple[StagedStep, str, str]]:
    """Yield each turn's share, newest first: the last turn has the user's own text in place of hunks as well.

    `edited` is the file with the user's own text, and `after` is that text without the undone hunks.
    """
    undone = list(undone_shares(edited, edited.text, after)) if after != edited.text else []
    if edited.text == file.text:
        yield from undone
        return
    last, text = list({step.turn: step for step in edited.steps}.values())[-1], edited.text
    if undone and undone[0][0].turn == last.turn:
        _, _, text = undone.pop(0)
    yield last, file.text, text
    yield from undone


def _needs_journal(file: UndecidedFile, decisions: Sequence[Decision]) -> bool:
    """Return whether the whole undo does more than change a text: the journal then restores the file to the byte."""
    match file.kind:
        case "create" | "delete":
            return True
        case "rename":
            return any(decision.hunks is None for decision in decisions)
        case "modify":
            return file.base_mode is not None or any(step.is_delete for step in file.steps)


def _before_delete(file: UndecidedFile) -> UndecidedFile | None:
    """Return the part that is unreviewed again once a delete is undone: the steps before the delete."""
    steps = tuple(takewhile(lambda step: not step.is_delete, file.steps))
    if not steps or len(steps) == len(file.steps):
        return None
    return replace(file, kind="modify", text=steps[-1].text, steps=steps)


def _rest(file: UndecidedFile, text: str, base_text: str, decisions: Sequence[Decision]) -> UndecidedFile | None:
    """Return the part without a decision; `text` is the present text afterwards.

    A file of which the user keeps a hunk stays where the file is now.
    """
    is_kept = any(decision.outcome == "accept" for decision in decisions)
    kind = "modify" if is_kept else file.kind
    if is_kept and file.kind == "delete":
        return None
    if kind == "modify" and text == base_text:
        return None
    rest = replace(file, text=text, steps=steps_on(text, file))
    if not is_kept:
        return rest
    rest = replace(rest, kind="modify", path=file.place, new_path=None, base_text=base_text, changes=())
    # The journal's changes are needed to undo the permissions, and the file that was deleted.
    steps = tuple(replace(step, is_delete=False) for step in rest.steps)
    return replace(rest, mode=None, base_mode=None, steps=steps)


def _edited(view: StagedView, file: UndecidedFile, text: str, comments: tuple[Comment, ...]) -> DecidedPart:
    """Return the part with the user's own text in place of the present text."""
    kind = "create" if file.kind == "delete" else "modify"
    planned = PlannedFile(kind, file.place, None if kind == "create" else file.text, text)
    return DecidedPart(
        view,
        None,
        view.file,
        ((file.steps[-1], planned),),
        edited_diff=diff_of(file.text, text, view),
        comments=comments,
    )
