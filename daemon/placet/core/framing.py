"""Frame messages of LSP's base protocol: header lines, a blank line, a body.

The module does no I/O: bytes go in, however cut up, and bodies come out. After malformed input the decoder finds the
next `Content-Length` header and goes on from there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

HEADER_LIMIT_BYTES = 64 * 1024
BODY_LIMIT_BYTES = 1 << 30

# Names are matched without regard to case, and any bytes may stand before the name: the rest of a body longer than its
# header said has no line end before the next header.
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,19})[ \t]*$", re.IGNORECASE)
_CHARSET = re.compile(rb"content-type[ \t]*:.*charset[ \t]*=[ \t]*\"?([\w-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Malformed:
    """Malformed input; the text says why the input is no message."""

    reason: str


def frame(body: bytes) -> bytes:
    """Return the body behind a header line with the length."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@dataclass(slots=True)
class _Header:
    length: int | None = None
    charset: str = "utf-8"
    has_lines: bool = False
    complete: bool = False

    def read(self, line: bytes) -> None:
        self.has_lines = True
        if match := _LENGTH.search(line):
            length = int(match[1])
            self.length = length if length <= BODY_LIMIT_BYTES else None
        elif match := _CHARSET.search(line):
            self.charset = match[1].decode("ascii", "replace").lower()


class FrameDecoder:
    """Decoder of a stream of bytes into bodies."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._header = _Header()

    def feed(self, data: bytes) -> Iterator[bytes | Malformed]:
        """Yield the bodies that `data` completes; the caller must consume all bodies before the next call."""
        self._buffer += data
        while True:
            header = self._header
            if header.complete:
                body = self._take(header.length or 0)
                if body is None:
                    return
                self._header = _Header()
                is_utf8 = header.charset in ("utf-8", "utf8")
                yield body if is_utf8 else Malformed(f"the charset {header.charset} is not served, only utf-8")
            elif (line := self._take_line()) is None:
                return
            elif line:
                header.read(line)
            elif header.length is not None:
                header.complete = True
            elif header.has_lines:
                self._header = _Header()
                yield Malformed(f"the header has no Content-Length of at most {BODY_LIMIT_BYTES}")

    def _take(self, length: int) -> bytes | None:
        if len(self._buffer) < length:
            return None
        taken = bytes(memoryview(self._buffer)[:length])
        del self._buffer[:length]
        return taken

    def _take_line(self) -> bytes | None:
        """Return a header line without its end, or None if the line is incomplete."""
        end = self._buffer.find(b"\n")
        if end >= 0:
            return (self._take(end + 1) or b"").rstrip(b"\r\n")
        if len(self._buffer) > HEADER_LIMIT_BYTES:
            # No header is so long. The end of the buffer may be the beginning of a header.
            del self._buffer[:-64]
            self._header.has_lines = True
        return None
