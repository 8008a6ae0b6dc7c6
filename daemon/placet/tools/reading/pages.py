"""Page of a file: as many numbered lines as an answer holds, and the position of the page in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

PAGE_LINES = 2000
LINE_CHARACTERS = 2000
PAGE_BYTES = 51_200
_CUT = f"... (line cut at {LINE_CHARACTERS} characters)"


@dataclass(frozen=True, slots=True)
class Page:
    """Lines `first` to `last` (1-based; `last` below `first` for none) of `total`."""

    lines: tuple[str, ...]
    first: int
    total: int | None
    """Number of lines in the file; None where more lines follow and nobody has counted the lines."""
    bytes_full: bool = False
    """Whether the page ends early because PAGE_BYTES are reached."""

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1

    @property
    def first_cut(self) -> int | None:
        """Return the number of the first line that is cut, or None."""
        cut = (number for number, line in enumerate(self.lines, self.first) if line.endswith(_CUT))
        return next(cut, None)

    @property
    def is_complete(self) -> bool:
        return self.first == 1 and self.last == self.total

    @property
    def numbered(self) -> str:
        return "".join([f"{number}: {line}\n" for number, line in enumerate(self.lines, self.first)])

    @property
    def position(self) -> str:
        """Return the position of the page in the file in words, and the way to read on."""
        if self.last == self.total:
            return f"(End of file, {self.total} lines.)"
        of = "" if self.total is None else f" of {self.total}"
        onward = f"Use offset={self.last + 1} to read on."
        if self.bytes_full:
            return f"(Cut at {PAGE_BYTES // 1024} KiB: lines {self.first}-{self.last}{of}. {onward})"
        return f"(Lines {self.first}-{self.last}{of}. {onward})"


def page_of(lines: Sequence[str], first: int, limit: int) -> Page:
    """Return the lines that go into an answer, from `first` on."""
    return _filled(list(islice(lines, first - 1, first - 1 + limit)), first, len(lines))


def page_of_piece(lines: Sequence[str], first: int, *, is_last: bool) -> Page:
    """The same of lines that were taken out of a larger file at `first`; `is_last`: none follow."""
    return _filled(lines, first, first + len(lines) - 1 if is_last else None)


def _filled(lines: Sequence[str], first: int, total: int | None) -> Page:
    if (
        max(map(len, lines), default=0) <= LINE_CHARACTERS
        and len("\n".join(lines).encode("utf-8", "replace")) < PAGE_BYTES
    ):
        return Page(tuple(lines), first, total)
    taken: list[str] = []
    size = 0
    for line in lines:
        shown = _shortened(line)
        size += len(shown.encode("utf-8", "replace")) + 1
        if size > PAGE_BYTES:
            return Page(tuple(taken), first, total, bytes_full=True)
        taken.append(shown)
    return Page(tuple(taken), first, total)


def _shortened(line: str) -> str:
    if len(line) <= LINE_CHARACTERS:
        return line
    return line[:LINE_CHARACTERS] + _CUT
