"""The HTTP client of the model host against servers on 127.0.0.1: connections, proxies, certificates, broken bodies."""

import asyncio
import gzip
import socket
import zlib
from collections.abc import Callable

import pytest

from corpus_support import corpus
from model_support.http_client import failure, post
from placet import __version__
from placet.model.host.http_client.addresses import Server, parse_address, redirect_target
from placet.model.host.http_client.client import HttpClient, HttpRequest
from placet.model.host.http_client.failures import (
    ConnectionLost,
    HttpFailure,
    RedirectedAway,
    UnfitRequest,
    UnfitResponse,
    Unreachable,
)
from time_support import LoopClock, wait_seconds
from wire_servers.raw_server import OK, RawServer, Reply, chunked, whole

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_request_says_what_it_is_told_and_nothing_of_the_library():
    async with RawServer(whole(b"hi")).run() as server:
        response = await post(f"{server.url}/v1/chat?a=b#c", headers={"Authorization": "Bearer k", "User-Agent": "x"})

        assert (response.status, response.reason, await response.read()) == (200, "OK", b"hi")
        lines = server.requests[0].decode().split("\r\n")
    assert lines[0] == "POST /v1/chat?a=b HTTP/1.1"
    assert sorted(lines[1:-2]) == [
        "accept-encoding: gzip, deflate",
        "accept: */*",
        "authorization: Bearer k",
        "content-length: 2",
        f"host: 127.0.0.1:{server.port}",
        "user-agent: x",
    ]
    assert lines[-2:] == ["", "{}"]


async def test_a_request_has_a_user_agent():
    async with RawServer(whole(b"")).run() as server:
        await post(server.url)
        await post(server.url, HttpClient({"LITELLM_USER_AGENT": "ours/1"}))
        assert f"\r\nuser-agent: Placet/{__version__}\r\n".encode() in server.requests[0]
        assert b"\r\nuser-agent: ours/1\r\n" in server.requests[1]


async def test_a_large_body_arrives_whole():
    body = bytes(range(256)) * 20_000
    async with RawServer(whole(b"hi")).run() as server:
        await (await post(server.url, body=body)).read()

        assert server.requests[0].endswith(b"\r\n\r\n" + body)


async def test_header_names_are_in_lower_case_and_repeated_headers_are_joined():
    async with RawServer(whole(b"", b"X-Limit: 1", b"x-limit: 2", b"Set-Cookie: a=b")).run() as server:
        client = HttpClient({})
        response = await post(server.url, client)
        assert response.headers == {"content-length": "0", "x-limit": "1, 2", "set-cookie": "a=b"}

        await post(server.url, client)
        assert b"cookie" not in server.requests[1].lower()
        assert b"referer" not in server.requests[1].lower()


async def test_a_connection_is_used_again_and_parallel_requests_have_connections_of_their_own():
    async with RawServer(chunked(b"one", b"two")).run() as server:
        client = HttpClient({})
        for _ in range(3):
            assert await (await post(server.url, client)).read() == b"onetwo"
        assert len(server.peers) == 1

        responses = await asyncio.gather(*(post(server.url, client) for _ in range(4)))
        assert [await response.read() for response in responses] == [b"onetwo"] * 4
    assert 1 < len(server.peers) <= 4


async def test_a_connection_is_used_again_after_a_drained_answer():
    gate = asyncio.Event()
    async with RawServer([chunked(b"one", end=b""), gate, b"3\r\ntwo\r\n0\r\n\r\n"]).run() as server:
        client = HttpClient({})
        response = await post(server.url, client)
        assert await anext(response.chunks()) == b"one"
        gate.set()
        await response.drain()
        await response.close()

        await (await post(server.url, client)).read()
    assert len(server.peers) == 1


async def test_a_connection_the_server_ends_or_says_too_much_on_is_not_used_again():
    replies = (whole(b"a", b"connection: close"), whole(b"b") + whole(b"of nobody"), whole(b"c"), whole(b"d"))
    async with RawServer(*replies).run() as server:
        client = HttpClient({})
        bodies = [await (await post(server.url, client)).read() for _ in replies]
    assert bodies == [b"a", b"b", b"c", b"d"]
    assert len(server.peers) == 3


@pytest.mark.timeout(30)  # Nothing else ends the wait of a stop that needs time.
async def test_a_cancel_needs_no_time_and_is_seen_by_the_server(monkeypatch: pytest.MonkeyPatch):
    async with RawServer([chunked(b"one", end=b""), b"3\r\ntwo\r\n"]).run() as server:
        started = asyncio.Event()

        async def read() -> None:
            response = await post(server.url)
            try:
                async for _ in response.chunks():
                    started.set()
            finally:
                await response.close()

        reading = asyncio.create_task(read())
        await started.wait()
        clock = LoopClock(monkeypatch, stands_still=True)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        clock.skip(0)
        await asyncio.wait_for(server.closed.wait(), wait_seconds())


