"""Unpacking and bounding of a provider's response, so that no provider can fill the memory of the model host."""

import zlib
from collections.abc import AsyncIterator

import httpx

from placet.core.inflating import ACCEPT_ENCODING, Unpack, unpacker

ERROR_BYTES = 1_000_000
"""Limit of the body of an error; the rest is left out, as the beginning tells the mistake."""
STREAM_BYTES = 256_000_000
"""Limit of an event stream; the longest answers of today's models have a tenth."""
BODY_BYTES = 64_000_000
"""Limit of any other body."""


class UnfitResponse(httpx.RequestError):
    """Raised when the response is larger than any answer, damaged, or packed in a way which was not offered."""


class RedirectedAway(httpx.RequestError):
    """Raised when the provider redirects the request to another host, which may not get the conversation."""


def offer_encodings(request: httpx.Request) -> None:
    """Offer only the encodings which can be unpacked piece by piece."""
    request.headers["accept-encoding"] = ACCEPT_ENCODING


def bounded(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    """Return the response with a body which unpacks itself and ends at its bound. Raises UnfitResponse."""
    encoding = response.headers.get("content-encoding", "")
    unpack = unpacker(encoding)
    if unpack is None:
        raise UnfitResponse(f"the server packed its answer with {encoding}, which was not offered to it")
    headers = [(name, value) for name, value in response.headers.raw if name.lower() not in _OF_PACKED_BODIES]
    stream = _Bounded(response, unpack)
    return httpx.Response(
        response.status_code, headers=headers, stream=stream, request=request, extensions=response.extensions
    )


def refuse_redirect_away(request: httpx.Request, response: httpx.Response) -> None:
    """Raise RedirectedAway if following the redirect would send the request to another host."""
    location = response.headers.get("location")
    if not 300 <= response.status_code < 400 or not location:
        return
    target = request.url.join(location)
    is_same_host = target.host == request.url.host
    is_upgrade = (request.url.scheme, target.scheme) == ("http", "https")
    same_server = (target.scheme, target.port) == (request.url.scheme, request.url.port)
    if not is_same_host or not (same_server or is_upgrade):
        shown = f"{target.scheme}://{target.netloc.decode('ascii', 'replace')}"
        raise RedirectedAway(f"it redirects to another server, {shown}, which was not sent the conversation")


_OF_PACKED_BODIES = (b"content-encoding", b"content-length", b"transfer-encoding")


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, response: httpx.Response, unpack: Unpack) -> None:
        self._inner = response.stream
        self._unpack = unpack
        self._is_error = response.status_code >= 400
        is_stream = "event-stream" in response.headers.get("content-type", "")
        self._left = ERROR_BYTES if self._is_error else STREAM_BYTES if is_stream else BODY_BYTES

    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert isinstance(self._inner, httpx.AsyncByteStream)
        try:
            async for chunk in self._inner:
                for piece in self._unpack(chunk):
                    self._left -= len(piece)
                    if self._left >= 0:
                        yield piece
                    elif self._is_error:
                        return
                    else:
                        raise UnfitResponse("its answer is larger than any that can be read")
        except zlib.error as error:
            raise UnfitResponse(f"its answer is damaged: it cannot be unpacked ({error})") from error

    async def aclose(self) -> None:
        assert isinstance(self._inner, httpx.AsyncByteStream)
        await self._inner.aclose()
