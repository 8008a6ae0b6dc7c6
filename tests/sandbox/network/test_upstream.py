"""The user's own proxy behind the proxy of the sandbox."""

import asyncio

import pytest

from network_support import PUBLIC, Handler, Internet, echo, running_proxy, show_request
from placet.sandbox.network import destination
from placet.sandbox.network.destination import upstream_by_system
from time_support import LoopClock

UPSTREAM = ("10.9.9.9", 3128)


@pytest.fixture
def internet() -> Internet:
    return Internet({"good.test": [PUBLIC], "loop.test": ["127.0.0.1"]}, upstream="http://10.9.9.9:3128")


def proxy_that_answers(answer: bytes, heads: list[bytes]) -> Handler:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await echo(reader, writer)

    return serve


async def test_a_tunnel_goes_through_the_users_proxy_by_name_and_with_the_login(internet: Internet) -> None:
    heads: list[bytes] = []
    internet.upstream = "http://user:p%40ss@10.9.9.9:3128/"
    serve = proxy_that_answers(b"HTTP/1.0 200 OK\r\nX: y\r\n\r\n", heads)
    async with internet.server(serve, UPSTREAM), running_proxy(internet, "good.test") as client:
        reader, writer = await client.open()
        writer.write(b"CONNECT good.test:443 HTTP/1.1\r\nProxy-Authorization: Basic b3RoZXI=\r\n\r\nhello")
        writer.write_eof()
        assert await reader.read() == b"HTTP/1.1 200 Connection established\r\n\r\nhello"
        writer.close()
    assert heads == [
        b"CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\nProxy-Authorization: Basic dXNlcjpwQHNz\r\n\r\n"
    ]
    assert internet.connected == [UPSTREAM]


async def test_a_plain_request_goes_through_the_users_proxy_with_its_whole_address(internet: Internet) -> None:
    async with internet.server(show_request, UPSTREAM), running_proxy(internet, "good.test") as client:
        answer = await client.send(b"GET http://good.test:8080/a HTTP/1.1\r\n\r\n")
    assert answer.partition(b"\r\n\r\n")[2] == (
        b"GET http://good.test:8080/a HTTP/1.1\r\nHost: good.test:8080\r\nConnection: close\r\n\r\n"
    )


async def test_a_name_that_only_the_users_proxy_knows_is_reached(internet: Internet) -> None:
    async with internet.server(show_request, UPSTREAM), running_proxy(internet, "inner.test") as client:
        assert (await client.send(b"GET http://inner.test/ HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 200")


async def test_a_name_of_this_machine_is_refused_before_the_users_proxy(internet: Internet) -> None:
    async with running_proxy(internet, "loop.test") as client:
        assert b"403" in await client.connect("loop.test:443")
        assert b"403" in await client.connect("other.test:443")
    assert not internet.connected


async def test_a_port_of_this_machine_is_not_asked_of_the_users_proxy(internet: Internet) -> None:
    async with (
        internet.server(show_request, ("127.0.0.1", 3000)),
        running_proxy(internet, "localhost:3000") as client,
    ):
        assert b"200 OK" in await client.send(b"GET http://localhost:3000/ HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", b"\r\n\r\n", b"nonsense\r\n\r\n"]
)
async def test_a_tunnel_that_the_users_proxy_does_not_open_is_unreachable(internet: Internet, answer: bytes) -> None:
    async with (
        internet.server(proxy_that_answers(answer, []), UPSTREAM),
        running_proxy(internet, "good.test") as client,
    ):
        text = await client.connect("good.test:443")
        assert text.startswith(b"HTTP/1.1 502")
        assert b"your proxy 10.9.9.9:3128: the answer was" in text
        assert client.connections.refusals == ()


async def test_a_silent_proxy_of_the_user_is_left_in_time(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived = asyncio.Event()

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        arrived.set()
        await reader.read()

    async with internet.server(never, UPSTREAM), running_proxy(internet, "good.test") as client:
        clock = LoopClock(monkeypatch)
        waiting = asyncio.create_task(client.connect("good.test:443"))
        await arrived.wait()
        clock.skip(destination.REACH_SECONDS)
        assert b"your proxy 10.9.9.9:3128: the connection broke off" in await waiting


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("socks5://10.9.9.9:3128", b"only HTTP proxies"),
        ("https://10.9.9.9:3128", b"only HTTP proxies"),
        ("http://", b"only HTTP proxies"),
        ("http://10.9.9.9:99999", b"only HTTP proxies"),
        ("10.9.9.9:3128", b"your proxy 10.9.9.9:3128: Network is unreachable"),
    ],
)
async def test_a_proxy_of_the_user_that_cannot_be_used_is_named(internet: Internet, url: str, words: bytes) -> None:
    internet.upstream = url
    async with running_proxy(internet, "good.test") as client:
        assert words in await client.connect("good.test:443")
        assert words in await client.send(b"GET http://good.test/ HTTP/1.1\r\n\r\n")


def test_the_environment_of_the_daemon_names_the_users_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert upstream_by_system("https", "good.test") is None
    monkeypatch.setenv("ALL_PROXY", "http://all:1")
    monkeypatch.setenv("HTTPS_PROXY", "http://tls:1")
    monkeypatch.setenv("NO_PROXY", "corp.test")
    assert upstream_by_system("https", "good.test") == "http://tls:1"
    assert upstream_by_system("http", "good.test") == "http://all:1"
    assert upstream_by_system("https", "git.corp.test") is None
