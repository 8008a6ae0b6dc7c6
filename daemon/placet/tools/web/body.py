"""A response's body, read and unpacked up to a limit: neither a long answer nor a bomb gets past it."""

import zlib
from collections.abc import AsyncIterator, Callable, Mapping

from placet.errors import ToolError

ACCEPT_ENCODING = "gzip, deflate"
"""Others are not offered, as only zlib can be told to stop."""


async def read_body(
    chunks: AsyncIterator[bytes], headers: Mapping[str, str], *, limit_bytes: int, note: Callable[[int], None]
) -> bytes:
    """The unpacked body; `note` hears how many bytes there are so far.

    Raises ToolError when it is larger than the limit, packed in a way that was not offered, or damaged.
    """
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit_bytes:
        raise _too_large(limit_bytes)
    unpack = _unpacker(headers.get("content-encoding", "").strip().lower(), limit_bytes)
    body = bytearray()
    try:
        async for chunk in chunks:
            body += unpack(chunk, limit_bytes - len(body))
            if len(body) > limit_bytes:
                raise _too_large(limit_bytes)
            note(len(body))
    except zlib.error as error:
        raise ToolError(f"The answer is damaged: it cannot be unpacked ({error}).") from error
    return bytes(body)


def _too_large(limit_bytes: int) -> ToolError:
    return ToolError(f"The answer is larger than the {limit_bytes // 1_000_000} MB that may be fetched.")


def _unpacker(encoding: str, limit_bytes: int) -> Callable[[bytes, int], bytes]:
    """A function of a packed chunk and the bytes there is room for; it gives at most one byte more than those."""
    match encoding:
        case "" | "identity":
            return lambda chunk, room: chunk[: room + 1]
        case "gzip" | "x-gzip" | "deflate":
            return _Inflater().unpack
        case _:
            raise ToolError(f"The server packed its answer with {encoding}, which was not offered to it.")


class _Inflater:
    """gzip of one or several members, zlib, or (as some servers understand "deflate") neither header nor end."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        self._has_begun = False

    def unpack(self, chunk: bytes, room: int) -> bytes:
        data = bytearray()
        while chunk and len(data) <= room:
            try:
                data += self._inflate.decompress(chunk, room + 1 - len(data))
            except zlib.error:
                if self._has_begun:
                    raise
                self._inflate = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
                data += self._inflate.decompress(chunk, room + 1 - len(data))
            self._has_begun = True
            chunk = self._inflate.unconsumed_tail
            if self._inflate.eof:
                chunk = self._inflate.unused_data.lstrip(b"\0")
                if not chunk.startswith(b"\x1f\x8b"):
                    break  # What follows the last member is padding.
                self._inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        return bytes(data)
