"""Answers of a user about parts of a change, made from the request as a front end makes the answers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from placet.changes.review.answers import answer_of, decision_on, decisions_by_hunk
from placet.core.hunks import Decision
from placet.core.ports import PermissionAnswer, PermissionRequest, ProposedFile

Answer = PermissionAnswer | Callable[[PermissionRequest], PermissionAnswer]


class Comment(NamedTuple):
    """Words of the user on a proposed file, or on a hunk of the file."""

    path: Path
    text: str
    hunk: int | None = None


def answering(
    hunks: Mapping[Path, Collection[int]] | None = None,
    *,
    edited: Mapping[Path, str] | None = None,
    comments: Sequence[Comment] = (),
    outcome: Literal["once", "always", "reject"] = "once",
    feedback: str = "",
) -> Callable[[PermissionRequest], PermissionAnswer]:
    """Return the answer to a request: `hunks` accepts these hunks, and no file without an entry; `edited` accepts texts
    of the user's own; all else is accepted, or rejected by `outcome`.
    """

    def decisions_on(file: ProposedFile) -> list[Decision]:
        said = [
            decision_on(file, "comment", None if one.hunk is None else frozenset((one.hunk,)), comment=one.text)
            for one in comments
            if one.path == file.path
        ]
        if outcome == "reject":
            return [decision_on(file, "reject"), *said]
        if (text := (edited or {}).get(file.path)) is not None:
            return [decision_on(file, "accept", text=text), *said]
        if hunks is None:
            return [decision_on(file, "accept"), *said]
        return [*decisions_by_hunk(file, hunks.get(file.path)), *said]

    def answer(request: PermissionRequest) -> PermissionAnswer:
        if request.change is None:
            return PermissionAnswer(outcome, feedback=feedback)
        decisions = [one for file in request.change.files for one in decisions_on(file)]
        return answer_of(decisions, "always" if outcome == "always" else "once", feedback=feedback)

    return answer


def answer_to(request: PermissionRequest, answer: Answer) -> PermissionAnswer:
    return answer if isinstance(answer, PermissionAnswer) else answer(request)


def accepted(answer: PermissionAnswer) -> dict[Path, frozenset[int] | None]:
    """Return the accepted hunks by file, None for a whole file."""
    return {decision.place: decision.hunks for decision in answer.decisions if decision.outcome == "accept"}


def texts(answer: PermissionAnswer) -> dict[Path, str]:
    """Return the texts of the user's own, by file."""
    return {decision.place: decision.edited for decision in answer.decisions if decision.edited is not None}
