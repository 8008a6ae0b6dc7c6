"""What an edit did to a file's diagnostics: which are new, which are gone. Pure. EDITS.md rule 21."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from placet.edits.diff import make_hunks
from placet.ports import Diagnostic, Hunk


@dataclass(frozen=True, slots=True)
class Difference:
    new: tuple[Diagnostic, ...]
    """In the order of the file as it is now."""
    gone: tuple[Diagnostic, ...]
    """Placed as the file was."""
    kept: int = 0


def difference(before: Sequence[Diagnostic], after: Sequence[Diagnostic], old_text: str, new_text: str) -> Difference:
    """Compare the diagnostics of one file, the texts (LF) those they were made for.

    Two are the same if source, code and message are and the old one's line is where the edit moved it to; or
    else lies within the lines the edit replaced, as the new one does; or else has the very text of the new
    one's line. The closest pairs are matched first, each once, so that of ten equal errors one more is one new.
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
    new = sorted(unmatched_new, key=lambda one: (one.line, one.column))
    return Difference(tuple(new), tuple(unmatched_old), kept=len(before) - len(unmatched_old))


def _match(
    before: list[Diagnostic], after: list[Diagnostic], are_same: Callable[[Diagnostic, Diagnostic], bool]
) -> None:
    """Take the pairs that are the same out of both."""
    waiting: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for new in after:
        waiting.setdefault(_what(new), []).append(new)
    for old in list(before):
        candidates = waiting.get(_what(old), [])
        partner = next((new for new in candidates if are_same(old, new)), None)
        if partner is not None:
            _remove(candidates, partner)
            _remove(before, old)
            _remove(after, partner)


def _remove(diagnostics: list[Diagnostic], one: Diagnostic) -> None:
    """By identity: equal ones may be there twice."""
    del diagnostics[next(number for number, it in enumerate(diagnostics) if it is one)]


def _what(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return diagnostic.source, diagnostic.code, diagnostic.message


def _line(lines: Sequence[str], number: int) -> str | None:
    """The line without what surrounds its words; None past the end or where it has none, which tells nothing."""
    return (lines[number].strip() or None) if number < len(lines) else None


class _Places:
    """Where the lines of the old text are in the new one."""

    def __init__(self, hunks: Sequence[Hunk]) -> None:
        self._hunks = hunks
        self._old_starts = [hunk.old_start for hunk in hunks]
        self._new_starts = [hunk.new_start for hunk in hunks]

    def moved(self, line: int) -> int | None:
        """The line's number in the new text; None for one that was replaced."""
        number = bisect_right(self._old_starts, line) - 1
        if number < 0:
            return line
        hunk = self._hunks[number]
        end = hunk.old_start + len(hunk.old_lines)
        return None if line < end else line - end + hunk.new_start + len(hunk.new_lines)

    def hunk_of_old(self, line: int) -> int | None:
        """The number of the hunk that replaced the line."""
        number = bisect_right(self._old_starts, line) - 1
        return number if number >= 0 and line < self._old_starts[number] + len(self._hunks[number].old_lines) else None

    def hunk_of_new(self, line: int) -> int | None:
        """The number of the hunk that wrote the line."""
        number = bisect_right(self._new_starts, line) - 1
        return number if number >= 0 and line < self._new_starts[number] + len(self._hunks[number].new_lines) else None
