"""Servers and resources behind URLs, and the rule for redirects. Pure."""

import base64
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urljoin, urlsplit

from placet.model.host.http_client.failures import RedirectedAway, UnfitRequest

_PORTS = {"http": 80, "https": 443}
_KEPT = "/?%:@!$&'()*+,;=~[]"
"""Characters of a path and a query which stay as the URL has them."""


@dataclass(frozen=True, slots=True)
class Server:
    """Server of a URL; the host is ASCII in lower case, an IPv6 address without brackets."""

    scheme: str
    host: str
    port: int

    @property
    def authority(self) -> str:
        """Return the host, with the port unless the scheme implies the port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"

    def may_redirect_to(self, target: "Server") -> bool:
        """Return whether the target may get the conversation: the same server, or the same host with TLS."""
        is_upgrade = (self.scheme, target.scheme) == ("http", "https")
        return self == target or (self.host == target.host and is_upgrade)


@dataclass(frozen=True, slots=True)
class Address:
    """Resource on a server."""

    server: Server
    target: str
    """Path and query, percent-encoded."""
    authorization: str | None = field(default=None, repr=False)
    """Value of the `authorization` header by the login of the URL."""


def parse_address(url: str) -> Address:
    """Return the address of an http or https URL. Raises UnfitRequest."""
    try:
        parts = urlsplit(url)
        scheme, port = parts.scheme.lower(), parts.port
        host = parts.hostname or ""
        host = host if host.isascii() else host.encode("idna").decode()
    except (ValueError, UnicodeError):
        raise UnfitRequest("its address is no URL") from None
    if scheme not in _PORTS or not host:
        raise UnfitRequest("its address is no http or https URL")
    target = quote(parts.path or "/", safe=_KEPT) + (f"?{quote(parts.query, safe=_KEPT)}" if parts.query else "")
    login = basic_login(parts.username, parts.password)
    return Address(Server(scheme, host, port or _PORTS[scheme]), target, login)


def basic_login(user: str | None, password: str | None) -> str | None:
    """Return the value of an `authorization` header (RFC 7617) by the percent-encoded login of a URL."""
    if not user and not password:
        return None
    login = f"{unquote(user or '')}:{unquote(password or '')}"
    return "Basic " + base64.b64encode(login.encode()).decode()


def redirect_target(url: str, status: int, location: str | None) -> str | None:
    """Return the URL of a redirect, or None if the response is no redirect.

    Raises RedirectedAway if following the redirect would send the request to another host.
    """
    if not 300 <= status < 400 or not location:
        return None
    try:
        target = urljoin(url, location)
        server = parse_address(target).server
    except (ValueError, UnfitRequest):
        raise RedirectedAway("it redirects to an address which is no http or https URL") from None
    if not parse_address(url).server.may_redirect_to(server):
        raise RedirectedAway(f"it redirects to another server, {server}, which was not sent the conversation")
    return target
