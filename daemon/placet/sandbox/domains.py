"""Hosts of the setting `sandbox.domains`: `example.com`, `*.example.com`, `example.com:8080`, `localhost:3000`, and
denials with `!` at the front. Pure.

Hosts are compared in a single form: lower case, without the final dot, in punycode (IDNA 2003, RFC 3490); an IPv6
address with an IPv4 address inside (mapped) is the IPv4 address. A text whose last label is a number is an IPv4 address
in four decimal parts or no host at all, as resolvers read `0x7f.1` and `2130706433` as addresses. Everything else is no
host: `allowed.com@evil`, an IPv6 address with a zone, an empty label.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_network
from typing import Literal

Decision = Literal["allow", "deny", "unknown"]

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PORT = re.compile(r"[0-9]{1,5}")
_DEVIATIONS = frozenset("ßς\u200c\u200d")
"""Characters that IDNA 2003 and IDNA 2008 (RFC 5892) encode to different domains."""
_LISTABLE = tuple(
    ip_network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
)
_METADATA = frozenset((IPv4Address("100.100.100.200"), IPv6Address("fd00:ec2::254"), IPv6Address("fd20:ce::254")))
"""Metadata services of clouds, which give out keys, in otherwise private networks."""


class UnfitHost(ValueError):
    """A text names no host; the message says why."""


@dataclass(frozen=True, slots=True)
class Host:
    """Host in the form for comparisons."""

    name: str
    """Name, or the canonical text of the address; an IPv6 address has no brackets."""
    address: IPv4Address | IPv6Address | None = None

    def __str__(self) -> str:
        return f"[{self.name}]" if isinstance(self.address, IPv6Address) else self.name

    @property
    def is_loopback(self) -> bool:
        """Return whether the host is the machine itself by the name `localhost`, 127.0.0.1 or ::1."""
        return self.name in {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True)
class DomainRule:
    """Entry of `sandbox.domains`."""

    text: str
    host: Host
    port: int | None = None
    """None stands for all ports."""
    is_wildcard: bool = False
    is_denial: bool = False

    def covers(self, host: Host, port: int) -> bool:
        if self.port not in {None, port}:
            return False
        if self.is_wildcard:
            return host.address is None and host.name.endswith(f".{self.host.name}")
        return host == self.host or (host.is_loopback and self.host.is_loopback)


@dataclass(frozen=True, slots=True)
class Domains:
    """List of the setting `sandbox.domains`."""

    rules: tuple[DomainRule, ...] = ()
    problems: tuple[str, ...] = ()
    """Entries that cannot be read, each in words for the user."""
    _lacks_denial: bool = False
    """Whether a denial cannot be read: no host is then allowed unasked."""

    @classmethod
    def read(cls, texts: Iterable[str]) -> "Domains":
        """Return the list; an entry that cannot be read allows nothing."""
        rules: list[DomainRule] = []
        problems: list[str] = []
        lacks_denial = False
        for text in texts:
            try:
                rules.append(parse_domain(text))
            except UnfitHost as problem:
                problems.append(str(problem))
                lacks_denial |= text.strip().startswith("!")
        return cls(tuple(rules), tuple(problems), lacks_denial)

    def judge(self, host: Host, port: int) -> Decision:
        """Return the decision of the list; a denial wins. The machine's own ports are allowed or denied."""
        rules = [rule for rule in self.rules if rule.covers(host, port)]
        if any(rule.is_denial for rule in rules):
            return "deny"
        if rules and not self._lacks_denial:
            return "allow"
        return "deny" if host.is_loopback else "unknown"

    def names(self, host: Host, port: int) -> bool:
        """Return whether an entry names the host itself, and not only a domain above the host."""
        return any(rule.covers(host, port) and not (rule.is_wildcard or rule.is_denial) for rule in self.rules)

    @property
    def loopback_ports(self) -> tuple[int, ...]:
        """Return the machine's own ports in the list."""
        ports = {rule.port for rule in self.rules if rule.host.is_loopback and not rule.is_denial}
        return tuple(sorted(port for port in ports if port is not None))


