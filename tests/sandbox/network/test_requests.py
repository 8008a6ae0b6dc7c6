"""Requests to the proxy by hostile bytes: nothing is opened that the list does not name."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from http.client import HTTPResponse

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import examples
from network_support import PUBLIC, Internet, echo, running_proxy
from placet.sandbox.network.requests import PlainRequest, RequestReader, TunnelRequest, UnfitRequest, socks_target

HEAD_PARTS = (
    *(b"CONNECT ", b"GET ", b"POST ", b"FOO ", b"good.test", b"evil.test", b"localhost", b"127.0.0.1", b"[::1]", b"@"),
    *(
        b":443",
        b":80",
        b":0",
        b"http://",
        b"https://",
        b"/",
        b"?",
        b"#",
        b" HTTP/1.1",
        b" HTTP/1.0",
        b" ",
        b"\t",
        b"%00",
    ),
    *(b"\r\n", b"\r\n\r\n", b"\n", b"\r", b"\x00", b"\xff", b"Host: ", b"Content-Length: ", b"Transfer-Encoding: "),
    *(b"chunked", b"3", b"abc", b"0\r\n\r\n", b"3\r\nabc\r\n", b"Connection: ", b"Upgrade", b"close", b": x", b","),
    *(b"\x05", b"\x05\x01\x00", b"\x05\x01\x00\x03", b"\x09good.test", b"\x01\xbb", b"\x01\x7f\x00\x00\x01", b"\x04"),
)
HOSTILE = st.lists(st.sampled_from(HEAD_PARTS) | st.binary(max_size=8), max_size=20).map(b"".join)
NAMES = st.sampled_from(["good.test", "a.b.test", "10.0.0.1", "[fd00::1]"])
PATHS = st.from_regex(rb"\A(/[a-z0-9%.;=:@~-]{0,8}){0,3}(\?[a-z=&/?]{0,8})?\Z").filter(lambda path: path[:1] != b"?")
VALUES = st.from_regex(rb"\A[!-~]([ -~]{0,12}[!-~])?\Z")
HEADERS = st.lists(st.tuples(st.from_regex(rb"\AX-[A-Za-z0-9-]{1,10}\Z"), VALUES), max_size=5)


def read(*parts: bytes) -> tuple[TunnelRequest | PlainRequest, bytes]:
    """Return the request of the first part, which has the head, and the body for the server."""
    reader = RequestReader()
    body = reader.feed(parts[0])
    request = reader.request()
    return request, body + b"".join(reader.feed(part) for part in parts[1:] if not reader.is_complete)


@settings(max_examples=examples(100))
@given(HOSTILE)
def test_any_head_is_a_request_for_a_plain_host_or_is_unfit(head: bytes) -> None:
    try:
        request, _ = read(head)
    except UnfitRequest:
        return
    assert set(request.host.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.:")
    assert 0 < request.port < 65536
    if isinstance(request, PlainRequest):
        written = request.head()
        lines = written.split(b"\r\n")
        assert lines[-2:] == [b"", b""]
        assert not any(byte in line for line in lines for byte in (b"\r", b"\n", b"\x00"))
        assert sum(line.lower().startswith(b"host:") for line in lines) == 1
        assert sum(line.lower().startswith((b"content-length:", b"transfer-encoding:")) for line in lines) <= 1


@settings(max_examples=examples(100))
@given(NAMES, st.none() | st.integers(1, 65535), PATHS, HEADERS)
def test_a_plain_request_keeps_its_path_and_headers(
    name: str, port: int | None, path: bytes, headers: Sequence[tuple[bytes, bytes]]
) -> None:
    authority = name.encode() + (b"" if port is None else b":%d" % port)
    lines = b"".join(key + b": " + value + b"\r\n" for key, value in headers)
    request, _ = read(b"GET http://" + authority + path + b" HTTP/1.1\r\nHost: x\r\n" + lines + b"\r\n")
    assert isinstance(request, PlainRequest)
    assert (str(request.host), request.port) == (name, port or 80)
    assert request.path == (path or b"/")
    assert request.headers == tuple(headers)
    again, _ = read(request.head(is_for_proxy=True))
    assert isinstance(again, PlainRequest)
    assert again.head() == request.head()


@settings(max_examples=examples(100))
@given(st.lists(st.binary(min_size=1, max_size=30), max_size=6), st.data())
def test_a_chunked_body_is_the_same_however_it_is_cut(chunks: list[bytes], data: st.DataObject) -> None:
    wire = b"".join(b"%X\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    cuts = sorted(data.draw(st.sets(st.integers(0, len(wire)), max_size=6)))
    parts = [wire[start:end] for start, end in zip([0, *cuts], [*cuts, len(wire)], strict=True)]
    head = b"POST http://good.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    request, body = read(head, *parts, b"GET http://evil.test/ HTTP/1.1\r\n\r\n")
    assert isinstance(request, PlainRequest)
    assert _unchunked(body) == b"".join(chunks)


@settings(max_examples=examples(100))
@given(st.binary(max_size=20), st.binary(min_size=1, max_size=20), st.booleans())
def test_a_second_request_behind_the_body_adds_nothing(first: bytes, second: bytes, is_one_piece: bool) -> None:
    head = b"POST http://%b/ HTTP/1.1\r\nContent-Length: %d\r\n\r\n"
    smuggled = head % (b"evil.test", len(second)) + second
    wire = head % (b"good.test", len(first)) + first
    request, body = read(wire + smuggled) if is_one_piece else read(wire, smuggled)
    assert isinstance(request, PlainRequest)
    assert request.host.name == "good.test"
    assert body == first
    assert request.head().endswith(b"\r\nContent-Length: %d\r\n\r\n" % len(first))


@settings(max_examples=examples(100))
@given(st.sampled_from([1, 3, 4]), st.binary(max_size=30), st.binary(min_size=2, max_size=2))
def test_any_socks_target_is_a_plain_host_or_is_unfit(kind: int, address: bytes, port: bytes) -> None:
    length = {1: 4, 4: 16}.get(kind)
    try:
        host, number = socks_target(kind, address if length is None else address[:length].ljust(length), port)
    except UnfitRequest:
        return
    assert 0 < number < 65536
    assert set(host.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.:")


@settings(max_examples=examples(150))
@given(st.lists(HOSTILE, min_size=1, max_size=4), st.booleans())
def test_no_bytes_open_a_connection_that_the_list_does_not_name(streams: list[bytes], cut: bool) -> None:
    async def attack() -> list[tuple[str, int]]:
        internet = Internet({"good.test": [PUBLIC], "evil.test": ["203.0.113.66"]})
        async with internet.server(echo, (PUBLIC, 443)), running_proxy(internet, "good.test:443") as client:
            for stream in streams:
                reader, writer = await client.open()
                writer.write(stream[:7])
                if cut:
                    await asyncio.sleep(0)
                writer.write(stream[7:])
                writer.write_eof()
                with suppress(ConnectionResetError):
                    await reader.read()
                writer.close()
            assert (await client.connect("evil.test:443")).startswith(b"HTTP/1.1 403")
        return internet.connected

    assert set(asyncio.run(attack())) <= {(PUBLIC, 443)}


def _unchunked(wire: bytes) -> bytes:
    """Return the body as Python's own reader of chunks has it."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + wire)
        response = HTTPResponse(theirs)
        response.begin()
        return response.read()
