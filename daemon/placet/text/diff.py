"""Differences between two texts: as hunks to choose from, as minimal edits, and as a unified diff."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate

from placet.core.hunks import Hunk
from placet.core.ports import TextEdit
from placet.text.counted import first_lines
from placet.text.line_matching import Gap, gaps
from placet.text.lines import count_line_ends, split_lines
from placet.text.unified import CONTEXT_LINES, diff_of_gaps, unified_diff
from placet.text.window import window

__all__ = [
    "apply_hunks",
    "apply_text_edits",
    "count_lines",
    "excerpt",
    "hunk_edits",
    "hunks_and_diff",
    "lines_in_context",
    "make_hunks",
    "text_edits",
    "unified_diff",
]

MOST_EXCERPT_LINES = 12
"""Number of lines shown of a hunk in an excerpt; the lines only have to identify the hunk."""
LONGEST_EXCERPT_LINE = 200
"""Number of characters shown of a line in an excerpt."""


def make_hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """Return the changed runs of lines, with at least one unchanged line between two hunks; ids count from 1."""
    differing = window(old, new)
    before = count_line_ends(old[: differing.start])
    old_lines, new_lines = split_lines(differing.old), split_lines(differing.new)
    return _hunks(gaps(old_lines, new_lines), old_lines, new_lines, before)


def hunks_and_diff(old: str, new: str, old_name: str, new_name: str) -> tuple[tuple[Hunk, ...], str]:
    """Return `make_hunks` and `unified_diff` of two texts with LF line ends, for one comparison of the lines."""
    differing = window(old, new, around=CONTEXT_LINES)
    before = count_line_ends(old[: differing.start])
    old_lines, new_lines = split_lines(differing.old), split_lines(differing.new)
    changes = list(gaps(old_lines, new_lines))
    diff = diff_of_gaps(changes, old_lines, new_lines, before, (old_name, new_name))
    return _hunks(changes, old_lines, new_lines, before), diff


def _hunks(
    changes: Iterable[Gap], old_lines: Sequence[str], new_lines: Sequence[str], skipped: int
) -> tuple[Hunk, ...]:
    return tuple(
        Hunk(
            id=number,
            old_start=skipped + gap.old_start,
            old_lines=tuple(old_lines[gap.old_start : gap.old_end]),
            new_start=skipped + gap.new_start,
            new_lines=tuple(new_lines[gap.new_start : gap.new_end]),
        )
        for number, gap in enumerate(changes, start=1)
    )


def apply_hunks(old: str, hunks: Sequence[Hunk], allowed: Collection[int]) -> str:
    """Return `old` with the allowed hunks of `make_hunks(old, …)` applied; all hunks together give the new text."""
    lines = split_lines(old)
    result: list[str] = []
    at = 0
    for hunk in hunks:
        result += lines[at : hunk.old_start]
        result += hunk.new_lines if hunk.id in allowed else hunk.old_lines
        at = hunk.old_start + len(hunk.old_lines)
    return "".join(result + lines[at:])


def count_lines(hunks: Iterable[Hunk]) -> tuple[int, int]:
    """Return the number of lines added by the hunks and the number of lines deleted."""
    hunks = tuple(hunks)
    return sum(len(hunk.new_lines) for hunk in hunks), sum(len(hunk.old_lines) for hunk in hunks)


def text_edits(old: str, new: str) -> tuple[TextEdit, ...]:
    """Return the smallest replacements from `old` to `new`, ascending, neither overlapping nor touching.

    Texts may have any line ends. No edit begins or ends inside a CR LF or a surrogate pair.
    """
    differing = window(old, new)
    old_lines, new_lines = split_lines(differing.old), split_lines(differing.new)
    hunks = _hunks(gaps(old_lines, new_lines), old_lines, new_lines, 0)
    return _joined_edits(_trimmed_edits(differing.start, old_lines, hunks))


def hunk_edits(old: str, hunks: Iterable[Hunk]) -> tuple[TextEdit, ...]:
    """Return `text_edits` of a text and the text after its hunks."""
    return _joined_edits(_trimmed_edits(0, split_lines(old), hunks))


def _joined_edits(apart: Iterable[TextEdit]) -> tuple[TextEdit, ...]:
    """Return the edits with touching edits joined."""
    edits: list[TextEdit] = []
    for edit in apart:
        last = edits[-1] if edits else None
        if last and last.end == edit.start:
            edits[-1] = TextEdit(last.start, edit.end, last.text + edit.text)
        else:
            edits.append(edit)
    return tuple(edits)


def apply_text_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return the text after edits in ascending order. Raises ValueError if the edits overlap or leave the text."""
    pieces: list[str] = []
    at = 0
    for edit in edits:
        if not at <= edit.start <= edit.end <= len(text):
            raise ValueError(f"edit {edit.start}..{edit.end} after {at} does not fit a text of {len(text)} characters")
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join([*pieces, text[at:]])


