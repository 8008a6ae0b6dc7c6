"""Opening of connections: the choice of the proxy, the tunnel through the proxy, TLS, and the words of a failure."""

import asyncio
import codecs
import contextlib
import os
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from placet.model.host.http_client.addresses import Server
from placet.model.host.http_client.connection import Connection
from placet.model.host.http_client.failures import HttpFailure, NotTrusted, StoppedByProxy, Unreachable
from placet.model.host.http_client.heads import head
from placet.model.host.http_client.proxies import Proxies, Proxy

_SECOND_ADDRESS_SECONDS = 0.25
"""Seconds until the second address of a name is tried beside the first (RFC 8305)."""


@dataclass(frozen=True, slots=True)
class Way:
    """Way to a server; requests on one way can share connections."""

    server: Server
    proxy: Proxy | None


class Connector:
    """Opens the connections of one client by the settings of an environment. Lives as long as the client."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._proxies = Proxies(environment)
        self._tls: asyncio.Future[ssl.SSLContext] | None = None

    async def warm(self) -> None:
        """Load the authorities, which takes 20 ms, ahead of the first connection with TLS."""
        with contextlib.suppress(OSError):  # A connection will report the error.
            await self._tls_context()

    def way_to(self, server: Server) -> Way:
        """Return the way to the server. Raises StoppedByProxy for a proxy of another kind."""
        return Way(server, self._proxies.proxy_of(server))

    async def connect(self, way: Way, seconds: float | None, on_free: Callable[[Connection], None]) -> Connection:
        """Open a connection within the seconds; the connection calls `on_free` when a request has ended.

        Raises HttpFailure.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._connected(way, on_free)
        except OSError as error:
            failure = _failure(error, way, seconds)
        raise failure

    async def _connected(self, way: Way, on_free: Callable[[Connection], None]) -> Connection:
        if way.proxy is None:
            return await self._open(way.server, on_free)
        if way.server.scheme == "http":
            return await self._open(way.proxy.server, on_free)
        tunnel = await self._open(way.proxy.server, None)
        try:
            await _open_tunnel(tunnel, way.server, way.proxy)
            secured = Connection(on_free)
            loop, tls = asyncio.get_running_loop(), await self._tls_context()
            transport = await loop.start_tls(tunnel.transport, secured, tls, server_hostname=way.server.host)
        except BaseException:
            tunnel.transport.abort()
            raise
        assert transport is not None
        secured.connection_made(transport)
        return secured

    async def _open(self, server: Server, on_free: Callable[[Connection], None] | None) -> Connection:
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: Connection(on_free),
            server.host,
            server.port,
            ssl=await self._tls_context() if server.scheme == "https" else None,
            happy_eyeballs_delay=_SECOND_ADDRESS_SECONDS,
        )
        return connection

    async def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = asyncio.ensure_future(asyncio.to_thread(_load_tls, self._environment))
        return await asyncio.shield(self._tls)


def _load_tls(environment: Mapping[str, str]) -> ssl.SSLContext:
    """Return the settings of TLS by the variables which litellm reads: both ways to a model trust the same servers."""
    codecs.lookup("idna")  # Python encodes the names of hosts by this codec, which takes 2 ms to load.
    verify = environment.get("SSL_VERIFY", "")
    context = ssl.create_default_context(cafile=_authorities(verify, environment.get("SSL_CERT_FILE", "")))
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if ciphers := environment.get("SSL_SECURITY_LEVEL") or environment.get("LITELLM_SSL_CIPHERS"):
        context.set_ciphers(ciphers)
    if curve := environment.get("SSL_ECDH_CURVE"):
        with contextlib.suppress(ValueError):  # The usual curves count if OpenSSL does not know the curve.
            context.set_ecdh_curve(curve)
    if verify.strip().lower() == "false" and not Path(verify).exists():
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _authorities(*files: str) -> str:
    """Return the first file that exists, or else the authorities of Mozilla."""
    for file in files:
        if file and Path(file).exists():
            return file
    import certifi

    return certifi.where()


async def _open_tunnel(tunnel: Connection, server: Server, proxy: Proxy) -> None:
    """Ask the proxy for a tunnel to the server. Raises StoppedByProxy."""
    host = f"[{server.host}]" if ":" in server.host else server.host
    headers = {"host": f"{host}:{server.port}"}
    if proxy.authorization is not None:
        headers["proxy-authorization"] = proxy.authorization
    try:
        response = await tunnel.send([head(f"CONNECT {host}:{server.port} HTTP/1.1", headers)])
    except HttpFailure as error:
        raise StoppedByProxy(f"{proxy.server}: {error}") from None
    if not 200 <= response.status < 300:
        raise StoppedByProxy(f"{response.status} {response.reason}")


def _failure(error: OSError, way: Way, seconds: float | None) -> HttpFailure:
    """Return the failure in words for the user."""
    match error:
        case ssl.SSLCertVerificationError():
            return NotTrusted(f"certificate verify failed: {error.verify_message}")
        case ssl.SSLError():
            reason = getattr(error, "reason", None) or str(error)
            words = f"the TLS handshake failed: {reason.replace('_', ' ').lower()}"
        case TimeoutError() if error.errno is None:
            words = f"no connection within {seconds:g} seconds"
        case socket.gaierror():
            words = error.strerror or "the name is not known"
        case OSError(errno=int(number)):
            words = os.strerror(number)
        case _:
            words = str(error)
    return Unreachable(words) if way.proxy is None else StoppedByProxy(f"{way.proxy.server}: {words}")
