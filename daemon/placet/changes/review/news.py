"""Account of the user's decisions about a change set, for the session's model. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from placet.changes.review.parts import DecidedFile, DecidedPart

_MOST_DIFF_CHARACTERS = 4000


def news_of(parts: Sequence[DecidedPart], failures: Mapping[Path, DecidedFile]) -> str:
    """Return the text for the model, empty if nothing was decided."""
    lines = [
        line
        for part in parts
        if part.view.file.place not in failures or part.rejected_diff
        for line in _lines(part, is_written=bool(part.plans) and part.view.file.place not in failures)
    ]
    return "\n".join(["The user has reviewed staged changes:", *lines]) if lines else ""


def _lines(part: DecidedPart, *, is_written: bool) -> Iterator[str]:
    name = part.view.name
    if is_written:
        share = "a part" if part.rest is not None or part.rejected_hunks else "the change"
        rest = " The undecided rest is still staged." if part.rest is not None else ""
        yield f"- {name}: {share} is accepted and written.{rest}"
    elif part.rest is None:
        yield f"- {name}: the change is rejected; the file is as it was before."
    if part.rejected_diff and (is_written or part.rest is not None):
        yield f"- {name}: these lines are rejected, and you no longer see them:"
    if part.rejected_diff:
        yield _fenced(part.rejected_diff)
    if part.edited_diff:
        yield "  The user changed your proposal first. This is the difference from your proposal:"
        yield _fenced(part.edited_diff)
    for comment in part.comments:
        yield f"  The user said: {comment}"


def _fenced(diff: str) -> str:
    shown = diff.rstrip()
    if len(shown) > _MOST_DIFF_CHARACTERS:
        shown = shown[:_MOST_DIFF_CHARACTERS].rpartition("\n")[0] + "\n… (the rest is left out)"
    return f"```diff\n{shown}\n```"
