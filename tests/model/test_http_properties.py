"""The HTTP client's parsing, held to what is true of any input."""

import asyncio
import os
import urllib.request
from unittest.mock import Mock, patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.model.host.http_client.addresses import Server, parse_address, redirect_target
from placet.model.host.http_client.connection import Connection
from placet.model.host.http_client.failures import RedirectedAway, UnfitRequest, UnfitResponse
from placet.model.host.http_client.heads import head
from placet.model.host.http_client.proxies import is_excepted, proxy_urls
from wire_servers.raw_server import chunked, whole

HOSTS = st.sampled_from(["example.com", "api.example.com", "localhost", "127.0.0.1", "example.org"])
NAMES = st.sampled_from(
    ["*", "", " ", ".", "example.com", ".example.com", "API.example.com", "localhost", "127.0.0.1", "com", "ample.com"]
)
VARIABLES = st.sampled_from(
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"]
)


def fed(pieces: list[bytes]) -> tuple[int, bytes, bool]:
    """The status and the body of a response that arrives in these pieces, and whether the connection can go on."""

    async def receive() -> tuple[int, bytes, bool]:
        freed: list[Connection] = []
        connection = Connection(freed.append)
        connection.connection_made(Mock(is_closing=lambda: False))
        waiting = asyncio.create_task(connection.send([b""]))
        await asyncio.sleep(0)
        for piece in pieces:
            connection.data_received(piece)
        response = await waiting
        return response.status, await response.read(), freed == [connection]

    return asyncio.run(receive())


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=8), st.data(), st.booleans())
def test_a_response_is_the_same_however_the_network_cuts_it(bodies: list[bytes], data: st.DataObject, is_chunked: bool):
    body = b"".join(bodies)
    response = chunked(*bodies) if is_chunked else whole(body)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(response) - 1), max_size=10)))
    pieces = [response[start:end] for start, end in zip([0, *cuts], [*cuts, len(response)], strict=True)]

    assert fed(pieces) == (200, body, True)


@given(st.binary(max_size=300))
def test_no_bytes_of_a_server_break_the_client(junk: bytes):
    connection = Connection(None)
    transport = Mock(is_closing=lambda: False)
    connection.connection_made(transport)

    async def receive() -> None:
        waiting = asyncio.create_task(connection.send([b""]))
        await asyncio.sleep(0)
        connection.data_received(junk)
        connection.connection_lost(None)
        result = (await asyncio.gather(waiting, return_exceptions=True))[0]
        assert not isinstance(result, Exception) or type(result).__module__.startswith("placet."), repr(result)

    asyncio.run(receive())


@given(st.dictionaries(VARIABLES | st.just("REQUEST_METHOD"), st.sampled_from(["", "http://a", "http://b"])))
def test_proxies_are_read_as_python_reads_them(environment: dict[str, str]):
    with patch.dict(os.environ, environment, clear=True):
        expected = urllib.request.getproxies_environment()

    assert proxy_urls(environment) == expected


@given(HOSTS, st.sampled_from([80, 8080]), st.lists(NAMES | st.builds("{}:8080".format, HOSTS), max_size=4))
def test_exceptions_from_the_proxy_are_read_as_python_reads_them(host: str, port: int, names: list[str]):
    no_proxy = ",".join(names)
    expected = urllib.request.proxy_bypass_environment(f"{host}:{port}", {"no": no_proxy})  # pyright: ignore

    assert is_excepted(Server("http", host, port), no_proxy) is bool(expected)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_told_to_be_none(text: str):
    for url in (text, f"http://host/{text}", f"http://{text}"):
        try:
            address = parse_address(url)
        except UnfitRequest:
            continue
        assert address.target.isascii()
        assert address.target.startswith("/")
        assert not set(address.target) & set(" \r\n\t")
        assert address.server.authority.isascii()


@given(st.text(max_size=60))
def test_no_location_leads_to_another_host(location: str):
    try:
        target = redirect_target("https://host.example/a/b?c", 307, location)
    except (RedirectedAway, UnfitResponse):
        return
    if target is not None:
        assert parse_address(target).server == Server("https", "host.example", 443)


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_header_is_one_line_or_refused(name: str, value: str):
    try:
        lines = head("GET / HTTP/1.1", {name: value})
    except UnfitRequest:
        return
    assert lines == f"GET / HTTP/1.1\r\n{name}: {value}\r\n\r\n".encode()
    assert lines.count(b"\n") == 3


@corpus("location", ["http://[", "http://host:99999/", "http://host:port/"])
def test_a_location_that_is_no_address_is_not_followed(location: str):
    with pytest.raises(RedirectedAway):
        redirect_target("http://host/", 307, location)
