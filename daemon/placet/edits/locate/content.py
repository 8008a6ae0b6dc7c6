"""A text to search in, its lines prepared once; and a place found in it."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from placet.edits.indentation import Indents


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may be meant: `text[start:end]`, in code points."""

    start: int
    end: int
    indents: Indents = ()
    """For whole lines: how their indentation was quoted and what it is; the new text is carried over alike."""
    trimmed: bool = False
    """Found without the white space at the ends of the quotation, which the new text therefore loses too."""
    ended: bool = True
    """False where the quotation ends with a line end that the text lacks, at its very end."""
    similarity: float = 1.0


@dataclass(frozen=True, slots=True)
class Content:
    """A text with LF line ends, by lines. The empty line behind a final LF is not one of them."""

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
        """The 1-based number of the line an offset lies on."""
        return max(bisect_right(self.starts, offset), 1)

    def whole_lines(
        self, first: int, end: int, *, with_last_end: bool, indents: Indents, similarity: float = 1.0
    ) -> Candidate:
        """Lines first to end (excluded) as a candidate, with or without the line end of the last."""
        after_last = self.starts[end - 1] + len(self.lines[end - 1])
        ended = after_last < len(self.text)
        stop = after_last + 1 if with_last_end and ended else after_last
        return Candidate(self.starts[first], stop, indents, ended=ended or not with_last_end, similarity=similarity)


@dataclass(frozen=True, slots=True)
class Quotation:
    """What the model quoted, by lines; `with_last_end` says that it ends with a line end."""

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
