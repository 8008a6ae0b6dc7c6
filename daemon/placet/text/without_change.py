"""Removal of an earlier change from a text that has been edited since: a merge in which the later edits win. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from placet.text.line_matching import Gap, gaps
from placet.text.lines import split_lines


def without_change(present: str, changed: str, base: str) -> str:
    """Return `present` without the change from `base` to `changed`; `present` is `changed` with later edits.

    The result holds every line of the later edits. Where a later edit stands in lines of the change, replaced lines of
    the base do not come back, and only unedited added lines go.
    """
    if present == changed:
        return base
    changed_lines, present_lines, base_lines = split_lines(changed), split_lines(present), split_lines(base)
    edits = [_replaced(gap, present_lines) for gap in gaps(changed_lines, present_lines)]
    removals = [
        part
        for gap in gaps(changed_lines, base_lines)
        if (removal := _replaced(gap, base_lines)) not in edits
        for part in _possible(removal, edits)
    ]
    result: list[str] = []
    at = 0
    for part in sorted(removals + edits, key=lambda part: (part.start, part.end)):  # A removal before an edit there.
        result += changed_lines[at : part.start]
        result += part.lines
        at = part.end
    return _joined(result + changed_lines[at:])


class _Replaced(NamedTuple):
    """Run of changed lines, and the lines in their place."""

    start: int
    end: int
    lines: tuple[str, ...]


def _replaced(gap: Gap, new_lines: Sequence[str]) -> _Replaced:
    return _Replaced(gap.old_start, gap.old_end, tuple(new_lines[gap.new_start : gap.new_end]))


def _possible(removal: _Replaced, edits: Sequence[_Replaced]) -> Iterator[_Replaced]:
    """Yield the parts of the removal that touch no line of a later edit."""
    overlapping = [edit for edit in edits if removal.start < edit.end and edit.start < removal.end]
    if not overlapping:
        yield removal
    elif not removal.lines:
        start = removal.start
        for edit in overlapping:
            if start < edit.start:
                yield _Replaced(start, edit.start, ())
            start = max(start, edit.end)
        if start < removal.end:
            yield _Replaced(start, removal.end, ())


def _joined(lines: Sequence[str]) -> str:
    """Return the text of the lines; only the last line may lack its line end."""
    ended = [line if line.endswith(("\n", "\r")) else f"{line}\n" for line in lines[:-1]]
    return "".join([*ended, *lines[-1:]])
