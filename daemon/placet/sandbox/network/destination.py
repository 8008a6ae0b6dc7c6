"""The way to a host outside of the sandbox: the host is judged, resolved once, and reached by a checked address."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Literal
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import psutil

from placet.core.executor import in_thread
from placet.core.network_addresses import Resolve, is_private, resolve_by_system
from placet.sandbox.domains import Host, host_of, is_listable, split_authority
from placet.sandbox.network.connections import CommandConnections, Refused

REACH_SECONDS = 10.0
"""Time for looking up the host, and for each address to accept the connection."""
HEAD_BYTES = 1 << 16
LOOPBACK = ("127.0.0.1", "::1")

Scheme = Literal["http", "https"]
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[str, int], Awaitable[Streams]]
"""Function that connects to (address, port). Raises OSError."""


class Unreachable(Exception):
    """The host cannot be found, or does not answer; the message says what happened, without the host."""


async def connect_by_system(address: str, port: int) -> Streams:
    return await asyncio.open_connection(address, port, limit=HEAD_BYTES)


def upstream_by_system(scheme: Scheme, host: str) -> str | None:
    """Return the URL of the user's own proxy for the host, by HTTP_PROXY, HTTPS_PROXY and NO_PROXY; or None."""
    proxies = getproxies()
    return None if proxy_bypass(host) else proxies.get(scheme) or proxies.get("all")


def own_addresses() -> frozenset[str]:
    """Return the addresses of this machine's interfaces, without zones."""
    interfaces = psutil.net_if_addrs().values()
    return frozenset(entry.address.partition("%")[0] for interface in interfaces for entry in interface)


@dataclass(frozen=True, slots=True)
class Outside:
    """Network of this machine as the proxy uses the network."""

    resolve: Resolve = resolve_by_system
    connect: Connect = connect_by_system
    upstream: Callable[[Scheme, str], str | None] = upstream_by_system
    own_addresses: Callable[[], frozenset[str]] = own_addresses


@dataclass(frozen=True, slots=True)
class Upstream:
    """HTTP proxy of the user, with the value of the Proxy-Authorization header if the URL has a login."""

    host: Host
    port: int
    authorization: bytes | None


@dataclass(frozen=True, slots=True)
class Way:
    """Open way to a host: a connection to the host, or to the user's proxy, which does not yet know the host."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    upstream: Upstream | None = None


async def open_way(scheme: Scheme, host: Host, port: int, connections: CommandConnections, outside: Outside) -> Way:
    """Return a way to the host if the host is allowed. Raises Refused and Unreachable."""
    if host.address is not None and not host.is_loopback:
        await _check_address(host.address, outside, is_listed=True)
    await connections.allow(host, port)
    if host.is_loopback:
        return Way(*await _connect_first(LOOPBACK, port, outside))
    upstream = _read_upstream(outside.upstream(scheme, host.name))
    addresses = await _checked_addresses(host, port, connections, outside, may_be_unknown=upstream is not None)
    if upstream is None:
        return Way(*await _connect_first(addresses, port, outside))
    try:
        return Way(*await _connect_first((upstream.host.name,), upstream.port, outside), upstream)
    except Unreachable as error:
        raise Unreachable(f"your proxy {upstream.host}:{upstream.port}: {error}") from None


async def open_tunnel(host: Host, port: int, connections: CommandConnections, outside: Outside) -> Streams:
    """Return a connection to the host, through the user's proxy where one is set. Raises Refused and Unreachable."""
    way = await open_way("https", host, port, connections, outside)
    if way.upstream is not None:
        try:
            async with asyncio.timeout(REACH_SECONDS):
                await _enter_upstream(way, f"{host}:{port}".encode("ascii"))
        except (OSError, EOFError, asyncio.LimitOverrunError, Unreachable) as error:
            way.writer.close()
            said = error if isinstance(error, Unreachable) else "the connection broke off"
            raise Unreachable(f"your proxy {way.upstream.host}:{way.upstream.port}: {said}") from None
        except BaseException:
            way.writer.close()
            raise
    return way.reader, way.writer


async def _enter_upstream(way: Way, authority: bytes) -> None:
    assert way.upstream is not None
    login = (
        b"" if way.upstream.authorization is None else b"Proxy-Authorization: " + way.upstream.authorization + b"\r\n"
    )
    way.writer.write(b"CONNECT " + authority + b" HTTP/1.1\r\nHost: " + authority + b"\r\n" + login + b"\r\n")
    await way.writer.drain()
    head = await way.reader.readuntil(b"\r\n\r\n")
    status = head[:64].split(b" ", 2)[1:2]
    if not status or len(status[0]) != 3 or not status[0].startswith(b"2"):
        line = head.split(b"\r", 1)[0][:60].decode("latin-1")
        raise Unreachable(f"the answer was {line!a}")


async def _checked_addresses(
    host: Host, port: int, connections: CommandConnections, outside: Outside, *, may_be_unknown: bool
) -> list[str]:
    """Return the addresses of the host that the sandbox may reach. Raises Refused and Unreachable.

    `may_be_unknown` is for a proxy of the user, which may alone know the host.
    """
    if host.address is not None:
        return [host.name]
    try:
        async with asyncio.timeout(REACH_SECONDS):
            addresses = await outside.resolve(host.name, port)
    except (OSError, UnicodeError) as error:  # A timeout is an OSError.
        if may_be_unknown:
            return []
        raise Unreachable(f"the host cannot be found: {error or 'no answer from the resolver'}") from None
    good: list[str] = []
    refused: Refused | None = None
    is_listed = connections.domains.names(host, port)
    for address in addresses:
        try:
            await _check_address(host_of(ip_address(address)).address, outside, is_listed=is_listed)
            good.append(address)
        except Refused as error:
            refused = error
    if refused is not None and not good:
        raise refused
    if not good and not may_be_unknown:
        raise Unreachable("the host has no address")
    return good


async def _check_address(address: IPv4Address | IPv6Address | None, outside: Outside, *, is_listed: bool) -> None:
    """Return if the sandbox may connect to the address. Raises Refused."""
    assert address is not None
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise Refused(f"{address} belongs to the network of this machine")
    if is_private(str(address)) and not is_listable(address):
        raise Refused(f"{address} belongs to this machine or its network")
    if str(address) in await in_thread(outside.own_addresses):
        raise Refused(f"{address} is this machine")
    if is_private(str(address)) and not is_listed:
        raise Refused(f"{address} is a private address; `sandbox.domains` opens such a host by its full name")


async def _connect_first(addresses: tuple[str, ...] | list[str], port: int, outside: Outside) -> Streams:
    failure = "the host has no address"
    for address in addresses:
        try:
            async with asyncio.timeout(REACH_SECONDS):
                return await outside.connect(address, port)
        except OSError as error:  # A timeout is an OSError.
            failure = error.strerror or "no answer"
    raise Unreachable(failure)


def _read_upstream(url: str | None) -> Upstream | None:
    if not url:
        return None
    with suppress(ValueError):  # UnfitHost is a ValueError too.
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, port = split_authority(parts.netloc.rpartition("@")[2], 80)
        if parts.scheme == "http" and port is not None:
            login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
            has_login = parts.username is not None
            value = b"Basic " + base64.b64encode(login.encode()) if has_login else None
            return Upstream(host, port, value)
    raise Unreachable("your own proxy cannot be used: only HTTP proxies (http://HOST:PORT) are supported")
