"""Decided parts of staged files: the parts to be written, to stay staged, and to be rejected. Pure.

Unreviewed files have unreviewed_parts.py.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.changes.propose.proposal import with_text
from placet.changes.review.staged_file import (
    FileState,
    StagedStep,
    StagedView,
    UndecidedFile,
    after_acceptance,
    after_rejection,
    base_of_rest,
    shares,
)
from placet.core.hunks import Decision, Hunk
from placet.core.ports import FileEditKind
from placet.core.values import replace
from placet.text.counted import counted
from placet.text.diff import apply_hunks, unified_diff
from placet.text.lines import split_lines, to_lf
from placet.text.merge import has_marks, merge
from placet.text.plan import PlannedFile

DecidedStatus = Literal["written", "rejected", "kept", "undone", "commented", "moved", "conflict", "failed"]


CommentedOutcome = Literal["accepted", "accepted in part", "rejected", "replaced by the user's own text", "undecided"]


class Comment(Struct, frozen=True):
    """Words of the user for the model about a decided file, or about some of the hunks."""

    text: str
    outcome: CommentedOutcome
    hunks: tuple[Hunk, ...] = ()
    """Hunks of the comment; empty for the whole file."""


class DecisionOutcome(Struct, frozen=True):
    """Outcome of the decisions about a file.

    `moved`: the file or the proposal has changed since the user looked, and nothing was done.
    """

    place: Path
    status: DecidedStatus
    reason: str = ""


PartKey = tuple[FileState, Path]
"""State and place of a decided file: a path can have a staged and an unreviewed file."""


class DecidedPart(Struct, frozen=True):
    """Decided part of a file of the change set."""

    view: StagedView
    rest: UndecidedFile | None
    """Remaining file of the set, after the plans are written."""
    rest_unwritten: UndecidedFile | None
    """Remaining file of the set if the plans could not be written."""
    plans: tuple[tuple[StagedStep, PlannedFile], ...] = ()
    """Plan to write, for each turn with a share: accepted hunks oldest first, undone hunks newest first."""
    rejected_hunks: tuple[Hunk, ...] = ()
    rejected_diff: str = ""
    """Diff of the rejected or undone hunks, from the text that the session sees afterwards to the text before."""
    edited_diff: str = ""
    """Diff of the user's own text, from the proposed text."""
    comments: tuple[Comment, ...] = ()
    is_undecided: bool = False
    """True if the user decided nothing, and only commented."""
    left: str = ""
    """Sentence about the hunks in conflict that the acceptance of the file has left undecided."""
    reverts: bool = False
    """True if the journal's changes of an unreviewed file are reverted, in place of plans."""

    @property
    def key(self) -> PartKey:
        return self.view.file.state, self.view.file.place

    @property
    def status(self) -> DecidedStatus:
        if self.is_undecided:
            return "commented"
        if self.view.file.state != "unreviewed":
            return "written" if self.plans else "rejected"
        return "undone" if self.reverts or self.rejected_diff else "kept"


