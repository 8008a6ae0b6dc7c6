"""Bounds for the responses under litellm's requests, by the rules of the host's own client."""

from collections.abc import AsyncIterator

import httpx

from placet.core.inflating import ACCEPT_ENCODING
from placet.model.host.http_client.addresses import redirect_target
from placet.model.host.http_client.bounded_body import BoundedBody


def offer_encodings(request: httpx.Request) -> None:
    """Offer only the encodings which can be unpacked piece by piece."""
    request.headers["accept-encoding"] = ACCEPT_ENCODING


def bounded(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    """Return the response with a body which unpacks itself and ends at its bound. Raises UnfitResponse."""
    body = BoundedBody(response.status_code, response.headers)
    headers = [(name, value) for name, value in response.headers.raw if name.lower() not in _OF_PACKED_BODIES]
    return httpx.Response(
        response.status_code,
        headers=headers,
        stream=_Bounded(response, body),
        request=request,
        extensions=response.extensions,
    )


def refuse_redirect_away(request: httpx.Request, response: httpx.Response) -> None:
    """Raise RedirectedAway if following the redirect would send the request to another host."""
    redirect_target(str(request.url), response.status_code, response.headers.get("location"))


_OF_PACKED_BODIES = (b"content-encoding", b"content-length", b"transfer-encoding")


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, response: httpx.Response, body: BoundedBody) -> None:
        self._inner = response.stream
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert isinstance(self._inner, httpx.AsyncByteStream)
        async for chunk in self._inner:
            for piece in self._body.unpack(chunk):
                yield piece
            if self._body.is_full:
                return

    async def aclose(self) -> None:
        assert isinstance(self._inner, httpx.AsyncByteStream)
        await self._inner.aclose()
