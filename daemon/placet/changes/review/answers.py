"""Decisions that stand in an answer to a permission request. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from placet.changes.review.parts import Decision
from placet.changes.review.staged_file import StagedView, version_of
from placet.core.hunks import Hunk
from placet.core.ports import PermissionAnswer, ProposedFile
from placet.core.values import replace


def decisions_of(
    answer: PermissionAnswer, files: Sequence[ProposedFile], seen: Mapping[Path, str] | None
) -> list[Decision]:
    """Return the decisions of the answer about the files as the user saw the files.

    `seen`: versions of what is left of the files, by place, where the user has decided in the change set meanwhile.

    If the answer has hunks, a file missing from the answer is rejected. A delete is accepted completely or not at all.
    """
    versions = {file.new_path or file.path: version_of(file.kind, file.hunks, file.mode) for file in files}
    versions = versions if seen is None else seen
    return [
        decision
        for file in files
        if (version := versions.get(file.new_path or file.path)) is not None
        for decision in _decisions(answer, file, version)
    ]


def _decisions(answer: PermissionAnswer, file: ProposedFile, version: str) -> Iterator[Decision]:
    place = file.new_path or file.path
    all_ids = frozenset(hunk.id for hunk in file.hunks)
    accepted_ids = all_ids if answer.hunks is None else answer.hunks.get(file.path)
    if (text := answer.edited.get(file.path)) is not None:
        yield Decision(place, version, "accept", edited=text, edited_on=file.old_text)
    elif accepted_ids is None:
        yield Decision(place, version, "reject")
    elif all_ids <= accepted_ids:
        yield Decision(place, version, "accept")
    elif file.kind == "delete" or not all_ids & accepted_ids:
        yield Decision(place, version, "reject")
    else:
        yield Decision(place, version, "accept", all_ids & accepted_ids)
        yield Decision(place, version, "reject", all_ids - accepted_ids)


def rejected_again(
    decisions: Sequence[Decision], seen: Sequence[ProposedFile], present: Sequence[StagedView]
) -> list[Decision]:
    """Return the rejections for files that have changed since the user saw the files: a hunk with the same lines stays
    rejected, and so does a whole file.
    """
    lines = {file.new_path or file.path: _lines(file.hunks) for file in seen}
    views = {view.file.place: view for view in present}
    again: list[Decision] = []
    for decision in decisions:
        if decision.outcome != "reject" or (view := views.get(decision.place)) is None:
            continue
        if decision.hunks is None:
            again.append(replace(decision, version=view.version))
        else:
            rejected = {lines[decision.place][hunk] for hunk in decision.hunks}
            present_lines = _lines(() if view.proposed is None else view.proposed.hunks)
            if same := frozenset(hunk for hunk, own in present_lines.items() if own in rejected):
                again.append(replace(decision, version=view.version, hunks=same))
    return again


def _lines(hunks: Sequence[Hunk]) -> dict[int, tuple[tuple[str, ...], tuple[str, ...]]]:
    return {hunk.id: (hunk.old_lines, hunk.new_lines) for hunk in hunks}
