"""The ways of the host's HTTP client to a server: certificates and proxies."""

import asyncio
from pathlib import Path

import pytest
import pytest_asyncio

from corpus_support import corpus
from model_support.http_client import failure, post
from placet.model.host.http_client.addresses import Server
from placet.model.host.http_client.client import HttpClient
from placet.model.host.http_client.failures import (
    NotTrusted,
    StoppedByProxy,
    Unreachable,
)
from placet.model.host.http_client.proxies import is_excepted, proxy_urls
from wire_servers.certificates import self_signed
from wire_servers.proxy import Proxy
from wire_servers.raw_server import RawServer, chunked, whole

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("authority")


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


@corpus("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
async def test_http_goes_through_the_proxy_with_its_login(variable: str):
    async with RawServer(whole(b"hi")).run() as server, Proxy() as proxy:
        client = HttpClient({variable: proxy.address.replace("//", "//me:p%40ss@")})
        assert await (await post(f"{server.url}/v1", client)).read() == b"hi"

    assert proxy.asked == [f"POST {server.url}/v1 HTTP/1.1"]
    assert proxy.logins == ["Basic bWU6cEBzcw=="]


@corpus("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
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


@corpus("answer", [b"HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
async def test_a_proxy_may_end_its_answer_to_a_connect(authority: Path, answer: bytes):
    context, file = self_signed(authority)
    async with RawServer(whole(b"hi")).run(ssl=context) as server, Proxy() as proxy:
        proxy.tunnel = answer
        client = HttpClient({"HTTPS_PROXY": proxy.address, "SSL_CERT_FILE": str(file)})
        responses = await asyncio.gather(*(post(server.url, client) for _ in range(3)))
        assert [await response.read() for response in responses] == [b"hi"] * 3
        assert await (await post(server.url, client)).read() == b"hi"


async def test_a_proxy_may_speak_tls_itself(authority: Path):
    context, file = self_signed(authority)
    async with RawServer(whole(b"hi")).run(ssl=context) as server, Proxy(context) as proxy:
        environment = {"ALL_PROXY": proxy.address, "SSL_CERT_FILE": str(file)}
        assert await (await post(server.url, HttpClient(environment))).read() == b"hi"
        error = await failure(server.url, HttpClient({**environment, "SSL_CERT_FILE": ""}))
        assert isinstance(error, NotTrusted)
    async with RawServer(whole(b"hi")).run() as server, Proxy(context) as proxy:
        environment = {"ALL_PROXY": proxy.address, "SSL_CERT_FILE": str(file)}
        assert await (await post(server.url, HttpClient(environment))).read() == b"hi"
        assert proxy.asked == [f"POST {server.url}/ HTTP/1.1"]


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


@corpus(
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