async def test_a_cancel_before_the_answer_closes_the_connection():
    async with RawServer([b""]).run() as server:
        asking = asyncio.create_task(post(server.url))
        await server.asked.wait()
        asking.cancel()
        async with asyncio.timeout(10):
            await server.closed.wait()


async def test_a_reader_that_stops_stops_the_server():
    block = b"x" * 65_536
    async with RawServer([OK + b"content-type: text/event-stream\r\n\r\n", *[block] * 1_000, None]).run() as server:
        response = await post(server.url)
        chunks = response.chunks()
        size = len(await anext(chunks))
        await asyncio.sleep(0.3)  # For all that would come; there is no event for what does not.
        assert server.sent < 20_000_000

        size += sum([len(chunk) async for chunk in chunks])
    assert size == 65_536_000


@corpus(
    "reply",
    [
        [OK + b"content-length: 100\r\n\r\nhalf", None],
        [chunked(b"half", end=b""), None],
        [chunked(b"half", end=b"5\r\nab"), None],
        [chunked(b"half", end=b"no size\r\n")],
    ],
)
async def test_a_body_that_breaks_off_is_a_failure_after_what_came(reply: Reply):
    async with RawServer(reply).run() as server:
        response = await post(server.url)
        chunks = response.chunks()
        assert (await anext(chunks)).startswith(b"half")
        with pytest.raises(ConnectionLost):
            await anext(chunks)


async def test_a_body_without_a_length_ends_with_the_connection():
    async with RawServer([OK + b"\r\nall", None]).run() as server:
        assert await (await post(server.url)).read() == b"all"


async def test_interim_responses_are_passed_over():
    async with RawServer(b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + whole(b"hi")).run() as server:
        response = await post(server.url)
        assert (response.status, "link" in response.headers, await response.read()) == (200, False, b"hi")


@corpus("pack", [gzip.compress, zlib.compress])
async def test_a_packed_body_is_unpacked(pack: Callable[[bytes], bytes]):
    name = b"gzip" if pack is gzip.compress else b"deflate"
    packed = pack(b"Lorem ipsum " * 10_000)
    async with RawServer(whole(packed, b"content-encoding: " + name)).run() as server:
        assert await (await post(server.url)).read() == b"Lorem ipsum " * 10_000


async def test_a_packing_that_was_not_offered_is_refused():
    async with RawServer(whole(b"...", b"content-encoding: br")).run() as server:
        assert "packed its answer with br" in str(await failure(server.url))


async def test_no_body_is_larger_than_its_limit():
    bomb = gzip.compress(b" " * 70_000_000)
    async with RawServer(whole(bomb, b"content-encoding: gzip")).run() as server:
        assert "larger than any" in str(await failure(server.url))
    refusal = whole(bomb, b"content-encoding: gzip", status=b"400 No")
    async with RawServer(refusal).run() as server:
        assert 900_000 < len(await (await post(server.url)).read()) <= 1_000_000


@corpus("endless", [OK + b"x: " + b"y" * 60_000, chunked(end=b"0\r\nx: " + b"y" * 60_000)])
async def test_no_head_or_trailer_is_endless(endless: bytes):
    async with RawServer([endless, *[b"z" * 60_000] * 50]).run() as server:
        assert isinstance(await failure(server.url), HttpFailure)
        assert server.sent < 10_000_000


async def test_what_is_no_http_is_told():
    async with RawServer([b"SSH-2.0-OpenSSH_9.6\r\n"]).run() as server:
        error = await failure(server.url)
    assert isinstance(error, UnfitResponse)
    assert str(error).startswith("its answer is no HTTP")


async def test_a_server_that_closes_without_an_answer_is_told():
    async with RawServer([None]).run() as server:
        assert str(await failure(server.url)) == "the server closed the connection without an answer"


async def test_a_server_that_is_not_there_is_told():
    async with RawServer(b"").run() as server:
        pass
    error = await failure(server.url)
    assert (type(error), str(error)) == (Unreachable, "Connection refused")


async def test_a_name_nobody_has_is_told():
    error = await failure("http://nobody.invalid/")
    assert isinstance(error, Unreachable)
    assert "name" in str(error).lower()


async def test_a_connection_that_does_not_come_about_is_given_up_in_time():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        # The system answers for a listening socket: the handshake of TLS waits for the program.
        url = f"https://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(Unreachable, match=r"no connection within 0.1 seconds"):
            await HttpClient({}).post(url, headers={}, body=b"", connect_seconds=0.1)


