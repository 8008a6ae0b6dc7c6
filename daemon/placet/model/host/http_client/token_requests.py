"""Requests of sign-ins by the HTTP client of the model host: an implementation of placet.auth.subscriptions.requests.

A redirect is not followed, because the request holds a token.
"""

import asyncio
from collections.abc import Mapping

from placet.auth.subscriptions.requests import NotReached, Reply
from placet.model.host.http_client.client import HttpClient, HttpRequest
from placet.model.host.http_client.failures import HttpFailure

_SECONDS = 20.0
"""Seconds for one request, with the whole response."""
_MOST_BYTES = 1 << 20


class TokenRequests:
    """Sender of requests: placet.auth.subscriptions.requests.Send. Belongs to one event loop."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._client = HttpClient(environment)

    async def __call__(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._reply(HttpRequest(method, url, headers, body))
        except HttpFailure as failure:
            raise NotReached(f"{failure}.") from None
        except TimeoutError:
            raise NotReached(f"no answer within {_SECONDS:g} seconds.") from None

    async def _reply(self, request: HttpRequest) -> Reply:
        response = await self._client.send(request, connect_seconds=None)
        body = b""
        try:
            async for chunk in response.chunks():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise NotReached("the answer is too large.")
        finally:
            await response.close()
        return Reply(response.status, body)
