"""The HTTP client of the model host against servers on 127.0.0.1: connections, proxies, certificates, broken bodies."""

import asyncio
import gzip
import socket
import time
import zlib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from placet.model.host.http_client.addresses import Server, parse_address, redirect_target
from placet.model.host.http_client.client import HttpClient, HttpRequest
from placet.model.host.http_client.connection import HttpResponse
from placet.model.host.http_client.failures import (
    ConnectionLost,
    HttpFailure,
    NotTrusted,
    RedirectedAway,
    StoppedByProxy,
    UnfitRequest,
    UnfitResponse,
    Unreachable,
)
from placet.model.host.http_client.proxies import is_excepted, proxy_urls
from time_support import quickest
from wire_servers.certificates import self_signed
from wire_servers.proxy import Proxy

pytestmark = pytest.mark.asyncio(loop_scope="session")

OK = b"HTTP/1.1 200 OK\r\n"


Reply = bytes | list[bytes | asyncio.Event | None]
"""Bytes to send; in a list an event is awaited, and None closes the connection."""


class RawServer:
    """Server on 127.0.0.1 that reads requests and answers each with the bytes of `reply`, a piece at a time."""

    def __init__(self, *replies: Reply) -> None:
        """Reply to the requests in turn, to the rest with the last reply."""
        self._replies = list(replies)
        self.asked = asyncio.Event()
        self.requests: list[bytes] = []
        self.peers: set[object] = set()
        self.closed = asyncio.Event()
        """Set when a client has closed a connection."""
        self.sent = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def run(self, **options: object) -> AsyncGenerator["RawServer"]:
        self.scheme = "https" if "ssl" in options else "http"
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, **options)  # pyright: ignore[reportArgumentType]
        self.port = server.sockets[0].getsockname()[1]
        yield self
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            self.closed.set()
        except asyncio.CancelledError:
            pass  # The end of `run`.
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next((line[16:] for line in head.split(b"\r\n") if line.startswith(b"content-length: ")), b"0")
        self.requests.append(head + await reader.readexactly(int(length)))
        self.peers.add(writer.get_extra_info("peername"))
        self.asked.set()
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        for piece in reply if isinstance(reply, list) else [reply]:
            if piece is None:
                return False
            if isinstance(piece, asyncio.Event):
                await piece.wait()
                continue
            writer.write(piece)
            await writer.drain()
            self.sent += len(piece)
        return True


def whole(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = [b"HTTP/1.1 " + status, b"content-length: %d" % len(body), *headers]
    return b"\r\n".join([*lines, b"", b""]) + body


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return OK + b"transfer-encoding: chunked\r\n\r\n" + b"".join(b"%x\r\n%b\r\n" % (len(c), c) for c in chunks) + end


async def post(
    url: str, client: HttpClient | None = None, body: bytes = b"{}", headers: Mapping[str, str] | None = None
) -> HttpResponse:
    return await (client or HttpClient({})).post(url, headers=headers or {}, body=body, connect_seconds=5)


async def failure(url: str, client: HttpClient | None = None) -> HttpFailure:
    with pytest.raises(HttpFailure) as caught:
        await (await post(url, client)).read()
    return caught.value


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("authority")


async def test_a_request_says_what_it_is_told_and_nothing_of_the_library():
    async with RawServer(whole(b"hi")).run() as server:
        response = await post(f"{server.url}/v1/chat?a=b#c", headers={"Authorization": "Bearer k", "User-Agent": "x"})

        assert (response.status, response.reason, await response.read()) == (200, "OK", b"hi")
        lines = server.requests[0].decode().split("\r\n")
    assert lines[0] == "POST /v1/chat?a=b HTTP/1.1"
    assert sorted(lines[1:-2]) == [
        "accept-encoding: gzip, deflate",
        "authorization: Bearer k",
        "content-length: 2",
        f"host: 127.0.0.1:{server.port}",
        "user-agent: x",
    ]
    assert lines[-2:] == ["", "{}"]


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


async def test_a_cancel_is_seen_by_the_server_at_once_and_costs_the_caller_nothing():
    costs: list[float] = []

    async def seen() -> float:
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
            cancelled = time.perf_counter()
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            costs.append(time.perf_counter() - cancelled)
            await server.closed.wait()
            return time.perf_counter() - cancelled

    assert await quickest(seen, 0.005) < 0.005
    assert min(costs) < 0.001


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


@pytest.mark.parametrize(
    "reply",
    [
        [OK + b"content-length: 100\r\n\r\nhalf", None],
        [chunked(b"half", end=b""), None],
        [chunked(b"half", end=b"5\r\nab"), None],
        [chunked(b"half", end=b"no size\r\n")],
    ],
    ids=["content-length", "chunks", "chunk", "damaged"],
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


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress], ids=["gzip", "deflate"])
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


