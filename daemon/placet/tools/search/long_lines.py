"""Matches in long lines: the piece of the line around the match, as rg shows the beginning of a long line alone."""

import io
from collections.abc import Iterable, Sequence
from pathlib import Path

BEFORE_BYTES = 200
PIECE_BYTES = 800
_CHUNK_BYTES = 1 << 20
_MARKS = (b" [... omitted end of long line]", b" more match]", b" more matches]")
"""Ends of a row whose line rg has cut."""
_OF_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")


def is_cut(row: bytes) -> bool:
    return row.rstrip(b"\r").endswith(_MARKS)


def pieces_of(source: Path | str, places: Sequence[tuple[int, int]]) -> list[str]:
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
    before = min(column - 1, BEFORE_BYTES)
    file.seek(start + column - 1 - before)
    piece, newline, _ = file.read(PIECE_BYTES).partition(b"\n")
    text = piece.decode("utf-8", "ignore").rstrip("\r")
    return f"{'…' if before < column - 1 else ''}{text}{'' if newline else '…'} (column {column} of a long line)"
