"""The list of domains: each form of an entry and of a host by a stated rule."""

import socket
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.sandbox.domains import Domains, UnfitHost, host_of, parse_domain, parse_host, split_authority

NAMES = st.from_regex(r"\A[a-z0-9_]([a-z0-9_-]{0,8}[a-z0-9_])?(\.[a-z]{2,6}){1,3}\Z")
PORTS = st.integers(1, 65535)


def decision(host: str, port: int, *entries: str) -> str:
    return Domains.read(entries).judge(parse_host(host), port)


@corpus(
    ("entry", "host", "port", "expected"),
    [
        ("example.com", "example.com", 443, "allow"),
        ("example.com", "www.example.com", 443, "unknown"),
        ("example.com", "badexample.com", 443, "unknown"),
        ("example.com", "example.com.evil.org", 443, "unknown"),
        ("*.example.com", "www.example.com", 443, "allow"),
        ("*.example.com", "a.b.example.com", 443, "allow"),
        ("*.example.com", "example.com", 443, "unknown"),
        ("*.example.com", "badexample.com", 443, "unknown"),
        ("example.com:8080", "example.com", 8080, "allow"),
        ("example.com:8080", "example.com", 443, "unknown"),
        ("EXAMPLE.com.", "example.COM", 443, "allow"),
        ("example.com", "EXAMPLE.com.", 443, "allow"),
        ("bücher.example", "xn--bcher-kva.example", 443, "allow"),
        ("xn--bcher-kva.example", "XN--BCHER-KVA.example", 443, "allow"),
        ("10.0.0.1", "10.0.0.1", 22, "allow"),
        ("10.0.0.1", "[::ffff:10.0.0.1]", 22, "allow"),
        ("[fd00::1]:443", "[FD00:0::1]", 443, "allow"),
        ("*.example.com", "93.184.216.34", 443, "unknown"),
        ("localhost:3000", "localhost", 3000, "allow"),
        ("localhost:3000", "LOCALHOST.", 3000, "allow"),
        ("localhost:3000", "127.0.0.1", 3000, "allow"),
        ("localhost:3000", "[::1]", 3000, "allow"),
        ("localhost:3000", "[::ffff:127.0.0.1]", 3000, "allow"),
        ("localhost:3000", "localhost", 3001, "deny"),
        ("127.0.0.1:3000", "localhost", 3000, "allow"),
    ],
)
def test_an_entry_covers_the_hosts_it_names_and_no_others(entry: str, host: str, port: int, expected: str) -> None:
    assert decision(host, port, entry) == expected


@pytest.mark.parametrize("entries", [("*.example.com", "!bad.example.com"), ("!bad.example.com", "*.example.com")])
def test_a_denial_wins_over_every_other_entry(entries: tuple[str, ...]) -> None:
    assert decision("bad.example.com", 443, *entries) == "deny"
    assert decision("good.example.com", 443, *entries) == "allow"


def test_a_denial_of_subdomains_leaves_the_domain_itself() -> None:
    assert decision("a.example.com", 443, "!*.example.com") == "deny"
    assert decision("example.com", 443, "!*.example.com") == "unknown"


def test_a_denial_of_a_port_leaves_other_ports() -> None:
    assert decision("example.com", 22, "example.com", "!example.com:22") == "deny"
    assert decision("example.com", 443, "example.com", "!example.com:22") == "allow"


def test_the_ports_of_this_machine_are_never_unknown() -> None:
    assert decision("localhost", 5432) == "deny"
    assert decision("127.0.0.1", 5432, "example.com") == "deny"
    assert Domains.read(["localhost:2", "127.0.0.1:1", "[::1]:3", "!localhost:4"]).loopback_ports == (1, 2, 3)


@corpus(
    "text",
    [
        "allowed.com@evil",
        "allowed.com@evil.com",
        "user:secret@evil.com",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "127.1",
        "127.0.0.01",
        "1.2.3.4.5",
        "1.2.3.256",
        "example.1",
        "::1",
        "[fe80::1%eth0]",
        "[fe80::1%251]",
        "[::1",
        "[]",
        "[127.0.0.1]",
        "[example.com]",
        "",
        ".",
        "..",
        "a..b",
        ".example.com",
        "example.com..",
        "-example.com",
        "example-.com",
        "exa mple.com",
        "exam\tple.com",
        "example.com\n",
        "example.com\x00.evil.com",
        "example.com/",
        "example.com\\.evil.com",
        "example.com#",
        "example.com?",
        "ex%61mple.com",
        "bücher.example",
        "ｅxample.com",
        "example。com",
        "a" * 64 + ".com",
        ".".join(["abcdefg"] * 33),
    ],
)
def test_a_text_that_readers_could_take_for_two_hosts_is_no_host(text: str) -> None:
    with pytest.raises(UnfitHost):
        parse_host(text)


