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


def seek(lines: Sequence[str], quoted: Sequence[str], start: int, *, at_end: bool = False) -> int | None:
    """Return the place of `quoted` in `lines`, at or behind `start`, or None if not found.

    Four levels, each over the whole rest before the next: exact, without trailing white space, without white space at
    both ends, and with typographic punctuation and spaces as ASCII. With `at_end` the very end is tried first.
    """
    if len(quoted) > len(lines) - start:
        return None
    last = len(lines) - len(quoted)
    for level in _LEVELS:
        own_lines, quoted_lines = [level(line) for line in lines[start:]], [level(line) for line in quoted]
        if at_end and own_lines[last - start :] == quoted_lines:
            return last
        if (place := _first(own_lines, quoted_lines)) is not None:
            return start + place
    return None


def _first(lines: list[str], quoted: list[str]) -> int | None:
    """Return the first place where the lines equal `quoted`, in time linear also where the lines repeat themselves."""
    at, compared = 0, 0
    while compared <= len(lines):
        try:
            at = lines.index(quoted[0], at)
        except ValueError:
            return None
        if lines[at : at + len(quoted)] == quoted:
            return at
        at, compared = at + 1, compared + len(quoted)
    place = next(runs(lines[at:], quoted), None)
    return None if place is None else at + place


def _plain(line: str) -> str:
    if line.isascii():
        return line.strip()
    spaced = "".join(" " if unicodedata.category(char) == "Zs" else char for char in line)
    return spaced.translate(_PUNCTUATION).strip()


_LEVELS: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip, _plain)
