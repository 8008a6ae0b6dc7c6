"""Matches of a search as rg streams the matches: every match counted, the matches of the newest files kept.

A file that may not be read is neither counted nor named, as a count alone would tell the content of the file.
"""

import heapq
import io
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LIMIT = 100
_BEFORE_BYTES = 200
_PIECE_BYTES = 800
"""Size of the piece around a match in a long line, as rg shows only the beginning of a long line."""
_CHUNK_BYTES = 1 << 20
_MARKS = (b" [... omitted end of long line]", b" more match]", b" more matches]")
"""Ends of a row whose line rg has cut."""
_OF_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class FileHits:
    path: str
    changed: int
    """When the file was last changed, in nanoseconds."""
    rows: list[bytes] = field(default_factory=list[bytes])
    """`line:column:text`, at most LIMIT."""
    text: str | None = None
    """Text on screen that was searched in place of the file, if any."""

    def __lt__(self, other: "FileHits") -> bool:
        return (self.changed, other.path) < (other.changed, self.path)

    def lines(self) -> list[tuple[int, str]]:
        """Return line numbers from 1 and the lines, of a long line the piece around the match. Blocks."""
        parts = [row.split(b":", 2) for row in self.rows]
        places = [(int(line), int(column)) for line, column, text in parts if _is_cut(text)]
        try:
            pieces = (
                iter(_pieces_of(Path(self.path) if self.text is None else self.text, places)) if places else iter(())
            )
        except OSError:
            pieces = iter(())  # The file has gone meanwhile: rg's own row is all there is.
        return [
            (int(line), (next(pieces, "") if _is_cut(text) else "") or text.decode("utf-8", "replace").rstrip("\r"))
            for line, _, text in parts
        ]


@dataclass(slots=True)
class Hits:
    """The matches of the newest files, as many files as LIMIT matches need, and the count of all."""

    directory: str
    may_read: Callable[[str], bool]
    """Judge of a name in the directory."""
    elsewhere: frozenset[str] = frozenset()
    """Names of open documents with other texts, which are searched by other means; rg's rows of these names are
    dropped.
    """
    count: int = 0
    files: list[FileHits] = field(default_factory=list[FileHits])
    """A heap, the oldest first."""
    row_count: int = 0
    """Number of matches in the heap."""
    _current: FileHits | None = None
    _is_counted: bool = False
    _start: str = field(init=False)
    """Directory with a separator at the end."""

    def __post_init__(self) -> None:
        self.enter(self.directory, self.may_read, self.elsewhere)

    def enter(self, directory: str, may_read: Callable[[str], bool], elsewhere: frozenset[str]) -> None:
        """Take all later rows as matches in the directory."""
        self.directory, self.may_read, self.elsewhere = directory, may_read, elsewhere
        self._current, self._is_counted = None, False
        self._start = os.path.join(directory, "")  # noqa: PTH118

    def feed(self, lines: bytes) -> None:
        r"""Take whole lines of `rg --heading --null`: per file `./name NUL`, rows of FileHits, and an empty line.

        A file's rows may go on in the next call. Blocks: looks at each file's time of change.
        """
        for group in lines.split(b"\n\n"):
            rows = group.strip(b"\n")
            if rows.startswith(b"./"):
                name, nul, rows = rows.removeprefix(b"./").partition(b"\0")
                if not nul:
                    continue  # A note of rg about a binary file.
                self._open(os.fsdecode(name))
            self._take(rows)

    def add(self, name: str, changed: int, rows: bytes, text: str) -> None:
        """Add the rows of a single file that was searched by the text."""
        self._current, self._is_counted = None, False
        if (rows := rows.strip(b"\n")) and self.may_read(name):
            self._begin(name, changed, text)
            self._take(rows)

    def newest(self) -> list[FileHits]:
        """The files in order, cut to LIMIT matches in all."""
        shown: list[FileHits] = []
        room = LIMIT
        for hits in sorted(self.files, reverse=True):
            if room <= 0:
                break
            shown.append(FileHits(hits.path, hits.changed, hits.rows[:room], hits.text))
            room -= len(hits.rows)
        return shown

    def _open(self, name: str) -> None:
        """Take all later rows as rows of this file."""
        self._current, self._is_counted = None, False
        if name in self.elsewhere or not self.may_read(name):
            return
        try:
            changed = os.stat(self._start + name).st_mtime_ns  # noqa: PTH116 (a Path takes 5 times as long)
        except OSError:
            changed = 0
        self._begin(name, changed)

    def _begin(self, name: str, changed: int, text: str | None = None) -> None:
        self._is_counted, self._current = True, None
        while self.files and self.row_count - len(self.files[0].rows) >= LIMIT:
            self.row_count -= len(heapq.heappop(self.files).rows)
        if self.row_count >= LIMIT and changed < self.files[0].changed:
            return  # Newer files hold enough matches.
        self._current = FileHits(self._start + name, changed, text=text)
        heapq.heappush(self.files, self._current)

    def _take(self, rows: bytes) -> None:
        last = rows.rfind(b"\n") + 1
        if not rows[last : last + 1].isdigit():
            rows = rows[: max(last - 1, 0)]  # The same note, about a file with matches before the first NUL.
        if not rows or not self._is_counted:
            return
        self.count += rows.count(b"\n") + 1
        if self._current is not None and (room := LIMIT - len(self._current.rows)) > 0:
            taken = rows.split(b"\n", room)[:room]
            self._current.rows += taken
            self.row_count += len(taken)


def _is_cut(row: bytes) -> bool:
    return row.rstrip(b"\r").endswith(_MARKS)


def _pieces_of(source: Path | str, places: Sequence[tuple[int, int]]) -> list[str]:
    """Return the piece around each place, with `…` for what is left out; of a file on disk, or of a text. Blocks.

    A piece that cannot be had is empty. A place is a number of a line and a column in bytes, both from 1; the lines
    ascend. Raises OSError.
    """
    with source.open("rb") if isinstance(source, Path) else io.BytesIO(source.encode("utf-8", "replace")) as file:
        if file.read(2) in _OF_OTHER_ENCODINGS:
            return [""] * len(places)  # rg counts the columns of its own translation.
        file.seek(0)
        starts = _line_starts(file, {line for line, _ in places})
        return [_piece(file, starts[line], column) if line in starts else "" for line, column in places]


def _line_starts(file: io.BufferedIOBase, lines: Iterable[int]) -> dict[int, int]:
    """Return the place of the first byte of each line, as far as the file has the lines."""
    wanted = sorted(lines)
    starts: dict[int, int] = {1: 0}
    number, offset = 1, 0
    while number < wanted[-1] and (chunk := file.read(_CHUNK_BYTES)):
        at = chunk.find(b"\n")
        while at >= 0:
            number += 1
            starts[number] = offset + at + 1
            at = chunk.find(b"\n", at + 1)
        offset += len(chunk)
    return {line: starts[line] for line in wanted if line in starts}


def _piece(file: io.BufferedIOBase, start: int, column: int) -> str:
    before = min(column - 1, _BEFORE_BYTES)
    file.seek(start + column - 1 - before)
    piece, newline, _ = file.read(_PIECE_BYTES).partition(b"\n")
    text = piece.decode("utf-8", "ignore").rstrip("\r")
    return f"{'…' if before < column - 1 else ''}{text}{'' if newline else '…'} (column {column} of a long line)"
