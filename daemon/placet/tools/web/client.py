"""HTTP client of the web tools: a fetch goes to the checked address, and no further than the limits."""

import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx2

from placet import __version__
from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.inflating import ACCEPT_ENCODING, unpacker
from placet.core.network_addresses import Resolve, is_private, resolve_by_system, shown

CONNECT_SECONDS = 10.0
REDIRECTS = frozenset((301, 302, 303, 307, 308))
USER_AGENT = f"Placet/{__version__} (coding agent at a user's request)"
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Limits:
    body_bytes: int
    note: Callable[[int], None] = lambda count: None
    """Callback that receives the number of body bytes so far."""


@dataclass(frozen=True, slots=True)
class WebResponse:
    url: httpx2.URL
    status: int
    reason: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def redirect(self) -> httpx2.URL | None:
        """Target of the redirect; None for an answer without a redirect. Raises ToolError for an invalid address."""
        location = self.headers.get("location")
        if self.status not in REDIRECTS or not location:
            return None
        try:
            return self.url.join(location)
        except httpx2.InvalidURL as error:
            raise ToolError(f"{self.url} redirects to what is no address: {location[:200]!r}.") from error


def parse_url(text: str) -> httpx2.URL:
    """Return an http or https address without its fragment. Raises ToolError."""
    try:
        url = httpx2.URL(text.strip())
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise ToolError(f"`{text}` is not an address: {error}.") from error
    if url.scheme not in _PORTS or not url.host:
        raise ToolError(f"`{text}` cannot be fetched: give a full address with http:// or https://.")
    if url.userinfo:
        raise ToolError("An address with a user name or password in it cannot be fetched: leave them out.")
    if not 0 < port_of(url) < 65536:
        raise ToolError(f"`{text}` has an impossible port.")
    return url.copy_with(fragment=None)


def port_of(url: httpx2.URL) -> int:
    return _PORTS[url.scheme] if url.port is None else url.port


def origin_of(url: httpx2.URL) -> str:
    """Return the origin: `https://host` or `https://host:8080`."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


async def fetch(
    url: httpx2.URL,
    *,
    accept: str,
    limits: Limits,
    may_enter: Callable[[Sequence[str]], Awaitable[None]],
    resolve: Resolve = resolve_by_system,
) -> WebResponse:
    """GET the address, without following a redirect.

    The host is resolved once. `may_enter` is asked about the addresses outside the public internet, and the connection
    goes to a checked address: the name cannot change its mind in between. A proxy, if any, is given the name, as only
    the proxy may know the host. Raises ToolError, and the errors of `may_enter`.
    """
    host, port = url.raw_host.decode("ascii"), port_of(url)
    proxy = _proxy_for(url)
    try:
        addresses = await resolve(host, port)
    except (OSError, UnicodeError) as error:
        if proxy is None:
            raise ToolError(f"The host {host} cannot be found: {error}.") from error
        addresses = []
    if private := [shown(address, port) for address in addresses if is_private(address)]:
        await may_enter(private)
    headers = {"Accept": accept, "Host": url.netloc.decode("ascii")}
    if proxy is not None:
        return await _exchange("GET", url, url, limits, proxy=proxy, headers=headers)
    failure: httpx2.ConnectError | httpx2.ConnectTimeout | None = None
    certified = host if url.scheme == "https" else None
    for address in addresses:
        target = url.copy_with(host=address.partition("%")[0])
        try:
            return await _exchange("GET", url, target, limits, headers=headers, certified=certified)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            failure = error
    raise ToolError(f"{origin_of(url)} cannot be reached: {failure or 'it has no address'}.") from failure


async def post_json(url: httpx2.URL, content: Any, *, headers: Mapping[str, str], limits: Limits) -> WebResponse:
    """POST to a service chosen by the user; the address is therefore not checked. Raises ToolError."""
    try:
        return await _exchange("POST", url, url, limits, proxy=_proxy_for(url), headers=headers, json=content)
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise ToolError(f"{origin_of(url)} cannot be reached: {error}.") from error


async def _exchange(
    method: str,
    url: httpx2.URL,
    target: httpx2.URL,
    limits: Limits,
    *,
    headers: Mapping[str, str],
    json: Any = None,
    proxy: str | None = None,
    certified: str | None = None,
) -> WebResponse:
    """Send a request to `target`, which is `url` or an address of its host.

    `certified` is the name that the server's certificate must have. Raises httpx2.ConnectError and ConnectTimeout, as
    another address may work, and ToolError for other failures.
    """
    extensions = {} if certified is None else {"sni_hostname": certified}
    try:
        async with (
            _client(url, proxy) as client,
            client.stream(method, target, headers=headers, json=json, extensions=extensions) as response,
        ):
            body = b""
            if response.status_code not in REDIRECTS:
                chunks = response.aiter_raw()
                body = await read_body(chunks, response.headers, limit_bytes=limits.body_bytes, note=limits.note)
            return WebResponse(url, response.status_code, response.reason_phrase, response.headers, body)
    except (httpx2.ConnectError, httpx2.ConnectTimeout):
        raise
    except httpx2.HTTPError as error:
        raise ToolError(f"The answer of {origin_of(url)} broke off: {error or type(error).__name__}.") from error


@asynccontextmanager
async def _client(url: httpx2.URL, proxy: str | None) -> AsyncGenerator[httpx2.AsyncClient]:
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": ACCEPT_ENCODING}
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    # Loading the certificates takes a while, and http has no use for them.
    certificates = await in_thread(httpx2.create_ssl_context) if url.scheme == "https" else False
    async with httpx2.AsyncClient(
        headers=headers, timeout=timeout, verify=certificates, proxy=proxy, trust_env=False
    ) as client:
        yield client


def _proxy_for(url: httpx2.URL) -> str | None:
    """Return the proxy for the address by the system's settings, or None."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    return None if proxy is None or proxy_bypass(url.host) else proxy


async def read_body(
    chunks: AsyncIterator[bytes], headers: Mapping[str, str], *, limit_bytes: int, note: Callable[[int], None]
) -> bytes:
    """Return the unpacked body, up to the limit; `note` is told the number of bytes so far.

    Raises ToolError when the body is larger than the limit, packed in a way that was not offered, or damaged.
    """
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit_bytes:
        raise _too_large(limit_bytes)
    encoding = headers.get("content-encoding", "")
    unpack = unpacker(encoding)
    if unpack is None:
        raise ToolError(f"The server packed its answer with {encoding}, which was not offered to it.")
    body = bytearray()
    try:
        async for chunk in chunks:
            for piece in unpack(chunk):
                body += piece
                if len(body) > limit_bytes:
                    raise _too_large(limit_bytes)
            note(len(body))
    except zlib.error as error:
        raise ToolError(f"The answer is damaged: it cannot be unpacked ({error}).") from error
    return bytes(body)


def _too_large(limit_bytes: int) -> ToolError:
    return ToolError(f"The answer is larger than the {limit_bytes // 1_000_000} MB that may be fetched.")
