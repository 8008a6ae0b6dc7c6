"""HTTP client of the direct way."""

from collections.abc import AsyncIterator, Mapping

import pyreqwest.client  # noqa: F401 - the client is being written


class HttpResponse:
    """Response whose body has not been read: placet.model.host.reading.Body."""

    status: int
    headers: Mapping[str, str]

    def chunks(self) -> AsyncIterator[bytes]:
        raise NotImplementedError

    async def drain(self) -> None:
        raise NotImplementedError

    async def read(self) -> bytes:
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError


class HttpClient:
    """Client of all calls, which share the connections."""

    def __init__(self, environment: Mapping[str, str]) -> None: ...

    async def post(
        self, url: str, *, headers: Mapping[str, str], body: bytes, connect_seconds: float | None
    ) -> HttpResponse:
        raise NotImplementedError
