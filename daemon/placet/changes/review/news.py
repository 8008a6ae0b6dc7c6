"""Account of the user's decisions about a change set, for the session's model. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from placet.changes.review.parts import DecidedPart, DecisionOutcome, PartKey, diff_of
from placet.text.diff import excerpt

_MOST_DIFF_CHARACTERS = 4000
"""Highest number of characters of one diff."""
_MOST_CHARACTERS = 40_000
"""Highest number of characters of all diffs."""
_FENCE = "```diff\n"


def news_of(
    parts: Sequence[DecidedPart], failures: Mapping[PartKey, DecisionOutcome], in_part: Collection[PartKey] = ()
) -> str:
    """Return the text for the model, empty if the model need not know of the decisions.

    `in_part` are the failures of which a part was written all the same.
    """
    lines: dict[str, list[str]] = {"staged": [], "unreviewed": [], "waiting": []}
    for part in parts:
        failure = failures.get(part.key)
        if part.key in in_part:
            lines[part.view.file.state] += _lines_of_part(part)
        elif part.view.file.state == "unreviewed":
            lines["unreviewed"] += _unreviewed_lines(part, is_failed=failure is not None)
        elif failure is None or part.rejected_diff:
            lines[part.view.file.state] += _staged_lines(part, is_failed=failure is not None)
    headings = {
        "staged": "The user has reviewed staged changes:",
        "unreviewed": "The user has reviewed changes that were written before:",
        "waiting": "A call of yours was cut short while the user decided about its change:",
    }
    return "\n".join(_within_limit([line for state, own in lines.items() if own for line in (headings[state], *own)]))


def _within_limit(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines without the diffs beyond the limit."""
    left = _MOST_CHARACTERS
    for line in lines:
        left -= len(line) if line.startswith(_FENCE) else 0
        yield line if left >= 0 or not line.startswith(_FENCE) else "  (The lines are left out. Read the file.)"


def _lines_of_part(part: DecidedPart) -> Iterator[str]:
    if part.view.file.state == "staged":
        yield f"- {part.view.name}: a part of the change is accepted and written. The rest could not be written, and is"
        yield "  still staged: the file has changed meanwhile. Read the file."
    else:
        yield f"- {part.view.name}: a part of the change is undone. The rest could not be undone, and still stands: the"
        yield "  file has changed meanwhile. Read the file."
    yield from _comments(part)


def _staged_lines(part: DecidedPart, *, is_failed: bool) -> Iterator[str]:
    name, is_written = part.view.name, bool(part.plans) and not is_failed
    if part.is_undecided:
        yield f"- {name}: the user has not decided yet, and the change is still staged."
    elif is_written:
        share = "a part" if part.rest is not None or part.rejected_hunks else "the change"
        yield f"- {name}: {share} is accepted and written.{_rest(part)}"
        if part.view.file.state == "waiting" and part.rest is not None:
            for _, planned in part.plans:
                yield _fenced(diff_of(planned.base_text or "", planned.new_text or "", part.view))
    elif part.rest is None:
        yield f"- {name}: the change is rejected; the file is as it was before."
    if part.rejected_diff and (is_written or part.rest is not None):
        yield f"- {name}: these lines are rejected, and you no longer see them:"
    if part.rejected_diff:
        yield _fenced(part.rejected_diff)
    if part.edited_diff and not is_failed:
        yield "  The user changed your proposal first. This is the difference from your proposal:"
        yield _fenced(part.edited_diff)
    yield from _comments(part)


def _rest(part: DecidedPart) -> str:
    if part.rest is None:
        return ""
    if part.view.file.state == "waiting":
        return " The undecided rest is not written. These lines are:"
    return " The undecided rest is still staged."


def _unreviewed_lines(part: DecidedPart, *, is_failed: bool) -> Iterator[str]:
    """Yield the lines about undone hunks, own texts and comments; the model need not know of hunks that stay."""
    name, is_undone = part.view.name, part.status == "undone" and not is_failed
    if part.is_undecided:
        yield f"- {name}: the user has not decided yet, and the change stands."
    elif is_undone and part.reverts:
        yield f"- {name}: the change is undone; the file is as it was before:"
    elif is_undone:
        yield f"- {name}: this part of the change is undone:"
    elif part.comments and not part.edited_diff:
        yield f"- {name}: the change stays."
    if is_undone:
        yield _fenced(part.rejected_diff)
    if part.edited_diff and not is_failed:
        yield f"- {name}: the user has put another text in place:"
        yield _fenced(part.edited_diff)
    yield from _comments(part)


def _comments(part: DecidedPart) -> Iterator[str]:
    for comment in part.comments:
        if comment.hunks:
            yield f"  On this part ({comment.outcome}):"
            yield _fenced("".join(map(excerpt, comment.hunks)))
        yield f"  The user said: {comment.text}"


def _fenced(diff: str) -> str:
    shown = diff.rstrip()
    if len(shown) > _MOST_DIFF_CHARACTERS:
        shown = shown[:_MOST_DIFF_CHARACTERS].rpartition("\n")[0] + "\n… (the rest is left out)"
    return f"{_FENCE}{shown}\n```"