def decided_part(view: StagedView, decisions: Sequence[Decision]) -> DecidedPart | None:
    """Return the decided part; None for a conflict that no decision settles.

    A hunk counts as accepted if the decisions both accept and reject the hunk. The acceptance of a whole file leaves
    hunks in conflict undecided; the acceptance of such a hunk puts the proposed lines in place of the user's.
    """
    comments = comments_of(view, decisions)
    decisions = [decision for decision in decisions if decision.outcome != "comment"]
    if not decisions:
        return DecidedPart(view, view.file, view.file, comments=comments, is_undecided=True)
    if view.file.is_raw and view.file.state != "waiting":
        return _whole_content(view, decisions, comments)
    if view.reason_against and any(has_marks(decision.edited or "") for decision in decisions):
        return None
    if (text := own_text(view.file, decisions)) is not None:
        return _edited(view, on_present(text, view, decisions), comments)
    if all(decision.outcome == "reject" and decision.hunks is None for decision in decisions):
        return _wholly_rejected(view, comments)
    if (proposed := view.proposed) is None:
        return None
    old_text, hunks = proposed.old_text, edited_hunks(proposed.old_text, proposed.hunks, decisions)
    all_ids = frozenset(hunk.id for hunk in hunks)
    fitting = frozenset(hunk.id for hunk in hunks if not hunk.is_in_conflict)
    accepted = chosen_ids(decisions, "accept", all_ids, whole=fitting)
    rejected = chosen_ids(decisions, "reject", all_ids) - accepted
    if all_ids and not accepted | rejected and any(decision.hunks is None for decision in decisions):
        return None
    decided = replace(proposed, hunks=hunks)
    kept = apply_hunks(old_text, proposed.hunks, all_ids - rejected) if rejected else proposed.new_text
    rest_unwritten = view.file
    if rejected:
        rest_unwritten = after_rejection(view.file, proposed, kept, base_of_rest(decided, (), rejected))
    is_edited = hunks != proposed.hunks
    wanted = apply_hunks(old_text, hunks, all_ids - rejected) if is_edited else kept
    is_accepted = any(decision.outcome == "accept" for decision in decisions) and rest_unwritten is not None
    is_whole = accepted == all_ids and not is_edited
    written = proposed if is_whole else with_text(proposed, apply_hunks(old_text, hunks, accepted))
    return DecidedPart(
        view,
        after_acceptance(rest_unwritten, written, wanted, base_of_rest(decided, accepted, rejected))
        if is_accepted and rest_unwritten
        else rest_unwritten,
        rest_unwritten,
        tuple(_plans(view.file, old_text, written.new_text)) if is_accepted and written.changes_anything else (),
        tuple(hunk for hunk in proposed.hunks if hunk.id in rejected),
        diff_of(kept, proposed.new_text, view),
        diff_of(kept, wanted, view),
        comments,
        left=_left(hunks, accepted | rejected) if any(decision.hunks is None for decision in decisions) else "",
    )


def _left(hunks: Sequence[Hunk], decided: frozenset[int]) -> str:
    count = sum(hunk.is_in_conflict and hunk.id not in decided for hunk in hunks)
    return f"{counted(count, 'hunk')} in conflict still wait{'s' * (count == 1)} for your decision." if count else ""


def comments_of(view: StagedView, decisions: Sequence[Decision]) -> tuple[Comment, ...]:
    """Return the user's words about the file, each with the hunks of the words and the outcome of these hunks."""
    hunks = () if view.proposed is None else view.proposed.hunks
    return tuple(
        Comment(
            decision.comment,
            _commented_outcome(decision, frozenset(hunk.id for hunk in hunks), decisions),
            tuple(hunk for hunk in hunks if decision.hunks is not None and hunk.id in decision.hunks),
        )
        for decision in decisions
        if decision.comment
    )


def _commented_outcome(comment: Decision, all_ids: frozenset[int], decisions: Sequence[Decision]) -> CommentedOutcome:
    """Return the outcome of the hunks of the comment, by all decisions about the file."""
    if comment.outcome != "comment":
        return "accepted" if comment.outcome == "accept" else "rejected"
    if any(decision.edited is not None and decision.hunks is None for decision in decisions):
        return "replaced by the user's own text"
    whole = {decision.outcome for decision in decisions if decision.hunks is None} - {"comment"}
    about = all_ids if comment.hunks is None else comment.hunks
    accepted = about if "accept" in whole else about & chosen_ids(decisions, "accept", all_ids)
    rejected = about if "reject" in whole else about & chosen_ids(decisions, "reject", all_ids)
    if accepted or "accept" in whole:
        return "accepted" if accepted == about else "accepted in part"
    return "rejected" if "reject" in whole or (about and rejected == about) else "undecided"


def own_text(file: UndecidedFile, decisions: Sequence[Decision]) -> str | None:
    """Return the user's text in place of the new text of the whole file, or None.

    The only hunk of a delete is the whole file.
    """
    texts = [
        decision.edited
        for decision in decisions
        if decision.edited is not None and (decision.hunks is None or file.kind == "delete")
    ]
    return to_lf(texts[0]) if texts else None


def on_present(text: str, view: StagedView, decisions: Sequence[Decision]) -> str:
    """Return the user's text with what was typed in the document since. Raises EditConflict."""
    seen = next((decision.edited_on for decision in decisions if decision.edited_on is not None), None)
    present = None if view.document is None else to_lf(view.document.text)
    return text if seen is None or present is None or present == seen else merge(seen, present, text)