@pytest.mark.parametrize(
    "endless", [OK + b"x: " + b"y" * 60_000, chunked(end=b"0\r\nx: " + b"y" * 60_000)], ids=["head", "trailer"]
)
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


@pytest.mark.parametrize("value", ["a\r\nx: y", "schlüssel", "a\0"])
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


@pytest.mark.parametrize("status", [307, 308])
async def test_a_redirect_on_the_server_keeps_the_post(status: int):
    moved = whole(b"", b"Location: /there", status=b"%d Moved" % status)
    async with RawServer(moved, whole(b"found")).run() as server:
        assert await (await post(f"{server.url}/here", body=b"what")).read() == b"found"
        assert server.requests[1].startswith(b"POST /there HTTP/1.1\r\n")
        assert server.requests[1].endswith(b"\r\n\r\nwhat")


@pytest.mark.parametrize("status", [301, 302, 303])
async def test_an_old_redirect_on_the_server_becomes_a_get(status: int):
    moved = whole(b"", b"Location: /there", status=b"%d Moved" % status)
    async with RawServer(moved, whole(b"found")).run() as server:
        assert await (await post(f"{server.url}/here", headers={"content-type": "x", "a": "b"})).read() == b"found"
        head = server.requests[1]
        assert head.startswith(b"GET /there HTTP/1.1\r\n")
        assert head.endswith(b"\r\n\r\n")
        assert b"content-" not in head
        assert b"a: b\r\n" in head


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("url", ["", "host/path", "file:///etc/passwd", "http://", "http://h:x/", "http://[::1/"])
async def test_what_is_no_address_is_told(url: str):
    with pytest.raises(UnfitRequest):
        parse_address(url)


async def test_an_address_is_read_as_it_is_written_on_the_wire():
    address = parse_address("HTTP://Bücher.example:80/a b/%20?q=ü#part")
    assert address.server == Server("http", "xn--bcher-kva.example", 80)
    assert (address.server.authority, address.target) == ("xn--bcher-kva.example", "/a%20b/%20?q=%C3%BC")
    assert parse_address("http://[::1]:8080").server.authority == "[::1]:8080"


# Certificates


async def test_a_named_authority_is_trusted(authority: Path):
    context, file = self_signed(authority)
    async with RawServer(whole(b"hi")).run(ssl=context) as server:
        client = HttpClient({"SSL_CERT_FILE": str(file)})
        for _ in range(2):
            assert await (await post(server.url, client)).read() == b"hi"
        assert len(server.peers) == 1
        assert await (await post(server.url, HttpClient({"SSL_VERIFY": str(file)}))).read() == b"hi"


async def test_a_certificate_nobody_vouches_for_is_told(authority: Path):
    context, _ = self_signed(authority)
    async with RawServer(whole(b"hi")).run(ssl=context) as server:
        error = await failure(server.url)
        assert (type(error), str(error)) == (NotTrusted, "certificate verify failed: self-signed certificate")
        assert server.requests == []
        assert await (await post(server.url, HttpClient({"SSL_VERIFY": "False"}))).read() == b"hi"


async def test_a_certificate_of_another_host_is_told(authority: Path):
    context, file = self_signed(authority)
    async with RawServer(whole(b"hi")).run(ssl=context) as server, Proxy() as proxy:
        client = HttpClient({"SSL_CERT_FILE": str(file), "HTTPS_PROXY": proxy.address})
        # The proxy connects to this machine by the name, which the certificate does not hold.
        error = await failure(server.url.replace("127.0.0.1", "127.1"), client)
    assert isinstance(error, NotTrusted)
    assert "not valid for '127.1'" in str(error)


