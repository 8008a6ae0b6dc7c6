"""HTTP client of all calls: connections kept by way, the requests as bytes, and redirects."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from placet import __version__
from placet.core.inflating import ACCEPT_ENCODING
from placet.model.host.http_client.addresses import Address, parse_address, redirect_target
from placet.model.host.http_client.connection import Connection, HttpResponse
from placet.model.host.http_client.connector import Connector, Way
from placet.model.host.http_client.failures import HttpFailure, UnfitResponse
from placet.model.host.http_client.heads import head
from placet.model.host.http_client.proxies import Proxy

_IDLE_SECONDS = 120.0
"""Seconds for which a connection without a request is kept."""
_MOST_REDIRECTS = 10
_OURS = {"accept-encoding", "connection", "content-length", "transfer-encoding"}
_OF_BODIES = {"content-type", "content-encoding"}
_ONE_WRITE_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """Request to a URL."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    body: bytes = field(default=b"", repr=False)


class HttpClient:
    """Client of all calls, which share the connections. Belongs to one event loop, and lives as long as the host."""

    def __init__(self, environment: Mapping[str, str], *, keeps_connections: bool = True) -> None:
        self._keeps_connections = keeps_connections
        self._connector = Connector(environment)
        # Gateways turn requests without a user agent away. The variable is litellm's.
        self._user_agent = environment.get("LITELLM_USER_AGENT") or f"Placet/{__version__}"
        self._idle: dict[Way, list[tuple[Connection, asyncio.TimerHandle]]] = {}

    async def post(
        self, url: str, *, headers: Mapping[str, str], body: bytes, connect_seconds: float | None
    ) -> HttpResponse:
        """Send a POST request and follow redirects on the same host. Raises HttpFailure."""
        request = HttpRequest("POST", url, headers, body)
        for _ in range(_MOST_REDIRECTS + 1):
            response = await self.send(request, connect_seconds)
            try:
                target = redirect_target(request.url, response.status, response.headers.get("location"))
            except HttpFailure:
                await response.close()
                raise
            if target is None:
                return response
            await response.close()
            request = _redirected(request, target, response.status)
        raise UnfitResponse("it redirects again and again")

    async def warm(self) -> None:
        """Load ahead of the first request what requests need."""
        await self._connector.warm()

    async def send(self, request: HttpRequest, connect_seconds: float | None) -> HttpResponse:
        """Send one request, and return the response after its head. Raises HttpFailure."""
        address = parse_address(request.url)
        way = self._connector.way_to(address.server)
        message = _message(request, address, way.proxy, self._user_agent)
        connection = self._take_idle(way)
        if connection is None:
            connection = await self._connector.connect(way, connect_seconds, lambda freed: self._keep(way, freed))
        return await connection.send(message)

    def _take_idle(self, way: Way) -> Connection | None:
        connections = self._idle.get(way)
        while connections:
            connection, timer = connections.pop()
            timer.cancel()
            if connection.is_usable:
                return connection
        return None

    def _keep(self, way: Way, connection: Connection) -> None:
        if not self._keeps_connections:
            connection.abort()
            return
        connections = self._idle.setdefault(way, [])
        timer = asyncio.get_running_loop().call_later(_IDLE_SECONDS, connection.abort)
        # A connection which the server or the timer has closed needs no place.
        connections[:] = [kept for kept in connections if kept[0].is_usable]
        connections.append((connection, timer))


def _redirected(request: HttpRequest, url: str, status: int) -> HttpRequest:
    """Return the request for the target of a redirect: only 307 and 308 keep the method and the body."""
    if status in {307, 308}:
        return HttpRequest(request.method, url, request.headers, request.body)
    headers = {name: value for name, value in request.headers.items() if name.lower() not in _OF_BODIES}
    return HttpRequest("GET", url, headers)


def _message(request: HttpRequest, address: Address, proxy: Proxy | None, user_agent: str) -> list[bytes]:
    """Return the request as written to the connection. Raises UnfitRequest."""
    target = address.target
    headers = {"host": address.server.authority, "user-agent": user_agent, "accept": "*/*"}
    headers |= {name.lower(): value for name, value in request.headers.items() if name.lower() not in _OURS}
    if address.authorization is not None:
        headers["authorization"] = address.authorization
    if proxy is not None and address.server.scheme == "http":
        target = f"{address.server}{target}"
        if proxy.authorization is not None:
            headers["proxy-authorization"] = proxy.authorization
    headers["accept-encoding"] = ACCEPT_ENCODING
    if request.body or request.method == "POST":
        headers["content-length"] = str(len(request.body))
    start = head(f"{request.method} {target} HTTP/1.1", headers)
    return [start + request.body] if len(request.body) < _ONE_WRITE_BYTES else [start, request.body]