def edited_hunks(old_text: str, hunks: tuple[Hunk, ...], decisions: Sequence[Decision]) -> tuple[Hunk, ...]:
    """Return the hunks with the user's texts in place of the new lines of edited hunks."""
    texts = {
        hunk: to_lf(decision.edited)
        for decision in decisions
        if decision.edited is not None
        for hunk in decision.hunks or ()
    }
    return tuple(
        replace(hunk, new_lines=_own_lines(texts[hunk.id], hunk, old_text)) if hunk.id in texts else hunk
        for hunk in hunks
    )


def _own_lines(text: str, hunk: Hunk, old_text: str) -> tuple[str, ...]:
    """Return the lines of the user's text for a hunk; only the last line of a file may lack its line end."""
    is_at_end = hunk.old_start + len(hunk.old_lines) == len(split_lines(old_text))
    return tuple(split_lines(text if is_at_end or not text or text.endswith("\n") else f"{text}\n"))


def _wholly_rejected(view: StagedView, comments: tuple[Comment, ...]) -> DecidedPart:
    proposed = view.proposed
    if proposed is None:
        diff = diff_of(view.file.base_text or "", view.file.text, view)
        return DecidedPart(view, None, None, rejected_diff=diff, comments=comments)
    return DecidedPart(view, None, None, (), proposed.hunks, proposed.diff, comments=comments)


def _whole_content(
    view: StagedView, decisions: Sequence[Decision], comments: tuple[Comment, ...]
) -> DecidedPart | None:
    """Return the part of a file that is no text; None for a text of the user's own, and for a conflict."""
    if all(decision.outcome == "reject" for decision in decisions):
        return _wholly_rejected(view, comments)
    if view.proposed is None or any(decision.edited is not None for decision in decisions):
        return None
    file = view.file
    planned = PlannedFile(file.kind, file.path, file.base_text, file.text, None, file.mode)
    return DecidedPart(view, None, file, ((file.steps[-1], planned),), comments=comments)


def _edited(view: StagedView, text: str, comments: tuple[Comment, ...]) -> DecidedPart:
    """Return the part with the user's own text, which settles a conflict too."""
    file = view.file
    before = "" if view.document is None else to_lf(view.document.text)
    kind: FileEditKind = "create" if view.document is None else "rename" if file.kind == "rename" else "modify"
    path = file.place if kind == "create" else file.path
    planned = PlannedFile(
        kind,
        path,
        None if kind == "create" else before,
        text,
        file.new_path if kind == "rename" else None,
        file.mode if kind == "create" else None,
    )
    proposed_text = file.text if view.proposed is None else view.proposed.new_text
    return DecidedPart(
        view,
        None,
        file,
        ((file.steps[-1], planned),),
        edited_diff=diff_of(proposed_text, text, view),
        comments=comments,
    )


def _plans(file: UndecidedFile, before: str, after: str) -> Iterator[tuple[StagedStep, PlannedFile]]:
    is_first, mode = True, None
    for step, old_text, new_text in shares(file, before, after):
        own_mode = None if step.mode == mode else step.mode
        if is_first:
            base_text = None if file.kind == "create" else old_text
            text = None if file.kind == "delete" else new_text
            yield step, PlannedFile(file.kind, file.path, base_text, text, file.new_path, own_mode)
        else:
            yield step, PlannedFile("modify", file.place, old_text, new_text, mode=own_mode)
        is_first, mode = False, step.mode


def chosen_ids(
    decisions: Sequence[Decision], outcome: str, all_ids: frozenset[int], whole: frozenset[int] | None = None
) -> frozenset[int]:
    """Return the ids of the hunks with this outcome; `whole` are the hunks of a decision about the whole file."""
    of_whole = all_ids if whole is None else whole
    chosen = [decision.hunks for decision in decisions if decision.outcome == outcome]
    return frozenset().union(*(of_whole if hunks is None else hunks & all_ids for hunks in chosen))


def diff_of(old: str, new: str, view: StagedView) -> str:
    """Return the unified diff of two texts of the file."""
    name = view.name.lstrip("/")
    return unified_diff(old, new, f"a/{name}", f"b/{name}")
