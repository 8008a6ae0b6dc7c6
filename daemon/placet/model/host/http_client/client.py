"""HTTP client of all calls: connections by way and server, proxies, certificates, and redirects."""

import asyncio
import codecs
import contextlib
import os
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field

from placet.core.inflating import ACCEPT_ENCODING
from placet.model.host.http_client.addresses import Address, Server, parse_address, redirect_target
from placet.model.host.http_client.certificates import tls_context
from placet.model.host.http_client.connection import Connection, HttpResponse
from placet.model.host.http_client.failures import (
    HttpFailure,
    NotTrusted,
    StoppedByProxy,
    UnfitRequest,
    UnfitResponse,
    Unreachable,
)
from placet.model.host.http_client.proxies import Proxies, Proxy

_IDLE_SECONDS = 120.0
"""Seconds for which a connection without a request is kept."""
_MOST_REDIRECTS = 10
_SECOND_ADDRESS_SECONDS = 0.25
"""Seconds until the second address of a name is tried beside the first (RFC 8305)."""
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
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


@dataclass(frozen=True, slots=True)
class _Way:
    """Way to a server; requests on one way share connections."""

    server: Server
    proxy: Proxy | None


class HttpClient:
    """Client of all calls, which share the connections. Belongs to one event loop, and lives as long as the host."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._proxies = Proxies(environment)
        self._tls: asyncio.Future[ssl.SSLContext] | None = None
        self._idle: dict[_Way, list[tuple[Connection, asyncio.TimerHandle]]] = {}

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
        """Load the authorities, which takes 20 ms, ahead of the first connection with TLS."""
        with contextlib.suppress(OSError):  # A connection will report the error.
            await self._tls_context()

    async def send(self, request: HttpRequest, connect_seconds: float | None) -> HttpResponse:
        """Send one request, and return the response after its head. Raises HttpFailure."""
        address = parse_address(request.url)
        way = _Way(address.server, self._proxies.proxy_of(address.server))
        message = _message(request, address, way.proxy)
        connection = self._take_idle(way) or await self._connect(way, connect_seconds)
        return await connection.send(message)

    def _take_idle(self, way: _Way) -> Connection | None:
        connections = self._idle.get(way)
        while connections:
            connection, timer = connections.pop()
            timer.cancel()
            if connection.is_usable:
                return connection
        return None

    def _keep(self, way: _Way, connection: Connection) -> None:
        connections = self._idle.setdefault(way, [])
        timer = asyncio.get_running_loop().call_later(_IDLE_SECONDS, connection.abort)
        # A connection which the server or the timer has closed needs no place.
        connections[:] = [kept for kept in connections if kept[0].is_usable]
        connections.append((connection, timer))

    async def _connect(self, way: _Way, seconds: float | None) -> Connection:
        try:
            async with asyncio.timeout(seconds):
                return await self._connected(way)
        except OSError as error:
            failure = _connect_failure(error, way, seconds)
        raise failure

    async def _connected(self, way: _Way) -> Connection:
        first = way.proxy.server if way.proxy is not None else way.server

        def connection() -> Connection:
            return Connection(lambda connection: self._keep(way, connection))

        loop = asyncio.get_running_loop()
        tls = await self._tls_context() if first.scheme == "https" else None
        _, made = await loop.create_connection(
            connection, first.host, first.port, ssl=tls, happy_eyeballs_delay=_SECOND_ADDRESS_SECONDS
        )
        if way.proxy is None or way.server.scheme == "http":
            return made
        try:
            await _open_tunnel(made, way.server, way.proxy)
            secured = connection()
            tls = await self._tls_context()
            transport = await loop.start_tls(made.transport, secured, tls, server_hostname=way.server.host)
        except BaseException:
            made.transport.abort()
            raise
        assert transport is not None
        secured.connection_made(transport)
        return secured

    async def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = asyncio.ensure_future(asyncio.to_thread(_load_tls, self._environment))
        return await asyncio.shield(self._tls)


def _load_tls(environment: Mapping[str, str]) -> ssl.SSLContext:
    codecs.lookup("idna")  # Python encodes the names of hosts by this codec, which takes 2 ms to load.
    return tls_context(environment)


def _redirected(request: HttpRequest, url: str, status: int) -> HttpRequest:
    """Return the request for the target of a redirect: only 307 and 308 keep the method and the body."""
    if status in {307, 308}:
        return HttpRequest(request.method, url, request.headers, request.body)
    headers = {name: value for name, value in request.headers.items() if name.lower() not in _OF_BODIES}
    return HttpRequest("GET", url, headers)


def _message(request: HttpRequest, address: Address, proxy: Proxy | None) -> list[bytes]:
    """Return the request as written to the connection. Raises UnfitRequest."""
    target = address.target
    headers = {"host": address.server.authority} | {
        name.lower(): value for name, value in request.headers.items() if name.lower() not in _OURS
    }
    if address.authorization is not None:
        headers["authorization"] = address.authorization
    if proxy is not None and address.server.scheme == "http":
        target = f"{address.server}{target}"
        if proxy.authorization is not None:
            headers["proxy-authorization"] = proxy.authorization
    headers["accept-encoding"] = ACCEPT_ENCODING
    if request.body or request.method == "POST":
        headers["content-length"] = str(len(request.body))
    head = _head(f"{request.method} {target} HTTP/1.1", headers)
    return [head + request.body] if len(request.body) < _ONE_WRITE_BYTES else [head, request.body]


def _head(line: str, headers: Mapping[str, str]) -> bytes:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            # The value may be a key, which no text shows.
            raise UnfitRequest(f"the header `{name}` holds a character which no header can hold")
    return "\r\n".join([line, *(f"{name}: {value}" for name, value in headers.items()), "\r\n"]).encode()


async def _open_tunnel(connection: Connection, server: Server, proxy: Proxy) -> None:
    """Ask the proxy for a tunnel to the server. Raises StoppedByProxy."""
    host = f"[{server.host}]" if ":" in server.host else server.host
    headers = {"host": f"{host}:{server.port}"}
    if proxy.authorization is not None:
        headers["proxy-authorization"] = proxy.authorization
    try:
        response = await connection.send([_head(f"CONNECT {host}:{server.port} HTTP/1.1", headers)])
    except HttpFailure as error:
        raise StoppedByProxy(f"{proxy.server}: {error}") from None
    if not 200 <= response.status < 300:
        raise StoppedByProxy(f"{response.status} {response.reason}")


def _connect_failure(error: OSError, way: _Way, seconds: float | None) -> HttpFailure:
    """Return the failure in words for the user."""
    match error:
        case ssl.SSLCertVerificationError():
            return NotTrusted(f"certificate verify failed: {error.verify_message}")
        case ssl.SSLError():
            words = (
                f"the TLS handshake failed: {(getattr(error, 'reason', None) or str(error)).replace('_', ' ').lower()}"
            )
        case TimeoutError() if error.errno is None:
            words = f"no connection within {seconds:g} seconds"
        case socket.gaierror():
            words = error.strerror or "the name is not known"
        case OSError(errno=int(number)):
            words = os.strerror(number)
        case _:
            words = str(error)
    return Unreachable(words) if way.proxy is None else StoppedByProxy(f"{way.proxy.server}: {words}")
