"""The user's feedback in an answer, on the whole change, single files and hunks. Pure."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from placet.core.hunks import Hunk, hunk_data
from placet.core.messages import JsonObject
from placet.core.ports import HunkComment, PermissionAnswer, ProposedChange, ProposedFile
from placet.text.counted import first_lines

MOST_LINES = 12
"""Number of lines shown of a commented hunk; the lines only have to identify the hunk."""
LONGEST_LINE = 200

Fate = Literal["accepted", "accepted in part", "refused", "replaced by the user's own text"]


class Feedback(Struct, frozen=True):
    """Words of the user in one answer to a permission request."""

    text: str = ""
    """Text for the model; empty if the user wrote nothing."""
    data: tuple[JsonObject, ...] = ()
    """The same words as metadata of the call, for the screen."""


def feedback_on(change: ProposedChange | None, answer: PermissionAnswer) -> Feedback:
    """Return the feedback that the user gave with the answer. A comment on a file outside the change is left out."""
    files = {} if change is None else {file.path: file for file in change.files}
    comments = [
        (comment, file, next((hunk for hunk in file.hunks if hunk.id == comment.hunk), None))
        for comment in answer.comments
        if (file := files.get(comment.path)) is not None
    ]
    texts = (_comment_text(comment, file, hunk, answer) for comment, file, hunk in comments)
    data = (_comment_data(comment, file, hunk) for comment, file, hunk in comments)
    return Feedback(
        "\n\n".join(filter(None, (answer.feedback, *texts))),
        (*([{"text": answer.feedback}] if answer.feedback else []), *data),
    )


def _comment_data(comment: HunkComment, file: ProposedFile, hunk: Hunk | None) -> JsonObject:
    data = {"text": comment.text, "uri": file.path.as_uri()}
    return data if hunk is None else {**data, "hunk": hunk_data(hunk)}


def _comment_text(comment: HunkComment, file: ProposedFile, hunk: Hunk | None, answer: PermissionAnswer) -> str:
    name = file.name or str(file.path)
    if hunk is None:
        return f"On the change of {name} ({_fate(file, answer)}): {comment.text}"
    fate = _fate_of_hunk(hunk, file, answer)
    return f"On this part of {name} ({fate}):\n```diff\n{excerpt(hunk)}```\n{comment.text}"


def _fate(file: ProposedFile, answer: PermissionAnswer) -> Fate:
    fates: list[Fate] = [_fate_of_hunk(hunk, file, answer) for hunk in file.hunks]
    if fates:
        return fates[0] if fates.count(fates[0]) == len(fates) else "accepted in part"
    is_rejected = answer.outcome == "reject" or (answer.hunks is not None and file.path not in answer.hunks)
    return "refused" if is_rejected else "accepted"


def _fate_of_hunk(hunk: Hunk, file: ProposedFile, answer: PermissionAnswer) -> Fate:
    """Return the fate of the hunk, by the same reading of the answer as in changes/propose/proposal.py."""
    if answer.outcome == "reject":
        return "refused"
    if file.path in answer.edited:
        return "replaced by the user's own text"
    if answer.hunks is None:
        return "accepted"
    allowed = answer.hunks.get(file.path, frozenset[int]())
    if file.kind == "delete":
        return "accepted" if {part.id for part in file.hunks} <= allowed else "refused"
    return "accepted" if hunk.id in allowed else "refused"


def excerpt(hunk: Hunk) -> str:
    """Return the hunk as a diff, shortened but long enough to identify the hunk."""
    return "".join(_lines(hunk))


def _lines(hunk: Hunk) -> Iterator[str]:
    yield f"@@ -{_span(hunk.old_start, hunk.old_lines)} +{_span(hunk.new_start, hunk.new_lines)} @@\n"
    lines = [f"-{line}" for line in hunk.old_lines] + [f"+{line}" for line in hunk.new_lines]
    for line in first_lines(lines, MOST_LINES):
        text = line.rstrip("\n")
        yield (text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…") + "\n"


def _span(start: int, lines: tuple[str, ...]) -> str:
    """Return a span as in a unified diff: lines count from 1, and an empty span takes the number of the line before."""
    return f"{start + bool(lines)},{len(lines)}"