async def test_a_server_without_tls_is_told():
    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        error = await failure(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    assert isinstance(error, Unreachable)
    assert str(error).startswith("the TLS handshake failed")


async def test_a_cancel_over_tls_is_seen_by_the_server(authority: Path):
    context, file = self_signed(authority)
    async with RawServer([chunked(b"one", end=b"")]).run(ssl=context) as server:
        response = await post(server.url, HttpClient({"SSL_CERT_FILE": str(file)}))
        await anext(response.chunks())
        await response.close()
        async with asyncio.timeout(10):
            await server.closed.wait()


async def test_a_setting_of_tls_that_openssl_does_not_know_is_told_at_the_connection(authority: Path):
    context, file = self_signed(authority)
    async with RawServer(whole(b"hi")).run(ssl=context) as server:
        client = HttpClient({"SSL_CERT_FILE": str(file), "SSL_SECURITY_LEVEL": "NONSENSE"})
        await client.warm()
        for _ in range(2):
            assert "cipher" in str(await failure(server.url, client))
        client = HttpClient({"SSL_CERT_FILE": str(file), "SSL_ECDH_CURVE": "nonsense"})
        await client.warm()
        assert await (await post(server.url, client)).read() == b"hi"


async def test_a_cancelled_call_leaves_the_settings_of_tls_to_the_next(authority: Path):
    context, file = self_signed(authority)
    async with RawServer(whole(b"hi")).run(ssl=context) as server:
        client = HttpClient({"SSL_CERT_FILE": str(file)})
        cancelled = asyncio.create_task(post(server.url, client))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
        assert await (await post(server.url, client)).read() == b"hi"


# Proxies


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
async def test_http_goes_through_the_proxy_with_its_login(variable: str):
    async with RawServer(whole(b"hi")).run() as server, Proxy() as proxy:
        client = HttpClient({variable: proxy.address.replace("//", "//me:p%40ss@")})
        assert await (await post(f"{server.url}/v1", client)).read() == b"hi"

    assert proxy.asked == [f"POST {server.url}/v1 HTTP/1.1"]
    assert proxy.logins == ["Basic bWU6cEBzcw=="]


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
async def test_https_goes_through_a_tunnel_of_the_proxy(authority: Path, variable: str):
    context, file = self_signed(authority)
    async with RawServer(whole(b"hi")).run(ssl=context) as server, Proxy() as proxy:
        client = HttpClient({variable: proxy.address.replace("//", "//me:p%40ss@"), "SSL_CERT_FILE": str(file)})
        for _ in range(2):
            assert await (await post(f"{server.url}/v1", client)).read() == b"hi"
        assert server.requests[0].startswith(b"POST /v1 HTTP/1.1\r\n")
        assert b"proxy-authorization" not in server.requests[0]

    assert proxy.asked == [f"CONNECT 127.0.0.1:{server.port} HTTP/1.1"]
    assert proxy.logins == ["Basic bWU6cEBzcw=="]


async def test_a_proxy_of_the_other_scheme_or_an_excepted_host_is_not_asked():
    async with RawServer(whole(b"hi")).run() as server, Proxy() as proxy:
        for environment in (
            {"HTTPS_PROXY": proxy.address},
            {"HTTP_PROXY": proxy.address, "NO_PROXY": "127.0.0.1"},
            {"HTTP_PROXY": proxy.address, "no_proxy": "*"},
            {"HTTP_PROXY": proxy.address, "http_proxy": ""},
            {"HTTP_PROXY": proxy.address, "DISABLE_AIOHTTP_TRUST_ENV": "True"},
        ):
            assert await (await post(server.url, HttpClient(environment))).read() == b"hi"
    assert proxy.asked == []


async def test_a_proxy_that_refuses_or_is_not_there_is_told_without_its_login():
    async with Proxy() as proxy:
        proxy.refuses = True
        address = proxy.address
        client = HttpClient({"HTTPS_PROXY": address.replace("//", "//me:secret@")})
        error = await failure("https://127.0.0.1:9/", client)
        assert (type(error), str(error)) == (StoppedByProxy, "403 Not Today")
    error = await failure("https://127.0.0.1:9/", client)
    assert (type(error), str(error)) == (StoppedByProxy, f"{address}: Connection refused")
    error = await failure("https://h/", HttpClient({"HTTPS_PROXY": "socks5://me:secret@127.0.0.1:9"}))
    assert isinstance(error, StoppedByProxy)
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    ("no_proxy", "excepted"),
    [
        ("", False),
        ("*", True),
        ("example.com", True),
        (".example.com", True),
        ("ample.com", False),
        ("other.org, API.example.com", True),
        ("api.example.com:8080", True),
        ("api.example.com:81", False),
        ("example.com:8080", True),
        (",", False),
    ],
)
async def test_no_proxy_names_hosts_and_domains(no_proxy: str, excepted: bool):
    assert is_excepted(Server("http", "api.example.com", 8080), no_proxy) is excepted


async def test_a_lower_case_variable_counts_more_and_a_cgi_process_has_no_http_proxy():
    assert proxy_urls({"HTTP_PROXY": "a", "http_proxy": "b", "Https_Proxy": "c"}) == {"http": "b", "https": "c"}
    assert proxy_urls({"HTTP_PROXY": "a", "REQUEST_METHOD": "GET"}) == {}


async def test_a_get_has_no_body():
    async with RawServer(whole(b"{}")).run() as server:
        response = await HttpClient({}).send(HttpRequest("GET", f"{server.url}/v1/models"), connect_seconds=None)
        assert await response.read() == b"{}"
        assert b"content-length" not in server.requests[0]
