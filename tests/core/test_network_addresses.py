from corpus_support import corpus
from placet.core.network_addresses import is_private, shown

PRIVATE = [
    "127.0.0.1",
    "127.255.0.9",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "2002:7f00:1::",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
]
PUBLIC = ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450::1", "64:ff9b::808:808"]


@corpus("address", PRIVATE)
def test_what_is_not_of_the_public_internet_is_private(address: str) -> None:
    assert is_private(address)


@corpus("address", PUBLIC)
def test_hosts_of_the_public_internet_are_not(address: str) -> None:
    assert not is_private(address)


def test_rules_know_an_address_with_its_port() -> None:
    assert shown("127.0.0.1", 80) == "127.0.0.1:80"
    assert shown("::1", 8080) == "[::1]:8080"
