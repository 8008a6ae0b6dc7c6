"""The proxy of the sandbox: which connections it opens, by raw bytes."""

import asyncio
import socket
from collections.abc import Sequence

import pytest

from corpus_support import corpus
from network_support import OTHER_PUBLIC, OWN, PUBLIC, Internet, ProxyClient, echo, running_proxy, show_request
from placet.core.errors import NobodyToAsk
from placet.sandbox.network import connections as connections_module
from placet.sandbox.network import proxy as proxy_module
from time_support import LoopClock

OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"


@pytest.fixture
def internet() -> Internet:
    return Internet({"good.test": [PUBLIC], "other.test": [OTHER_PUBLIC]})


async def tunnel(client: ProxyClient, place: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await client.open()
    writer.write(f"CONNECT {place} HTTP/1.1\r\n\r\n".encode())
    assert await reader.readexactly(len(OPEN)) == OPEN
    return reader, writer


async def test_a_listed_host_is_reached_and_bytes_go_both_ways(internet: Internet) -> None:
    async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, "good.test") as client:
        reader, writer = await tunnel(client, "good.test:443")
        writer.write(b"\x16\x03\x01 hello")
        writer.write_eof()
        assert await reader.read() == b"\x16\x03\x01 hello"
        writer.close()
    assert internet.connected == [(PUBLIC, 443)]


async def test_bytes_sent_with_the_request_go_into_the_tunnel(internet: Internet) -> None:
    async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, "good.test") as client:
        reader, writer = await client.open()
        writer.write(b"CONNECT good.test:443 HTTP/1.1\r\n\r\nearly")
        writer.write_eof()
        assert await reader.read() == OPEN + b"early"
        writer.close()


async def test_a_host_that_is_not_listed_is_refused_with_a_sentence(internet: Internet) -> None:
    async with running_proxy(internet, "good.test") as client:
        answer = await client.connect("other.test:443")
        assert answer.startswith(b"HTTP/1.1 403 Refused by the sandbox\r\n")
        sentence = b"Placet's sandbox refuses the connection to other.test:443: not in `sandbox.domains`.\n"
        assert answer.endswith(b"\r\n\r\n" + sentence)
        assert [str(refusal) for refusal in client.connections.refusals] == [
            "connect to other.test:443 (not in `sandbox.domains`)"
        ]
    assert not internet.resolved
    assert not internet.connected


@corpus(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "0.0.0.0", "::"),
        *("169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%lo", "fd00:ec2::254", "100.100.100.200"),
        *("10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "fd00::1", "224.0.0.1", "255.255.255.255", OWN),
    ],
)
@corpus("entry", ["*.test", "good.test"])
async def test_a_listed_name_of_an_address_that_is_not_public_is_refused(address: str, entry: str) -> None:
    internet = Internet({"good.test": [address]})
    opens = entry == "good.test" and address in {"10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "fd00::1"}
    async with running_proxy(internet, entry) as client:
        answer = await client.connect("good.test:443")
    assert answer.startswith(b"HTTP/1.1 502" if opens else b"HTTP/1.1 403")
    assert internet.connected == ([(address, 443)] if opens else [])


@pytest.mark.parametrize("address", ["127.0.0.9", "169.254.169.254", OWN, "[::]", "[fe80::1]", "0.0.0.0"])
async def test_a_closed_address_is_refused_without_a_question(internet: Internet, address: str) -> None:
    async def ask(host: str, port: int) -> bool:
        raise AssertionError

    async with running_proxy(internet, ask=ask) as client:
        assert (await client.connect(f"{address}:80")).startswith(b"HTTP/1.1 403")
    assert not internet.connected


async def test_a_yes_opens_a_private_address_but_not_a_name_that_leads_to_one() -> None:
    internet = Internet({"db.test": ["10.0.0.5"]})
    async with (
        internet.server(echo, ("10.0.0.5", 5432)),
        running_proxy(internet, ask=lambda host, port: asyncio.sleep(0, True)) as client,
    ):
        answer = await client.connect("db.test:5432")
        assert b"10.0.0.5 is a private address; `sandbox.domains` opens such a host by its full name" in answer
        (await tunnel(client, "10.0.0.5:5432"))[1].close()


async def test_a_name_is_resolved_once_and_the_checked_address_is_used() -> None:
    class Turncoat(Internet):
        async def _resolve(self, host: str, port: int) -> list[str]:
            self.resolved.append(host)
            return [PUBLIC] if len(self.resolved) == 1 else ["127.0.0.1"]

    internet = Turncoat()
    async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, "good.test") as client:
        (await tunnel(client, "good.test:443"))[1].close()
        assert (await client.connect("good.test:443")).startswith(b"HTTP/1.1 403")
    assert internet.resolved == ["good.test", "good.test"]
    assert internet.connected == [(PUBLIC, 443)]


