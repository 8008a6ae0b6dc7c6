"""Read and unpack the body of a response up to a limit: neither a long answer nor a bomb gets past the limit."""

import zlib
from collections.abc import AsyncIterator, Callable, Mapping

from placet.core.errors import ToolError
from placet.core.inflating import unpacker


async def read_body(
    chunks: AsyncIterator[bytes], headers: Mapping[str, str], *, limit_bytes: int, note: Callable[[int], None]
) -> bytes:
    """Return the unpacked body; `note` is told the number of bytes so far.

    Raises ToolError when the body is larger than the limit, packed in a way that was not offered, or damaged.
    """
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit_bytes:
        raise _too_large(limit_bytes)
    encoding = headers.get("content-encoding", "")
    unpack = unpacker(encoding)
    if unpack is None:
        raise ToolError(f"The server packed its answer with {encoding}, which was not offered to it.")
    body = bytearray()
    try:
        async for chunk in chunks:
            for piece in unpack(chunk):
                body += piece
                if len(body) > limit_bytes:
                    raise _too_large(limit_bytes)
            note(len(body))
    except zlib.error as error:
        raise ToolError(f"The answer is damaged: it cannot be unpacked ({error}).") from error
    return bytes(body)


def _too_large(limit_bytes: int) -> ToolError:
    return ToolError(f"The answer is larger than the {limit_bytes // 1_000_000} MB that may be fetched.")