def _trimmed_edits(start: int, old_lines: Iterable[str], hunks: Iterable[Hunk]) -> Iterator[TextEdit]:
    """Return the edits of the hunks. Equally many old and new lines are changed versions of the same lines, so a rename
    touches only the names.
    """
    starts = list(accumulate(map(len, old_lines), initial=start))
    for hunk in hunks:
        offset, old, new = starts[hunk.old_start], hunk.old_lines, hunk.new_lines
        if len(old) != len(new):
            old, new = ("".join(old),), ("".join(new),)
        for old_text, new_text in zip(old, new, strict=True):
            if old_text != new_text:
                yield _trimmed(offset, old_text, new_text)
            offset += len(old_text)


def _trimmed(offset: int, old: str, new: str) -> TextEdit:
    """Return an edit at `offset` without the text common to both ends."""
    shorter = min(len(old), len(new))
    prefix = 0
    while prefix < shorter and old[prefix] == new[prefix]:
        prefix += 1
    while _splits_a_pair(old, prefix) or _splits_a_pair(new, prefix):
        prefix -= 1
    suffix = 0
    while suffix < shorter - prefix and old[-1 - suffix] == new[-1 - suffix]:
        suffix += 1
    while _splits_a_pair(old, len(old) - suffix) or _splits_a_pair(new, len(new) - suffix):
        suffix -= 1
    return TextEdit(offset + prefix, offset + len(old) - suffix, new[prefix : len(new) - suffix])


def _splits_a_pair(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return (before == "\r" and after == "\n") or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")


def lines_in_context(hunk: Hunk, hunks: Sequence[Hunk], old_text: str) -> list[str]:
    """Return the lines of the hunk with signs, between three lines of context, which end at the neighbouring hunks:
    these are decided apart.
    """
    old = split_lines(old_text)
    end = hunk.old_start + len(hunk.old_lines)
    earliest = max((other.old_start + len(other.old_lines) for other in hunks if other.id < hunk.id), default=0)
    latest = min((other.old_start for other in hunks if other.id > hunk.id), default=len(old))
    before = old[max(earliest, hunk.old_start - CONTEXT_LINES) : hunk.old_start]
    after = old[end : min(latest, end + CONTEXT_LINES)]
    return [*(f" {line}" for line in before), *hunk.signed_lines, *(f" {line}" for line in after)]


def excerpt(hunk: Hunk) -> str:
    """Return the hunk as a diff, shortened but long enough to identify the hunk."""
    return "".join(_excerpt_lines(hunk))


def _excerpt_lines(hunk: Hunk) -> Iterator[str]:
    yield f"@@ -{_span(hunk.old_start, hunk.old_lines)} +{_span(hunk.new_start, hunk.new_lines)} @@\n"
    for line in first_lines(hunk.signed_lines, MOST_EXCERPT_LINES):
        text = line.rstrip("\n")
        yield (text if len(text) <= LONGEST_EXCERPT_LINE else f"{text[:LONGEST_EXCERPT_LINE]}…") + "\n"


def _span(start: int, lines: tuple[str, ...]) -> str:
    """Return a span as in a unified diff: lines count from 1, and an empty span takes the number of the line before."""
    return f"{start + bool(lines)},{len(lines)}"
