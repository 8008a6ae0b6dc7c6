"""Search for lines in a file, forward from a place, from strict to tolerant."""

import unicodedata
from collections.abc import Callable, Sequence

from placet.text.locate.runs import runs

_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        "\u2026": "...",
    }
)


def seek(lines: Sequence[str], wanted: Sequence[str], start: int, *, at_end: bool = False) -> int | None:
    """Return the place of `wanted` in `lines`, at or behind `start`, or None if not found.

    Four levels, each over the whole rest before the next: exact, without trailing white space, without white space at
    both ends, and with typographic punctuation and spaces as ASCII. With `at_end` the very end is tried first.
    """
    if len(wanted) > len(lines) - start:
        return None
    last = len(lines) - len(wanted)
    for level in _LEVELS:
        there, asked = [level(line) for line in lines[start:]], [level(line) for line in wanted]
        if at_end and there[last - start :] == asked:
            return last
        if (found := _first(there, asked)) is not None:
            return start + found
    return None


def _first(lines: list[str], wanted: list[str]) -> int | None:
    """Return the first place where the lines equal `wanted`, in time linear also where the lines repeat themselves."""
    at, compared = 0, 0
    while compared <= len(lines):
        try:
            at = lines.index(wanted[0], at)
        except ValueError:
            return None
        if lines[at : at + len(wanted)] == wanted:
            return at
        at, compared = at + 1, compared + len(wanted)
    found = next(runs(lines[at:], wanted), None)
    return None if found is None else at + found


def _plain(line: str) -> str:
    if line.isascii():
        return line.strip()
    spaced = "".join(" " if unicodedata.category(char) == "Zs" else char for char in line)
    return spaced.translate(_PUNCTUATION).strip()


_LEVELS: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip, _plain)
