"""Proxies by the environment's variables, in the form of urllib.request, which litellm follows. Pure but for macOS
and Windows, where the system's settings count if the environment names no proxy.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from placet.model.host.http_client.addresses import Server, parse_address
from placet.model.host.http_client.failures import StoppedByProxy, UnfitRequest


@dataclass(frozen=True, slots=True)
class Proxy:
    """HTTP proxy, with the value of the `proxy-authorization` header if the proxy wants a login."""

    server: Server
    authorization: str | None = field(default=None, repr=False)


class Proxies:
    """Choice of a proxy for each server."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._urls = proxy_urls(environment)
        self._asks_system = not self._urls and sys.platform in {"darwin", "win32"}
        if environment.get("DISABLE_AIOHTTP_TRUST_ENV", "").lower() == "true":  # litellm's switch
            self._urls, self._asks_system = {}, False
        self._proxies: dict[Server, Proxy | None] = {}

    def proxy_of(self, server: Server) -> Proxy | None:
        """Return the proxy for the server, or None for a direct connection. Raises StoppedByProxy."""
        if not self._urls and not self._asks_system:
            return None
        if server not in self._proxies:
            self._proxies[server] = self._choose(server)
        return self._proxies[server]

    def _choose(self, server: Server) -> Proxy | None:
        if self._asks_system:
            import urllib.request

            urls, bypass = urllib.request.getproxies(), bool(urllib.request.proxy_bypass(server.host))
        else:
            urls, bypass = self._urls, is_excepted(server, self._urls.get("no", ""))
        url = urls.get(server.scheme) or urls.get("all")
        return None if bypass or not url else _proxy(url)


def proxy_urls(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the URLs by scheme, and the list of exceptions as `no`; a lower-case variable counts more."""
    urls = {name.lower()[:-6]: url for name, url in environment.items() if name.lower().endswith("_proxy") and url}
    if "REQUEST_METHOD" in environment:
        urls.pop("http", None)  # In a CGI process HTTP_PROXY may be the `Proxy` header of a request.
    for name, url in environment.items():
        if name.endswith("_proxy"):
            urls.pop(name[:-6].lower(), None)
            if url:
                urls[name[:-6].lower()] = url
    return urls


def is_excepted(server: Server, no_proxy: str) -> bool:
    """Return whether NO_PROXY names the server: by host, by host and port, by a domain above the host, or by `*`."""
    if no_proxy == "*":
        return True
    names = [name.strip().lstrip(".").lower() for name in no_proxy.split(",")]
    places = (server.host, f"{server.host}:{server.port}")
    return any(name and (place == name or place.endswith(f".{name}")) for name in names for place in places)


def _proxy(url: str) -> Proxy:
    try:
        address = parse_address(url if "://" in url else f"http://{url}")
    except UnfitRequest as error:
        raise StoppedByProxy(f"{error} (only HTTP proxies are supported)") from None
    return Proxy(address.server, address.authorization)
