"""Decided parts of unreviewed files: which hunks are kept, which hunks are undone, and what stays unreviewed. Pure."""

from collections.abc import Sequence

from placet.changes.review.parts import DecidedPart, Decision, chosen_ids, diff_of
from placet.changes.review.staged_file import StagedFile, StagedView, steps_on
from placet.changes.review.unreviewed_file import on_document, undone_shares
from placet.core.values import replace
from placet.text.diff import apply_hunks
from placet.text.lines import to_lf
from placet.text.plan import PlannedFile


def decided_unreviewed_part(view: StagedView, decisions: Sequence[Decision]) -> DecidedPart | None:
    """Return the decided part of an unreviewed file with a difference; None to undo a file that is no text by now.

    A hunk counts as accepted if the decisions both accept and reject the hunk.
    """
    comments = tuple(decision.comment for decision in decisions if decision.comment)
    if view.proposed is None:
        is_kept = all(decision.outcome == "accept" and decision.edited is None for decision in decisions)
        return DecidedPart(view, None, view.file, comments=comments) if is_kept else None
    current, hunks = on_document(view.file, view.document), view.proposed.hunks
    assert current is not None
    edited = next((decision.edited for decision in decisions if decision.edited is not None), None)
    if edited is not None:
        return _edited(view, current, to_lf(edited), comments)
    all_ids = frozenset(hunk.id for hunk in hunks)
    kept = chosen_ids(decisions, "accept", all_ids)
    undone = chosen_ids(decisions, "reject", all_ids) - kept
    is_whole = not any(decision.outcome == "accept" for decision in decisions)
    is_whole &= any(decision.hunks is None for decision in decisions) or undone == all_ids
    if is_whole and _needs_journal(current, decisions):
        rest, diff = _before_delete(current), view.proposed.diff
        return DecidedPart(view, rest, view.file, rejected_diff=diff, comments=comments, reverts=True)
    old_text = view.proposed.old_text
    after = apply_hunks(old_text, hunks, all_ids - undone)
    rest = _rest(current, after, apply_hunks(old_text, hunks, kept), decisions)
    return DecidedPart(
        view,
        rest,
        _rest(current, current.text, apply_hunks(old_text, hunks, kept), decisions) if kept else view.file,
        tuple(
            (step, PlannedFile("modify", current.place, text, next_text))
            for step, text, next_text in (undone_shares(current, current.text, after) if undone else ())
        ),
        rejected_diff=view.proposed.diff if after == old_text else diff_of(after, current.text, view),
        comments=comments,
    )


def _needs_journal(file: StagedFile, decisions: Sequence[Decision]) -> bool:
    """Return whether the whole undo does more than change a text: the journal then restores the file to the byte."""
    match file.kind:
        case "create" | "delete":
            return True
        case "rename":
            return any(decision.hunks is None for decision in decisions)
        case "modify":
            return False


def _before_delete(file: StagedFile) -> StagedFile | None:
    """Return the part that is unreviewed again once a delete is undone: the steps before the delete."""
    if file.kind != "delete" or len(file.steps) < 2:
        return None
    *steps, last = file.steps[:-1]
    return replace(file, kind="modify", text=last.text, steps=(*steps, last))


def _rest(file: StagedFile, text: str, base_text: str, decisions: Sequence[Decision]) -> StagedFile | None:
    """Return the part without a decision; `text` is the present text afterwards.

    A file of which the user keeps a hunk stays where the file is now.
    """
    is_kept = any(decision.outcome == "accept" for decision in decisions)
    kind = "modify" if is_kept else file.kind
    if is_kept and (file.kind == "delete" or any(_keeps_all(decision) for decision in decisions)):
        return None
    if kind == "modify" and text == base_text:
        return None
    rest = replace(file, text=text, steps=steps_on(text, file))
    if not is_kept:
        return rest
    return replace(rest, kind="modify", path=file.place, new_path=None, base_text=base_text, changes=())


def _keeps_all(decision: Decision) -> bool:
    return decision.outcome == "accept" and decision.hunks is None


def _edited(view: StagedView, file: StagedFile, text: str, comments: tuple[str, ...]) -> DecidedPart:
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