@corpus(
    ("entry", "reason"),
    [
        ("https://example.com", "without https://"),
        ("example.com/path", "without a path"),
        ("*", "`sandbox.network: allow` opens all hosts"),
        ("*:443", "`sandbox.network: allow` opens all hosts"),
        ("!*", "`sandbox.network: allow` opens all hosts"),
        ("a.*.com", "no host name has"),
        ("*example.com", "no host name has"),
        ("*.10.0.0.1", "goes with the name of a domain"),
        ("*.localhost", "goes with the name of a domain"),
        ("localhost", "by its number, as in `localhost:3000`"),
        ("127.0.0.1", "by its number, as in `localhost:3000`"),
        ("127.0.0.2:80", "neither public nor in a private network"),
        ("0.0.0.0:80", "neither public nor in a private network"),
        ("[::]:80", "neither public nor in a private network"),
        ("169.254.169.254", "neither public nor in a private network"),
        ("[fe80::1]", "neither public nor in a private network"),
        ("[fd00:ec2::254]", "neither public nor in a private network"),
        ("100.100.100.200", "neither public nor in a private network"),
        ("224.0.0.1", "multicast"),
        ("example.com:0", "from 1 to 65535"),
        ("example.com:65536", "from 1 to 65535"),
        ("example.com:http", "from 1 to 65535"),
        ("example.com:", "from 1 to 65535"),
        ("example.com:80:80", "from 1 to 65535"),
        ("example.com:٣", "from 1 to 65535"),
        ("[fe80::1%eth0]:80", "zone"),
        ("[::1", "bracket is not closed"),
        ("straße.example", "in punycode (xn--)"),
        ("", "is empty"),
    ],
)
def test_an_unfit_entry_is_named_with_the_reason(entry: str, reason: str) -> None:
    with pytest.raises(UnfitHost) as raised:
        parse_domain(entry)
    assert reason in str(raised.value)
    assert f"`{entry}` in `sandbox.domains` cannot be used" in str(raised.value)


def test_an_unfit_entry_allows_nothing_and_leaves_the_others() -> None:
    domains = Domains.read(["exa mple.com", "example.com"])
    assert domains.judge(parse_host("example.com"), 443) == "allow"
    assert len(domains.problems) == 1


def test_after_an_unfit_denial_no_host_is_allowed_unasked() -> None:
    domains = Domains.read(["example.com", "!exa mple.com"])
    assert domains.judge(parse_host("example.com"), 443) == "unknown"
    assert Domains.read(["localhost:80", " !exa mple.com"]).judge(parse_host("localhost"), 80) == "deny"


def test_a_host_is_named_by_its_full_name_and_not_by_a_domain_above() -> None:
    domains = Domains.read(["*.corp.example", "git.corp.example", "!bad.corp.example"])
    assert domains.names(parse_host("git.corp.example"), 443)
    assert not domains.names(parse_host("www.corp.example"), 443)
    assert not domains.names(parse_host("bad.corp.example"), 443)


@settings(max_examples=examples(100))
@given(NAMES, PORTS, st.booleans(), st.booleans())
def test_case_and_a_final_dot_change_nothing(name: str, port: int, upper: bool, dot: bool) -> None:
    written = (name.upper() if upper else name) + ("." if dot else "")
    host, found_port = split_authority(f"{written}:{port}", None)
    assert (host.name, found_port) == (name, port)
    assert parse_host(str(host)) == host
    assert decision(written, port, f"{name}:{port}") == "allow"


@settings(max_examples=examples(100))
@given(NAMES, NAMES, PORTS)
def test_a_wildcard_covers_exactly_the_names_below_the_domain(name: str, domain: str, port: int) -> None:
    assert decision(f"{name}.{domain}", port, f"*.{domain}") == "allow"
    assert decision(f"{name}{domain}", port, f"*.{domain}") == (
        "allow" if f"{name}{domain}".endswith(f".{domain}") else "unknown"
    )
    assert decision(domain, port, f"*.{domain}") == "unknown"


@settings(max_examples=examples(100))
@given(st.text(max_size=40))
@example("0x7f.1")
@example("127.1")
@example("0x7F.0.0.0x1")
@example("1.")
def test_a_text_that_the_system_reads_as_an_address_is_that_address_or_no_host(text: str) -> None:
    try:
        packed = socket.inet_aton(text)
    except (OSError, UnicodeError, ValueError):
        return
    try:
        host = parse_host(text)
    except UnfitHost:
        return
    assert host.address == IPv4Address(packed)


@settings(max_examples=examples(100))
@given(st.text(st.characters(max_codepoint=0x2FF), max_size=40))
def test_any_text_is_a_plain_host_or_is_refused(text: str) -> None:
    try:
        host = parse_host(text)
    except UnfitHost:
        return
    assert parse_host(str(host)) == host
    assert host.address is not None or set(host.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.")


@settings(max_examples=examples(100))
@given(st.ip_addresses(v=6))
def test_every_ipv6_address_is_read_back(address: IPv6Address) -> None:
    host = parse_host(f"[{address.exploded.upper()}]")
    assert host == host_of(address)
    assert parse_host(str(host)) == host


@settings(max_examples=examples(100))
@given(st.text(max_size=40))
def test_every_entry_is_read_or_refused_in_words(text: str) -> None:
    domains = Domains.read([text])
    assert len(domains.rules) + len(domains.problems) == 1
    assert all(text in problem for problem in domains.problems)