def parse_domain(text: str) -> DomainRule:
    """Return an entry of the setting. Raises UnfitHost with a sentence for the user."""
    entry = text.strip()
    is_denial = entry.startswith("!")
    entry = entry.removeprefix("!")
    is_wildcard = entry.startswith("*.")
    try:
        if "/" in entry:
            raise UnfitHost("write the host alone, without https:// and without a path")
        if entry.partition(":")[0] == "*":
            raise UnfitHost("`*` alone is no host; `sandbox.network: allow` opens all hosts")
        host, port = split_authority(_to_ascii(entry.removeprefix("*.")), None)
        _check_listable(host, port, is_wildcard=is_wildcard, is_denial=is_denial)
    except UnfitHost as problem:
        raise UnfitHost(f"`{text}` in `sandbox.domains` cannot be used: {problem}.") from None
    return DomainRule(text, host, port, is_wildcard, is_denial)


def split_authority(text: str, default_port: int | None) -> tuple[Host, int | None]:
    """Return the host and the port of `host`, `host:port`, `[address]` or `[address]:port`. Raises UnfitHost."""
    if text.startswith("["):
        inner, bracket, rest = text[1:].partition("]")
        if not bracket:
            raise UnfitHost("the bracket is not closed")
        host = parse_host(f"[{inner}]")
    else:
        name, colon, port = text.partition(":")
        host, rest = parse_host(name), colon + port
    if not rest:
        return host, default_port
    digits = rest.removeprefix(":")
    if not rest.startswith(":") or not _PORT.fullmatch(digits) or not 0 < int(digits) < 65536:
        raise UnfitHost("the port is no number from 1 to 65535")
    return host, int(digits)


def parse_host(text: str) -> Host:
    """Return the host of a name in ASCII, an IPv4 address, or an IPv6 address in brackets. Raises UnfitHost."""
    if text.startswith("[") and text.endswith("]"):
        return _ipv6_host(text[1:-1])
    name = text.lower().removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return host_of(IPv4Address(name))
        except AddressValueError:
            raise UnfitHost("a number at the end must belong to an address in four decimal parts") from None
    if len(name) > 253:
        raise UnfitHost("the name is longer than 253 characters")
    for label in labels:
        if not _LABEL.fullmatch(label):
            raise UnfitHost("a label of the name is empty, is too long, or has a character that no host name has")
    return Host(name)


def host_of(address: IPv4Address | IPv6Address) -> Host:
    """Return the host of an address; a mapped address (RFC 4291, 2.5.5.2) is its IPv4 address."""
    plain = (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
    return Host(str(plain), plain)


def is_listable(address: IPv4Address | IPv6Address) -> bool:
    """Return whether the address belongs to a private network, which the user can open in `sandbox.domains`."""
    return address not in _METADATA and any(address in network for network in _LISTABLE)


def _ipv6_host(text: str) -> Host:
    if "%" in text:
        raise UnfitHost("an IPv6 address with a zone belongs to one interface of this machine")
    try:
        return host_of(IPv6Address(text))
    except AddressValueError:
        raise UnfitHost("the brackets hold no IPv6 address") from None


def _to_ascii(text: str) -> str:
    if text.isascii():
        return text
    if _DEVIATIONS.intersection(text):
        raise UnfitHost("standards disagree on a character of the name; write the name in punycode (xn--)")
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        raise UnfitHost("the name cannot be written in punycode") from None


def _check_listable(host: Host, port: int | None, *, is_wildcard: bool, is_denial: bool) -> None:
    if is_wildcard and (host.address is not None or host.is_loopback):
        raise UnfitHost("`*.` goes with the name of a domain")
    if is_denial:
        return
    if host.is_loopback:
        if port is None:
            raise UnfitHost("a port of this machine is opened by its number, as in `localhost:3000`")
    elif host.address is not None and not (host.address.is_global or is_listable(host.address)):
        raise UnfitHost("the address is neither public nor in a private network")
    elif host.address is not None and host.address.is_multicast:
        raise UnfitHost("the address is a multicast address")
