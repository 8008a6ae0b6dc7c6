"""Lines of a file of any size, with only a chunk and the requested lines in memory."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from placet.core.errors import DocumentError
from placet.core.regular_files import open_without_waiting

CHUNK_BYTES = 256 * 1024
LONGEST_LINE_BYTES = 64 * 1024 * 1024
"""Limit in bytes: the end of a longer line is not looked for, and no line behind the longer line is read."""

_LINE_END = re.compile(rb"\n")


@dataclass(frozen=True, slots=True)
class Piece:
    lines: tuple[bytes, ...]
    """Lines without their ends."""
    skipped: int
    """Number of lines before the piece: fewer than requested if the file is shorter."""
    is_last: bool
    """The file ends with this piece."""
    endless: bool = False
    """The last line goes on for more than LONGEST_LINE_BYTES."""


def read_piece(
    path: Path, *, first: int, limit: int, line_bytes: int, most_bytes: int, is_stopped: Callable[[], bool]
) -> Piece:
    r"""Return up to `limit` lines from `first` (1-based) on, each cut to `line_bytes`, together just above
    `most_bytes`.

    `\r\n`, `\n` and `\r` end a line. Text before `first` is read and counted, chunk by chunk; text behind the piece is
    not read. Blocks; `is_stopped` ends the call early. Raises DocumentError.
    """
    try:
        with open(path, "rb", opener=open_without_waiting) as file:
            chunks = _chunks(lambda: b"" if is_stopped() else file.read(CHUNK_BYTES))
            skipped, rest = _skip(chunks, first - 1)
            if skipped < first - 1:
                return Piece((), skipped, is_last=True)
            return _collect(rest, chunks, skipped, limit, line_bytes, most_bytes)
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror or error}.") from error


def _chunks(read: Callable[[], bytes]) -> Iterator[bytes]:
    """Yield the chunks of `read`, with LF line ends."""
    held = b""
    while chunk := read():
        chunk = held + chunk
        # Only the next chunk tells whether a CR at the end stands alone.
        held = b"\r" if chunk.endswith(b"\r") else b""
        chunk = chunk[: len(chunk) - len(held)]
        yield chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in chunk else chunk
    if held:
        yield b"\n"


def _skip(chunks: Iterator[bytes], count: int) -> tuple[int, bytes]:
    """Skip `count` lines; return the number of skipped lines, and the rest of the last chunk."""
    skipped, open_end = 0, False
    if count == 0:
        return 0, b""
    for chunk in chunks:
        here = chunk.count(b"\n")
        if skipped + here >= count:
            last = count - skipped
            end = next(match.end() for number, match in enumerate(_LINE_END.finditer(chunk), 1) if number == last)
            return count, chunk[end:]
        skipped += here
        open_end = not chunk.endswith(b"\n") if chunk else open_end
    return skipped + open_end, b""


def _collect(rest: bytes, chunks: Iterator[bytes], skipped: int, limit: int, line_bytes: int, most_bytes: int) -> Piece:
    lines: list[bytes] = []
    size = 0
    current, length = b"", 0
    chunk = rest
    while True:
        at = 0
        while at < len(chunk):
            if len(lines) == limit or size > most_bytes:
                return Piece(tuple(lines), skipped, is_last=False)
            end = chunk.find(b"\n", at)
            stop = end if end >= 0 else len(chunk)
            current += chunk[at : min(stop, at + line_bytes - len(current))]
            length += stop - at
            if end < 0:
                break
            lines.append(current)
            size += len(current) + 1
            current, length, at = b"", 0, end + 1
        if length > LONGEST_LINE_BYTES:
            return Piece((*lines, current), skipped, is_last=False, endless=True)
        following = next(chunks, None)
        if following is None:
            return Piece((*lines, current) if length else tuple(lines), skipped, is_last=True)
        chunk = following