async def test_of_several_addresses_the_public_ones_are_tried_in_their_order() -> None:
    internet = Internet({"good.test": ["127.0.0.1", OTHER_PUBLIC, "10.0.0.1", PUBLIC]})
    async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, "*.test") as client:
        (await tunnel(client, "good.test:443"))[1].close()
    assert internet.connected == [(OTHER_PUBLIC, 443), (PUBLIC, 443)]


async def test_an_unknown_name_and_a_silent_host_are_unreachable_and_not_refused(internet: Internet) -> None:
    async with running_proxy(internet, "*.test") as client:
        assert b"the host cannot be found" in await client.connect("missing.test:443")
        assert b"HTTP/1.1 502 Bad Gateway" in await client.connect("good.test:443")
        assert client.connections.refusals == ()


@pytest.mark.parametrize(
    "head",
    [
        b"CONNECT good.test@evil.test:443 HTTP/1.1\r\n\r\n",
        b"CONNECT user:good.test@evil.test:443 HTTP/1.1\r\n\r\n",
        b"CONNECT good.test HTTP/1.1\r\n\r\n",
        b"CONNECT good.test:443/ HTTP/1.1\r\n\r\n",
        b"CONNECT http://good.test:443 HTTP/1.1\r\n\r\n",
        b"CONNECT 0x7f.1:443 HTTP/1.1\r\n\r\n",
        b"CONNECT 2130706433:443 HTTP/1.1\r\n\r\n",
        b"CONNECT [fe80::1%25lo]:443 HTTP/1.1\r\n\r\n",
        b"CONNECT good.test:443 HTTP/1.1\n\n\r\n\r\n",
        b"CONNECT good.test:443 HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
        b"CONNECT good.test:443 HTTP/1.1\r\nA : b\r\n\r\n",
        b"CONNECT good.test:443 HTTP/2.0\r\n\r\n",
        b"CONNECT good.test:0 HTTP/1.1\r\n\r\n",
        b"CONNECT good.test:99999 HTTP/1.1\r\n\r\n",
        b"CONNECT b\xc3\xbccher.test:443 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"GET https://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"GET ftp://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"GET http://good.test@evil.test/ HTTP/1.1\r\n\r\n",
        b"GET http://good.test:80:80/ HTTP/1.1\r\n\r\n",
        b"GET http:///path HTTP/1.1\r\n\r\n",
        b"GET http://good.test/ a HTTP/1.1\r\n\r\n",
        b"GET http://good.test\\@evil.test/ HTTP/1.1\r\n\r\n",
        b"POST http://good.test/ HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
        b"POST http://good.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
        b"POST http://good.test/ HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        b"POST http://good.test/ HTTP/1.1\r\nContent-Length: +3\r\n\r\nabc",
        b"POST http://good.test/ HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"POST http://good.test/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"POST http://good.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n",
        b"POST http://good.test/ HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 1\r\n\r\na",
        b"FOO http://good.test/ HTTP/1.1\r\n\r\n",
        b"\x00\x01\x02\x03\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        b"\r\n\r\n\r\n",
    ],
)
async def test_a_request_that_servers_could_read_in_two_ways_is_not_served(internet: Internet, head: bytes) -> None:
    async with running_proxy(internet, "good.test", "evil.test") as client:
        answer = await client.send(head)
    assert answer[:12] in {b"HTTP/1.1 400", b"HTTP/1.1 501", b"HTTP/1.1 505"}
    assert not internet.resolved
    assert not internet.connected


async def test_a_second_request_in_a_tunnel_is_only_bytes_for_the_first_target(internet: Internet) -> None:
    second = b"CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\n"
    async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, "good.test") as client:
        reader, writer = await tunnel(client, "good.test:443")
        writer.write(second)
        writer.write_eof()
        assert await reader.read() == second
        writer.close()
        assert client.connections.refusals == ()
    assert internet.resolved == ["good.test"]


async def test_the_target_and_not_the_host_header_says_where_a_request_goes(internet: Internet) -> None:
    async with internet.server(show_request, (PUBLIC, 80)), running_proxy(internet, "good.test") as client:
        answer = await client.send(
            b"GET http://GOOD.test./a/b?c=d#e HTTP/1.1\r\nhost: evil.test\r\nAccept: */*\r\n"
            b"Proxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: keep-alive\r\nX-Hop: 1\r\n"
            b"Connection: keep-alive, X-Hop\r\n\r\n"
        )
    assert answer.partition(b"\r\n\r\n")[2] == (
        b"GET /a/b?c=d HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\nAccept: */*\r\n\r\n"
    )


