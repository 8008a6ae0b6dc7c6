"""Search for lines in a file, from strict to tolerant, in time linear in the file even where lines repeat."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        "\u2026": "...",
    }
)


@dataclass(frozen=True, slots=True)
class Quotation:
    """Quoted lines, and the file in which the lines are looked for; one character stands for each different line."""

    _file: str
    _reversed_file: str
    _quoted: str

    @property
    def size(self) -> int:
        return len(self._quoted)

    def stands_at(self, line: int) -> bool:
        return line >= 0 and self._file.startswith(self._quoted, line)

    def first(self, start: int) -> int | None:
        """Return the first place at or behind `start`."""
        place = self._file.find(self._quoted, start)
        return None if place < 0 else place

    def last(self, end: int) -> int | None:
        """Return the last place that ends at or before `end`. Only a search forward is linear, so all is reversed."""
        place = self._reversed_file.find(self._quoted[::-1], len(self._file) - end)
        return None if place < 0 else len(self._file) - place - self.size

    def last_before(self, start: int) -> int | None:
        """Return the last place in front of `start`."""
        return self.last(min(start - 1 + self.size, len(self._file))) if start > 0 else None


class Lines:
    """Lines of a file, to search in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._levels: dict[Callable[[str], str], tuple[dict[str, str], str, str]] = {}

    def quotation(self, quoted: Sequence[str], start: int = 0) -> Quotation | None:
        """Return the quotation at the strictest level at which the quoted lines stand at or behind `start`, or None.

        Four levels: exact, without trailing white space, without white space at both ends, and with typographic
        punctuation and spaces as ASCII.
        """
        for level in _LEVELS:
            characters, file, reversed_file = self._at(level)
            found = [characters.get(level(line)) for line in quoted]
            if None not in found:
                quotation = Quotation(file, reversed_file, "".join(filter(None, found)))
                if quotation.first(start) is not None:
                    return quotation
        return None

    def _at(self, level: Callable[[str], str]) -> tuple[dict[str, str], str, str]:
        if level not in self._levels:
            leveled = [level(line) for line in self.lines]
            # A file small enough to edit has fewer lines than there are characters.
            characters = {line: chr(number) for number, line in enumerate(dict.fromkeys(leveled))}
            file = "".join(characters[line] for line in leveled)
            self._levels[level] = characters, file, file[::-1]
        return self._levels[level]


def _plain(line: str) -> str:
    if line.isascii():
        return line.strip()
    spaced = "".join(" " if unicodedata.category(char) == "Zs" else char for char in line)
    return spaced.translate(_PUNCTUATION).strip()


_LEVELS: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip, _plain)
