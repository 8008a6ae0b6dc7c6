"""Requests of the host's HTTP client, and what comes of them."""

from collections.abc import Mapping

import pytest

from placet.model.host.http_client.client import HttpClient
from placet.model.host.http_client.connection import HttpResponse
from placet.model.host.http_client.failures import (
    HttpFailure,
)


async def post(
    url: str, client: HttpClient | None = None, body: bytes = b"{}", headers: Mapping[str, str] | None = None
) -> HttpResponse:
    return await (client or HttpClient({})).post(url, headers=headers or {}, body=body, connect_seconds=5)


async def failure(url: str, client: HttpClient | None = None) -> HttpFailure:
    with pytest.raises(HttpFailure) as caught:
        await (await post(url, client)).read()
    return caught.value