@pytest.mark.parametrize(("target", "path"), [(b"http://good.test", b"/"), (b"http://good.test/?q", b"/?q")])
async def test_an_address_without_a_path_asks_for_the_root(internet: Internet, target: bytes, path: bytes) -> None:
    async with internet.server(show_request, (PUBLIC, 80)), running_proxy(internet, "good.test") as client:
        assert b"\r\n\r\nGET " + path + b" HTTP/1.1\r\n" in await client.send(b"GET " + target + b" HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize(
    ("sent", "received"),
    [
        ([b"Content-Length: 6\r\n\r\n", b"abc", b"def"], b"Content-Length: 6\r\n\r\nabcdef"),
        ([b"content-length: 6\r\n\r\nabcdef"], b"Content-Length: 6\r\n\r\nabcdef"),
        (
            [b"Transfer-Encoding: chunked\r\n\r\n", b"3;x=y\r\nabc\r\n", b"0\r\nTrailer: t\r\n\r\n"],
            b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ),
        ([b"Content-Length: 0\r\n\r\n"], b"Content-Length: 0\r\n\r\n"),
        ([b"\r\n"], b"\r\n"),
    ],
)
async def test_a_body_arrives_as_long_as_it_was_and_nothing_behind_it(
    internet: Internet, sent: Sequence[bytes], received: bytes
) -> None:
    smuggled = b"GET http://evil.test/ HTTP/1.1\r\n\r\n"
    expected = b"POST / HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n" + received
    taken = asyncio.Queue[bytes]()

    async def collect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.put_nowait(await reader.readexactly(len(expected)))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.write_eof()
        taken.put_nowait(await reader.read())

    async with internet.server(collect, (PUBLIC, 80)), running_proxy(internet, "good.test") as client:
        reader, writer = await client.open()
        writer.write(b"POST http://good.test/ HTTP/1.1\r\n" + sent[0])
        for part in sent[1:]:
            writer.write(part)
            await writer.drain()
        writer.write(smuggled)
        assert (await reader.read()).startswith(b"HTTP/1.1 204")
        writer.close()
        assert await taken.get() == expected
        assert await taken.get() == b""
    assert internet.resolved == ["good.test"]


async def test_a_client_that_leaves_ends_the_request_at_the_server(internet: Internet) -> None:
    left = asyncio.Event()

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.read() == b""
        left.set()

    async with internet.server(never, (PUBLIC, 80)), running_proxy(internet, "good.test") as client:
        _, writer = await client.open()
        writer.write(b"GET http://good.test/ HTTP/1.1\r\n\r\n")
        await writer.drain()
        writer.close()
        await left.wait()


async def test_a_broken_body_closes_the_connection(internet: Internet) -> None:
    ended = asyncio.Event()

    async def read_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        ended.set()

    async with internet.server(read_on, (PUBLIC, 80)), running_proxy(internet, "good.test") as client:
        request = b"POST http://good.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc"
        assert await client.send(request) == b""
        await ended.wait()


async def test_a_client_that_sends_megabytes_of_head_can_read_the_refusal(internet: Internet) -> None:
    def send_all_and_then_read(port: int) -> bytes:
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"CONNECT good.test:443 HTTP/1.1\r\nX: " + b"a" * (1 << 24) + b"\r\n\r\n")
            return client.recv(1 << 16)

    async with running_proxy(internet, "good.test") as client:
        answer = await asyncio.to_thread(send_all_and_then_read, client.port)
        assert answer.startswith(b"HTTP/1.1 431")
        assert b"longer than 64 KB" in answer


@pytest.mark.parametrize("start", [b"", b"CONNECT good", b"\x05", b"\x05\x01\x00\x05\x01\x00\x03\x09good"])
async def test_a_client_that_does_not_finish_its_request_is_closed_in_time(
    internet: Internet, start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_proxy(internet, "good.test") as client:
        clock = LoopClock(monkeypatch, stands_still=True)
        reader, writer = await client.open()
        writer.write(start)
        closed = asyncio.create_task(reader.read())
        served = await client.open()  # Once the later client is served, the proxy waits for the first client.
        served[1].write(b"CONNECT other.test:1 HTTP/1.1\r\n\r\n")
        await served[0].readuntil(b"\n")
        clock.skip(proxy_module.HEAD_SECONDS)
        assert await closed in {b"", b"\x05\x00"}
        for stream in (writer, served[1]):
            stream.close()


async def test_more_clients_than_the_limit_are_closed(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "MAX_CONNECTIONS", 3)
    async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, "good.test") as client:
        tunnels = [await tunnel(client, "good.test:443") for _ in range(3)]
        assert await client.send(b"") == b""
        for _, writer in tunnels:
            writer.close()
            await writer.wait_closed()
        while not (answer := await client.send(b"CONNECT other.test:443 HTTP/1.1\r\n\r\n")):
            pass
        assert answer.startswith(b"HTTP/1.1 403")


