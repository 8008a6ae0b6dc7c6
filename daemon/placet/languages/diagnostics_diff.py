"""Effect of an edit on a file's diagnostics: new diagnostics, and diagnostics now gone. Pure. docs/EDITS.md rule 21."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from placet.core.hunks import Hunk
from placet.core.ports import Diagnostic
from placet.text.diff import make_hunks


@dataclass(frozen=True, slots=True)
class Difference:
    new: tuple[Diagnostic, ...]
    """Diagnostics new after the edit, in the order of the present file."""
    gone: tuple[Diagnostic, ...]
    """Diagnostics gone after the edit, with positions from before the edit."""
    kept: int = 0


def difference(before: Sequence[Diagnostic], after: Sequence[Diagnostic], old_text: str, new_text: str) -> Difference:
    """Compare the diagnostics of one file; the texts (LF) are the texts that the diagnostics were made for.

    Two diagnostics are the same if source, code and message are equal and a test of places holds: the edit moved the
    old line to the new line; or else both lie within the lines of one hunk; or else both lines have the same text. The
    closest pairs are matched first, each diagnostic once: ten equal errors and an eleventh make one new error.
    """
    places = _Places(make_hunks(old_text, new_text))
    old_lines, new_lines = old_text.split("\n"), new_text.split("\n")
    unmatched_old, unmatched_new = list(before), list(after)
    same: tuple[Callable[[Diagnostic, Diagnostic], bool], ...] = (
        lambda old, new: places.moved(old.line) == new.line and old.column == new.column,
        lambda old, new: places.moved(old.line) == new.line,
        lambda old, new: (hunk := places.hunk_of_old(old.line)) is not None and hunk == places.hunk_of_new(new.line),
        lambda old, new: _line(old_lines, old.line) == _line(new_lines, new.line),
    )
    for are_same in same:
        _match(unmatched_old, unmatched_new, are_same)
    new = sorted(unmatched_new, key=lambda diagnostic: (diagnostic.line, diagnostic.column))
    return Difference(tuple(new), tuple(unmatched_old), kept=len(before) - len(unmatched_old))


def _match(
    before: list[Diagnostic], after: list[Diagnostic], are_same: Callable[[Diagnostic, Diagnostic], bool]
) -> None:
    """Remove the pairs that are the same from both lists."""
    waiting: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for new in after:
        waiting.setdefault(_identity(new), []).append(new)
    for old in list(before):
        candidates = waiting.get(_identity(old), [])
        partner = next((new for new in candidates if are_same(old, new)), None)
        if partner is not None:
            _remove(candidates, partner)
            _remove(before, old)
            _remove(after, partner)


def _remove(diagnostics: list[Diagnostic], diagnostic: Diagnostic) -> None:
    """Remove the diagnostic by identity: equal diagnostics may appear twice."""
    del diagnostics[next(number for number, candidate in enumerate(diagnostics) if candidate is diagnostic)]


def _identity(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return diagnostic.source, diagnostic.code, diagnostic.message


def _line(lines: Sequence[str], number: int) -> str | None:
    """Return the line without outer white space, or None past the end or for an empty line, which proves nothing."""
    return (lines[number].strip() or None) if number < len(lines) else None


class _Places:
    """Places of the old text's lines in the new text."""

    def __init__(self, hunks: Sequence[Hunk]) -> None:
        self._hunks = hunks
        self._old_starts = [hunk.old_start for hunk in hunks]
        self._new_starts = [hunk.new_start for hunk in hunks]

    def moved(self, line: int) -> int | None:
        """Return the line's number in the new text, or None for a replaced line."""
        number = bisect_right(self._old_starts, line) - 1
        if number < 0:
            return line
        hunk = self._hunks[number]
        end = hunk.old_start + len(hunk.old_lines)
        return None if line < end else line - end + hunk.new_start + len(hunk.new_lines)

    def hunk_of_old(self, line: int) -> int | None:
        """Return the number of the hunk that replaced the line, or None."""
        number = bisect_right(self._old_starts, line) - 1
        return number if number >= 0 and line < self._old_starts[number] + len(self._hunks[number].old_lines) else None

    def hunk_of_new(self, line: int) -> int | None:
        """Return the number of the hunk that wrote the line, or None."""
        number = bisect_right(self._new_starts, line) - 1
        return number if number >= 0 and line < self._new_starts[number] + len(self._hunks[number].new_lines) else None
