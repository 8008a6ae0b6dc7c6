"""Unpack a server's packed answer, a bounded piece at a time: a few bytes can become gigabytes."""

import zlib
from collections.abc import Callable, Iterator

ACCEPT_ENCODING = "gzip, deflate"
"""Encodings offered to a server; other encodings are not offered, as only zlib can be told to stop."""
PIECE_BYTES = 64 * 1024

Unpack = Callable[[bytes], Iterator[bytes]]
"""Function that yields the content of a packed chunk, in pieces of at most PIECE_BYTES. Raises zlib.error."""


def unpacker(encoding: str) -> Unpack | None:
    """Return the function for a `content-encoding`; None for an encoding that was not offered."""
    match encoding.strip().lower():
        case "" | "identity":
            return lambda chunk: iter((chunk,))
        case "gzip" | "x-gzip" | "deflate":
            return _Inflater().pieces
        case _:
            return None


class _Inflater:
    """Unpacker of gzip with one or several members, zlib, or bare deflate.

    Some servers understand "deflate" as data with neither header nor end.
    """

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        self._has_begun = False

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        while chunk:
            try:
                piece = self._inflate.decompress(chunk, PIECE_BYTES)
            except zlib.error:
                if self._has_begun:
                    raise
                self._inflate = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
                piece = self._inflate.decompress(chunk, PIECE_BYTES)
            self._has_begun = True
            if piece:
                yield piece
            chunk = self._inflate.unconsumed_tail
            if self._inflate.eof:
                chunk = self._inflate.unused_data.lstrip(b"\0")
                if not chunk.startswith(b"\x1f\x8b"):
                    return  # The bytes after the last member are padding.
                self._inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