async def test_the_end_of_the_proxy_closes_tunnels(internet: Internet) -> None:
    async with internet.server(echo, (PUBLIC, 443)):
        async with running_proxy(internet, "good.test") as client:
            reader, writer = await tunnel(client, "good.test:443")
        assert await reader.read() == b""
        writer.close()


class Questions:
    """The user, who is shown one question after another."""

    def __init__(self) -> None:
        self.shown: asyncio.Queue[tuple[str, asyncio.Future[bool]]] = asyncio.Queue()
        self.count = 0

    async def ask(self, host: str, port: int) -> bool:
        self.count += 1
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.shown.put_nowait((f"{host}:{port}", answer))
        return await answer


async def test_the_connection_waits_for_the_user_and_one_question_serves_all_connections(internet: Internet) -> None:
    questions = Questions()
    async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, ask=questions.ask) as client:
        waiting = [asyncio.create_task(tunnel(client, "good.test:443")) for _ in range(3)]
        place, answer = await questions.shown.get()
        assert place == "good.test:443"
        answer.set_result(True)
        for _, writer in [*(await asyncio.gather(*waiting)), await tunnel(client, "good.test:443")]:
            writer.close()
    assert questions.count == 1


async def test_questions_about_two_hosts_are_shown_one_after_the_other(internet: Internet) -> None:
    questions = Questions()
    async with running_proxy(internet, ask=questions.ask) as client:
        first = asyncio.create_task(client.connect("good.test:443"))
        _, answer = await questions.shown.get()
        second = asyncio.create_task(client.connect("other.test:443"))
        third = asyncio.create_task(client.connect("good.test:80"))
        assert b"403" in await client.connect("localhost:1")  # The two are in the queue by now.
        assert questions.count == 1
        answer.set_result(False)
        assert b"the user does not want this connection" in await first
        for _ in (second, third):
            (await questions.shown.get())[1].set_result(False)
        await asyncio.gather(second, third)


async def test_a_no_is_remembered_for_the_command(internet: Internet) -> None:
    async def no(host: str, port: int) -> bool:
        nonlocal count
        count += 1
        return False

    count = 0
    async with running_proxy(internet, ask=no) as client:
        for _ in range(3):
            assert b"the user does not want this connection" in await client.connect("good.test:443")
        assert len(client.connections.refusals) == 1
    assert count == 1


async def test_an_error_of_the_gate_is_the_reason_of_the_refusal(internet: Internet) -> None:
    async def ask(host: str, port: int) -> bool:
        raise NobodyToAsk(f"Nobody is here to allow {host}:{port}.")

    async with running_proxy(internet, ask=ask) as client:
        answer = await client.connect("good.test:443")
        assert answer.endswith(b"refuses the connection to good.test:443: Nobody is here to allow good.test:443.\n")


async def test_a_command_asks_about_five_hosts_at_most(internet: Internet) -> None:
    async def no(host: str, port: int) -> bool:
        asked.append(host)
        return False

    asked: list[str] = []
    async with running_proxy(internet, ask=no) as client:
        answers = [await client.connect(f"h{number}.test:443") for number in range(7)]
    assert asked == [f"h{number}.test" for number in range(5)]
    assert all(b"asks about 5 hosts at most" in answer for answer in answers[5:])


async def test_without_an_answer_in_time_the_connection_is_refused_and_the_question_stays(
    internet: Internet, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = Questions()
    async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, ask=questions.ask) as client:
        clock = LoopClock(monkeypatch)
        first = asyncio.create_task(client.connect("good.test:443"))
        _, answer = await questions.shown.get()
        clock.skip(connections_module.HOLD_SECONDS)
        assert b"no answer within 60 seconds" in await first
        answer.set_result(True)
        (await tunnel(client, "good.test:443"))[1].close()
    assert questions.count == 1


async def test_the_end_of_the_command_takes_the_question_back(internet: Internet) -> None:
    questions = Questions()
    async with running_proxy(internet, ask=questions.ask) as client:
        waiting = asyncio.create_task(client.connect("good.test:443"))
        _, answer = await questions.shown.get()
        await client.connections.close()
        assert answer.cancelled()
        assert b"the command has ended" in await waiting