@corpus("value", ["a\r\nx: y", "schlüssel", "a\0"])
async def test_a_header_that_cannot_be_sent_is_told_without_its_value(value: str):
    with pytest.raises(UnfitRequest) as caught:
        await post("http://127.0.0.1:9/", headers={"authorization": value})
    assert "`authorization`" in str(caught.value)
    assert value not in str(caught.value)


async def test_a_login_in_the_address_is_sent_as_a_header():
    async with RawServer(whole(b"")).run() as server:
        await post(server.url.replace("//", "//me:p%40ss@"))
        assert b"authorization: Basic bWU6cEBzcw==\r\n" in server.requests[0]
        assert b"p%40ss" not in server.requests[0]


# Redirects


@corpus("status", [307, 308])
async def test_a_redirect_on_the_server_keeps_the_post(status: int):
    moved = whole(b"", b"Location: /there", status=b"%d Moved" % status)
    async with RawServer(moved, whole(b"found")).run() as server:
        assert await (await post(f"{server.url}/here", body=b"what")).read() == b"found"
        assert server.requests[1].startswith(b"POST /there HTTP/1.1\r\n")
        assert server.requests[1].endswith(b"\r\n\r\nwhat")


@corpus("status", [301, 302, 303])
async def test_an_old_redirect_on_the_server_becomes_a_get(status: int):
    moved = whole(b"", b"Location: /there", status=b"%d Moved" % status)
    async with RawServer(moved, whole(b"found")).run() as server:
        assert await (await post(f"{server.url}/here", headers={"content-type": "x", "a": "b"})).read() == b"found"
        head = server.requests[1]
        assert head.startswith(b"GET /there HTTP/1.1\r\n")
        assert head.endswith(b"\r\n\r\n")
        assert b"content-" not in head
        assert b"a: b\r\n" in head


@corpus("status", [301, 302, 303, 307, 308])
async def test_another_server_is_not_sent_the_conversation(status: int):
    async with RawServer(whole(b"")).run() as other:
        moved = whole(b"", b"Location: %b/v1" % other.url.encode(), status=b"%d Moved" % status)
        async with RawServer(moved).run() as server:
            error = await failure(server.url)
        assert isinstance(error, RedirectedAway)
        assert str(error) == f"it redirects to another server, {other.url}, which was not sent the conversation"
        assert other.requests == []


async def test_redirects_in_a_circle_end():
    async with RawServer(whole(b"", b"Location: /", status=b"307 Again")).run() as server:
        assert "again and again" in str(await failure(server.url))
        assert len(server.requests) == 11


@corpus(
    ("location", "target"),
    [
        ("/there", "http://host/there"),
        ("there?x=1", "http://host/a/there?x=1"),
        ("https://host/b", "https://host/b"),
        ("https://host:8443/b", "https://host:8443/b"),
        ("http://HOST:80/b", "http://HOST:80/b"),
        ("http://host:81/b", None),
        ("https://host.example/b", None),
        ("//other/b", None),
        ("ftp://host/b", None),
        ("https://host@other/b", None),
    ],
)
async def test_only_the_same_host_is_followed(location: str, target: str | None):
    if target is None:
        with pytest.raises(RedirectedAway):
            redirect_target("http://host/a/b", 307, location)
    else:
        assert redirect_target("http://host/a/b", 307, location) == target


async def test_a_redirect_away_from_tls_is_not_followed():
    with pytest.raises(RedirectedAway):
        redirect_target("https://host/a", 308, "http://host/a")


@corpus("url", ["", "host/path", "file:///etc/passwd", "http://", "http://h:x/", "http://[::1/"])
async def test_what_is_no_address_is_told(url: str):
    with pytest.raises(UnfitRequest):
        parse_address(url)


async def test_an_address_is_read_as_it_is_written_on_the_wire():
    address = parse_address("HTTP://Bücher.example:80/a b/%20?q=ü#part")
    assert address.server == Server("http", "xn--bcher-kva.example", 80)
    assert (address.server.authority, address.target) == ("xn--bcher-kva.example", "/a%20b/%20?q=%C3%BC")
    assert parse_address("http://[::1]:8080").server.authority == "[::1]:8080"


async def test_a_get_has_no_body():
    async with RawServer(whole(b"{}")).run() as server:
        response = await HttpClient({}).send(HttpRequest("GET", f"{server.url}/v1/models"), connect_seconds=None)
        assert await response.read() == b"{}"
        assert b"content-length" not in server.requests[0]
