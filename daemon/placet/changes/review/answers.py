"""Decisions in an answer to a permission request about a change, made on the files as the user saw the files. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from placet.changes.review.parts import on_present
from placet.changes.review.staged_file import StagedView, version_of
from placet.core.errors import EditConflict
from placet.core.hunks import Decision, Hunk
from placet.core.ports import PermissionAnswer, ProposedFile, Scope
from placet.core.values import replace


def decision_on(
    file: ProposedFile,
    outcome: Literal["accept", "reject", "comment"],
    hunks: frozenset[int] | None = None,
    *,
    text: str | None = None,
    comment: str = "",
) -> Decision:
    """Return the decision about the file; `text` is the user's own text in place of an accepted file."""
    edited_on = None if text is None else file.old_text
    return Decision(*place_and_version(file), outcome, hunks, text, comment, edited_on)


def place_and_version(file: ProposedFile) -> tuple[Path, str]:
    """Return the place and the version of the file, by which a decision names what the user saw."""
    return file.new_path or file.path, version_of(file.kind, file.hunks, file.mode)


def decisions_by_hunk(file: ProposedFile, accepted: Collection[int] | None) -> list[Decision]:
    """Return the decisions that accept these hunks of the file and reject the others; None rejects the file.

    A delete is accepted completely or not at all.
    """
    all_ids = frozenset(hunk.id for hunk in file.hunks)
    if accepted is None:
        return [decision_on(file, "reject")]
    if all_ids.issubset(accepted):
        return [decision_on(file, "accept")]
    if file.kind == "delete" or all_ids.isdisjoint(accepted):
        return [decision_on(file, "reject")]
    return [
        decision_on(file, "accept", all_ids.intersection(accepted)),
        decision_on(file, "reject", all_ids.difference(accepted)),
    ]


def answer_by_hunks(
    files: Sequence[ProposedFile],
    accepted: Mapping[Path, Collection[int]],
    outcome: Literal["once", "always"] = "once",
    scope: Scope = "session",
    feedback: str = "",
) -> PermissionAnswer:
    """Return the answer that accepts these hunks; a file without an entry is rejected."""
    decisions = [decision for file in files for decision in decisions_by_hunk(file, accepted.get(file.path))]
    return answer_of(decisions, outcome, scope, feedback)


def answer_of(
    decisions: Sequence[Decision],
    outcome: Literal["once", "always"] = "once",
    scope: Scope = "session",
    feedback: str = "",
) -> PermissionAnswer:
    """Return the answer with decisions about all files of the change; a rejection where nothing is accepted."""
    if all(decision.outcome != "accept" for decision in decisions):
        has_words = any(decision.comment for decision in decisions)
        return PermissionAnswer("reject", scope, feedback, tuple(decisions) if has_words else ())
    is_plain = all(
        (decision.outcome, decision.hunks, decision.edited, decision.comment) == ("accept", None, None, "")
        for decision in decisions
    )
    return PermissionAnswer(outcome, scope, feedback, () if is_plain else tuple(decisions))


def standing(
    decisions: Sequence[Decision], seen: Sequence[ProposedFile], present: Sequence[StagedView]
) -> list[Decision]:
    """Return the decisions that stand for files which have changed since the user saw the files.

    A rejected file stays rejected, a hunk with the same lines keeps its decision, a text of the user's own stands where
    the text fits the present document, and a comment is never lost. As long as the user must be asked again, nothing
    of the agent's text is accepted.
    """
    files = {file.new_path or file.path: file for file in seen}
    again = [
        stands
        for view in present
        if (file := files.get(view.file.place)) is not None
        for decision in decisions
        if decision.place == view.file.place
        for stands in _standing(decision, file, view)
    ]
    if all(_is_settled(view, again) for view in present):
        return again
    return [decision for decision in again if decision.outcome != "accept" or decision.edited is not None]


def _standing(decision: Decision, file: ProposedFile, view: StagedView) -> Iterator[Decision]:
    if decision.version == view.version:
        yield decision
        return
    if decision.hunks is None:
        if _whole_stands(decision, view):
            yield replace(decision, version=view.version)
            return
    elif decision.version != place_and_version(file)[1]:
        pass  # The ids are those of a list that nobody has any more.
    elif same := _same_hunks(decision.hunks, file.hunks, () if view.proposed is None else view.proposed.hunks):
        yield replace(decision, version=view.version, hunks=same)
        return
    if decision.comment:
        yield Decision(view.file.place, view.version, "comment", comment=decision.comment)


def _whole_stands(decision: Decision, view: StagedView) -> bool:
    if decision.edited is None:
        return decision.outcome != "accept"
    if decision.edited_on is None:
        return False
    try:
        on_present(decision.edited, view, [decision])
    except EditConflict:
        return False
    return True


def _same_hunks(ids: Collection[int], seen: Sequence[Hunk], present: Sequence[Hunk]) -> frozenset[int]:
    """Return the present ids of the hunks. Of hunks with equal lines, some of which are gone, nobody knows the id."""
    before, now = _by_lines(seen), _by_lines(present)
    pairs = (
        pair
        for lines, own in before.items()
        if len(own) == len(now.get(lines, ()))
        for pair in zip(own, now[lines], strict=True)
    )
    return frozenset(new for old, new in pairs if old in ids)


def _by_lines(hunks: Sequence[Hunk]) -> dict[tuple[object, ...], list[int]]:
    ids: dict[tuple[object, ...], list[int]] = {}
    for hunk in hunks:
        ids.setdefault((hunk.old_lines, hunk.new_lines, hunk.base_lines), []).append(hunk.id)
    return ids


def _is_settled(view: StagedView, decisions: Sequence[Decision]) -> bool:
    """Return whether the decisions leave nothing of the file undecided."""
    own = [
        decision.hunks for decision in decisions if decision.place == view.file.place and decision.outcome != "comment"
    ]
    all_ids = {hunk.id for hunk in view.proposed.hunks} if view.proposed is not None else set[int]()
    return None in own or (bool(all_ids) and all_ids <= {hunk for hunks in own for hunk in hunks or ()})