async def test_refusals_are_kept_once_and_up_to_a_limit(internet: Internet) -> None:
    async with running_proxy(internet) as client:
        for number in range(connections_module.MAX_REFUSALS + 5):
            await client.connect(f"h{number}.test:443")
            await client.connect("h0.test:443")
        assert len(client.connections.refusals) == connections_module.MAX_REFUSALS


async def test_allowed_hosts_are_kept_once_and_up_to_a_limit_and_refused_hosts_are_not(
    internet: Internet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections_module, "MAX_HOSTS", 2)
    async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, "*.good.test", "good.test") as client:
        for _ in range(2):
            _, writer = await tunnel(client, "good.test:443")
            writer.close()
        for name in ("other.test", "a.good.test", "b.good.test"):
            await client.connect(f"{name}:443")
        assert client.connections.hosts == ("good.test:443", "a.good.test:443")


def socks(kind: int, address: bytes, port: int, command: int = 1) -> bytes:
    length = bytes((len(address),)) if kind == 3 else b""
    return b"\x05\x01\x00" + bytes((5, command, 0, kind)) + length + address + port.to_bytes(2, "big")


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        (3, b"good.test"),
        (3, b"GOOD.test."),
        (3, PUBLIC.encode()),
        (1, socket.inet_aton(PUBLIC)),
        (3, OTHER_PUBLIC.encode()),
        (4, socket.inet_pton(socket.AF_INET6, OTHER_PUBLIC)),
        (4, socket.inet_pton(socket.AF_INET6, f"::ffff:{PUBLIC}")),
    ],
)
async def test_socks_reaches_names_and_addresses(internet: Internet, kind: int, address: bytes) -> None:
    places = (PUBLIC, 5432), (OTHER_PUBLIC, 5432)
    domains = "good.test", PUBLIC, f"[{OTHER_PUBLIC}]"
    async with internet.server(echo, *places), running_proxy(internet, *domains) as client:
        reader, writer = await client.open()
        writer.write(socks(kind, address, 5432) + b"hello")
        writer.write_eof()
        assert await reader.read() == b"\x05\x00" + b"\x05\x00\x00\x01" + bytes(6) + b"hello"
        writer.close()


@pytest.mark.parametrize(
    ("request_bytes", "code"),
    [
        (socks(3, b"other.test", 443), 2),
        (socks(1, bytes((127, 0, 0, 1)), 80), 2),
        (socks(1, bytes((169, 254, 169, 254)), 80), 2),
        (socks(4, bytes(15) + b"\x01", 80), 2),
        (socks(3, b"good.test", 81), 4),
        (socks(3, b"good.test", 443, command=2), 7),
        (socks(3, b"good.test", 443, command=3), 7),
        (socks(3, b"good.test@evil", 443), 8),
        (socks(3, b"0x7f.1", 443), 8),
        (socks(3, b"fe80::1%lo", 443), 8),
        (socks(3, b"good.test", 0), 8),
        (socks(3, b"", 443), 8),
        (socks(9, b"good", 443), 8),
    ],
)
async def test_socks_answers_a_refusal_by_its_code(internet: Internet, request_bytes: bytes, code: int) -> None:
    async with running_proxy(internet, "good.test") as client:
        answer = await client.send(request_bytes)
    assert answer[:4] == bytes((5, 0, 5, code))
    assert (PUBLIC, 443) not in internet.connected


async def test_socks_clients_that_insist_on_a_login_are_turned_away(internet: Internet) -> None:
    async with running_proxy(internet, "good.test") as client:
        assert await client.send(b"\x05\x01\x02") == b"\x05\xff"


async def test_a_socks_refusal_stands_in_the_result(internet: Internet) -> None:
    async with running_proxy(internet) as client:
        await client.send(socks(3, b"db.test", 5432))
        assert [str(refusal) for refusal in client.connections.refusals] == [
            "connect to db.test:5432 (not in `sandbox.domains`)"
        ]


async def test_a_listed_port_of_this_machine_is_reached(internet: Internet) -> None:
    async with (
        internet.server(echo, ("127.0.0.1", 3000), ("127.0.0.1", 3001)),
        running_proxy(internet, "localhost:3000") as client,
    ):
        for place in ("localhost:3000", "127.0.0.1:3000", "[::1]:3000"):
            (await tunnel(client, place))[1].close()
        assert b"which `sandbox.domains` does not open" in await client.connect("localhost:3001")
    assert internet.connected == [("127.0.0.1", 3000)] * 3
