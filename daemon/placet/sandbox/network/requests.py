"""Requests to the proxy: the head of an HTTP request and the bytes of SOCKS5 (RFC 1928), as values. Pure.

A plain request is written anew from the parsed parts, so the next server reads the request that was judged. llhttp
(httptools) rejects all doubtful framing: two lengths, a length beside chunks, folded lines, bare line feeds.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Literal

import httptools

from placet.sandbox.domains import Host, UnfitHost, host_of, parse_host, split_authority

_DROPPED_HEADERS = frozenset(
    b"connection host http2-settings keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    b"transfer-encoding upgrade content-length".split()
)
"""Headers for a single connection (RFC 9110, 7.6.1), and headers written anew."""

SOCKS_VERSION = 5
NO_LOGIN = 0
SocksReply = Literal[0, 2, 4, 7, 8]
"""Done, not allowed, unreachable, unknown command, unknown kind of address."""


class UnfitRequest(Exception):
    """A request cannot be read or served; the message says why."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class TunnelRequest:
    """CONNECT request: a tunnel to the host."""

    host: Host
    port: int


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """HTTP request in absolute form (RFC 9112, 3.2.2)."""

    host: Host
    port: int
    method: bytes
    path: bytes
    """Path and query, as written."""
    headers: tuple[tuple[bytes, bytes], ...]
    """Headers for the server: without Host, without the headers of one connection and of the body's length."""
    body: "RequestReader"

    def head(self, *, is_for_proxy: bool = False, authorization: bytes | None = None) -> bytes:
        """Return the head for the server, or for a next proxy, which wants the address in full."""
        authority = str(self.host).encode("ascii") + (b"" if self.port == 80 else b":%d" % self.port)
        target = b"http://" + authority + self.path if is_for_proxy else self.path
        lines = [self.method + b" " + target + b" HTTP/1.1", b"Host: " + authority, b"Connection: close"]
        lines += [name + b": " + value for name, value in (*self.headers, *self.body.length_headers)]
        if authorization is not None:
            lines.append(b"Proxy-Authorization: " + authorization)
        return b"\r\n".join((*lines, b"", b""))


class RequestReader:
    """Parser of an HTTP request, for the time of a connection."""

    def __init__(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._pieces: list[bytes] = []
        self._is_chunked = False
        self.is_complete = False

    def feed(self, data: bytes) -> bytes:
        """Take bytes of the request, and return bytes of the body for the server. Raises UnfitRequest.

        Bytes after the end of the request are dropped: a connection serves one request.
        """
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass
        except httptools.HttpParserInvalidMethodError:
            raise UnfitRequest("the method is unknown", 501) from None
        except httptools.HttpParserError as error:
            if not self.is_complete:
                raise UnfitRequest(f"the request is not valid HTTP/1.1 ({error})") from None
        body, self._pieces = b"".join(self._pieces), []
        if not self._is_chunked:
            return body
        return (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + (b"0\r\n\r\n" if self.is_complete else b"")

    @property
    def length_headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """Return the header with the length of the body."""
        if self._is_chunked:
            return ((b"Transfer-Encoding", b"chunked"),)
        return tuple((b"Content-Length", value) for name, value in self._headers if name.lower() == b"content-length")

    def request(self) -> TunnelRequest | PlainRequest:
        """Return the request, once the head has been fed. Raises UnfitRequest."""
        if not self._url:
            raise UnfitRequest("the request has no target")
        if self._parser.get_http_version() not in {"1.0", "1.1"}:
            raise UnfitRequest("the version of HTTP is unknown", 505)
        method = self._parser.get_method()
        encodings = [value.lower() for name, value in self._headers if name.lower() == b"transfer-encoding"]
        if encodings not in ([], [b"chunked"]):
            raise UnfitRequest("the transfer encoding is unknown", 501)
        if method != b"CONNECT" and self._parser.should_upgrade() and self.length_headers:
            raise UnfitRequest("an upgrade with a body is not supported", 501)
        try:
            url = self._url.decode("ascii")
            if method == b"CONNECT":
                host, port = split_authority(url, None)
                if port is None:
                    raise UnfitHost("the port is missing")
                return TunnelRequest(host, port)
            return self._plain(method, url)
        except UnicodeError:
            raise UnfitRequest("the target is not ASCII") from None
        except UnfitHost as error:
            raise UnfitRequest(f"the target names no host: {error}") from None

    def _plain(self, method: bytes, url: str) -> PlainRequest:
        scheme, separator, rest = url.partition("://")
        if not separator or scheme.lower() != "http":
            raise UnfitRequest("a proxy takes CONNECT, and addresses in full with http://")
        end = next((place for place, letter in enumerate(rest) if letter in "/?#"), len(rest))
        host, port = split_authority(rest[:end], 80)
        assert port is not None
        path = rest[end:].partition("#")[0]
        named = b",".join(value for name, value in self._headers if name.lower() == b"connection").lower().split(b",")
        dropped = _DROPPED_HEADERS.union(name.strip() for name in named)
        headers = tuple((name, value) for name, value in self._headers if name.lower() not in dropped)
        target = (path if path.startswith("/") else f"/{path}").encode("ascii")
        return PlainRequest(host, port, method, target, headers, self)

    # What httptools calls.

    def on_url(self, url: bytes) -> None:
        if not self.is_complete:
            self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.is_complete:
            self._headers.append((name, value))
            self._is_chunked |= name.lower() == b"transfer-encoding"

    def on_body(self, body: bytes) -> None:
        if not self.is_complete:
            self._pieces.append(body)

    def on_message_complete(self) -> None:
        self.is_complete = True


def socks_target(kind: int, address: bytes, port: bytes) -> tuple[Host, int]:
    """Return the target of a SOCKS5 request; kind 3 is a name, 1 and 4 are addresses. Raises UnfitRequest."""
    number = int.from_bytes(port, "big")
    if number == 0:
        raise UnfitRequest("the port is 0")
    match kind:
        case 1:
            return host_of(IPv4Address(address)), number
        case 4:
            return host_of(IPv6Address(address)), number
        case _:
            try:
                # Clients write an address in the place of a name, without brackets.
                text = address.decode("ascii")
                return parse_host(f"[{text}]" if ":" in text else text), number
            except UnicodeError:
                raise UnfitRequest("the name is not ASCII") from None
            except UnfitHost as error:
                raise UnfitRequest(str(error)) from None


def socks_reply(code: SocksReply) -> bytes:
    """Return a reply; the address in a reply is of no use to the client of a proxy."""
    return bytes((SOCKS_VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0))
