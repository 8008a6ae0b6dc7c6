"""Body of a server's HTTP answer in which half a character, written as an escape, becomes U+FFFD.

The SDK refuses a whole message for half a character, and its transports for HTTP offer no place to read the message.
"""

import re
from collections.abc import AsyncIterator

import httpx2

MOST_HELD = 16 * 1024 * 1024
"""Size in bytes of the longest line that is held until its end; a longer line goes on as it comes."""
_ESCAPES = re.compile(
    rb"""(?P<whole>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."""
)


async def mend(response: httpx2.Response) -> None:
    """Mend the body of an answer; a compressed body is left as it is. A hook of the HTTP client."""
    if "content-encoding" not in response.headers and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _MendedStream(response.stream)


def mended(line: bytes) -> bytes:
    """Return the JSON, or a part of JSON that cuts no escape, with whole characters."""
    if b"\\u" not in line:
        return line
    return _ESCAPES.sub(lambda escape: rb"\ufffd" if escape["half"] else escape[0], line)


class _MendedStream(httpx2.AsyncByteStream):
    """Stream of whole lines: JSON has line ends between its tokens only, and events of SSE end with a line."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        held = bytearray()
        async for chunk in self._stream:
            end = chunk.rfind(b"\n") + 1
            if end or len(held) > MOST_HELD:
                held += chunk[:end]
                yield mended(bytes(held))
                held.clear()
            held += chunk[end:]
        if held:
            yield mended(bytes(held))

    async def aclose(self) -> None:
        await self._stream.aclose()
