"""Text to search, with lines prepared once; and a place found in the text."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from placet.text.indentation import Indents


@dataclass(frozen=True, slots=True)
class Candidate:
    """Possible place of the quotation: `text[start:end]`, in code points."""

    start: int
    end: int
    indents: Indents = ()
    """Pairs of quoted and real indentation, for whole lines; the new text is indented in the same way."""
    trimmed: bool = False
    """True if found without the white space at the ends of the quotation; the new text loses the same white space."""
    ended: bool = True
    """False if the quotation ends with a line end missing at the very end of the text."""
    similarity: float = 1.0


@dataclass(frozen=True, slots=True)
class Content:
    """Text with LF line ends, by lines. The empty line behind a final LF does not count as a line."""

    text: str
    lines: tuple[str, ...]
    starts: tuple[int, ...]
    stripped: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Content":
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        starts = accumulate((len(line) + 1 for line in lines), initial=0)
        return cls(text, tuple(lines), tuple(starts), tuple(line.strip() for line in lines))

    def line_number(self, offset: int) -> int:
        """Return the 1-based number of the line at an offset."""
        return max(bisect_right(self.starts, offset), 1)

    def whole_lines(
        self, first: int, end: int, *, with_last_end: bool, indents: Indents, similarity: float = 1.0
    ) -> Candidate:
        """Return the lines from `first` to `end` (excluded) as a candidate, with or without the line end of
        the last.
        """
        after_last = self.starts[end - 1] + len(self.lines[end - 1])
        ended = after_last < len(self.text)
        stop = after_last + 1 if with_last_end and ended else after_last
        return Candidate(self.starts[first], stop, indents, ended=ended or not with_last_end, similarity=similarity)


@dataclass(frozen=True, slots=True)
class Quotation:
    """Text quoted by the model, by lines; `with_last_end` is true if the text ends with a line end."""

    text: str
    lines: tuple[str, ...]
    stripped: tuple[str, ...]
    with_last_end: bool

    @classmethod
    def of(cls, text: str) -> "Quotation":
        with_last_end = text.endswith("\n")
        lines = text.removesuffix("\n").split("\n")
        return cls(text, tuple(lines), tuple(line.strip() for line in lines), with_last_end)

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()
