"""Decode a stream of bytes into lines, each a message; the module does no I/O."""

from __future__ import annotations

from placet.core.framing import BODY_LIMIT_BYTES, Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class LineDecoder:
    """Decoder of one connection. Byte 0x0A alone ends a line; blank lines are left out."""

    def __init__(self, limit_bytes: int = BODY_LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._pieces: list[bytes] = []
        """Pieces of the line that has not ended; none while the line is too long."""
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes | Malformed]:
        """Yield the lines that `data` completes; the caller must consume all lines before the next call."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._take(end)
            pieces, size, self._pieces, self._size = self._pieces, self._size, [], 0
            if size > self._limit_bytes:
                yield Malformed(f"The line has {size} bytes, more than {self._limit_bytes}.")
            elif line := b"".join(pieces).strip():
                yield line
        self._take(rest)

    def _take(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit_bytes:
            self._pieces = []
        else:
            self._pieces.append(piece)
