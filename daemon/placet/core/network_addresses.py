"""Network addresses: look up the addresses of a host, and judge if an address belongs to the public internet."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Function that returns the addresses of (host, port). Raises OSError."""

_NAT64 = IPv6Network("64:ff9b::/96")
"""NAT64 prefix of RFC 6052: an IPv4 address stands in the last 32 bits."""


async def resolve_by_system(host: str, port: int) -> list[str]:
    """Return the addresses that the system's resolver gives. Raises OSError, and UnicodeError for an invalid name."""
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[4][0]) for address in addresses))


def is_private(address: str) -> bool:
    """Return whether the address is anything but a host of the public internet.

    Such addresses are loopback, link-local, private, multicast, and reserved. An IPv6 address that leads to an IPv4
    address (mapped, 6to4, Teredo) is judged by the IPv4 address as well. A NAT64 address is judged by the IPv4 address
    alone, as a network without IPv4 maps every public address to NAT64.
    """
    parsed = ip_address(address)
    if isinstance(parsed, IPv6Address) and parsed in _NAT64:
        return _is_private(IPv4Address(int(parsed) & 0xFFFFFFFF))
    return any(_is_private(inner) for inner in (parsed, *_led_to(parsed)))


def shown(address: str, port: int) -> str:
    """Return `address:port` as permission rules know the address; an IPv6 address stands in brackets."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _is_private(address: IPv4Address | IPv6Address) -> bool:
    return (
        not address.is_global
        or address.is_multicast
        or address.is_reserved
        or (isinstance(address, IPv6Address) and address.is_site_local)
    )


def _led_to(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    if isinstance(address, IPv4Address):
        return []
    return [inner for inner in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())) if inner is not None]
