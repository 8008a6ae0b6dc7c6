"""The way to the provider: certificates of one's own authority, proxies, time limits, and connections let go."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from corpus_support import corpus
from model_support.asking import answer, failure, request, text_of
from model_support.wires import NAMES, each_wire, opener
from placet.model.base import TextDelta
from placet.model.client.host import HostedModel, ModelHost
from placet.settings import Settings
from time_support import LoopClock, wait_seconds
from wire_servers.answers import Bytes, Pause, Text, Wait
from wire_servers.certificates import self_signed
from wire_servers.proxy import Proxy
from wire_servers.server import Wire, WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("authority")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def secure_server(authority: Path) -> AsyncIterator[WireServer]:
    context, _ = self_signed(authority)
    async with WireServer(tls=context) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def proxy() -> AsyncIterator[Proxy]:
    async with Proxy() as proxy:
        yield proxy


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def travelled(secure_server: WireServer, authority: Path, proxy: Proxy) -> AsyncIterator[ModelHost]:
    """A host behind a proxy, that is told of an authority as requests and curl are told."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
        "REQUESTS_CA_BUNDLE": str(authority / "authority.pem"),
        "HTTPS_PROXY": proxy.address,
        "HTTP_PROXY": proxy.address,
        "NO_PROXY": "localhost",
        "OPENAI_API_KEY": "none",
    }
    environment.pop("SSL_CERT_FILE", None)
    host = ModelHost(environment=environment)
    await host.start()
    yield host
    await host.close()


def model_at(host: ModelHost, base: str, **options: object) -> HostedModel:
    return host.model("openai/gpt-4o", Settings.model_validate({"modelOptions": {"apiBase": base, **options}}))


@corpus("transport", ["auto", "compatible"])
async def test_https_goes_through_the_proxy_and_trusts_the_named_authority(
    travelled: ModelHost, secure_server: WireServer, proxy: Proxy, transport: str
):
    secure_server.play([(Text("hi"),)])
    proxy.asked.clear()

    events = await answer(model_at(travelled, secure_server.openai_base, transport=transport))

    assert text_of(events) == "hi"
    assert [line.split()[0] for line in proxy.asked] in (["CONNECT"], [])
    if transport == "auto":
        assert proxy.asked


async def test_http_goes_through_the_proxy_too(travelled: ModelHost, server: WireServer, proxy: Proxy):
    server.play([(Text("hi"),)])
    proxy.asked.clear()

    assert text_of(await answer(model_at(travelled, server.openai_base))) == "hi"

    assert [line.split()[:2] for line in proxy.asked] == [["POST", f"{server.openai_base}/chat/completions"]]


async def test_what_no_proxy_names_is_asked_directly(travelled: ModelHost, server: WireServer, proxy: Proxy):
    server.play([(Text("hi"),)])
    proxy.asked.clear()

    assert text_of(await answer(model_at(travelled, server.openai_base.replace("127.0.0.1", "localhost")))) == "hi"

    assert proxy.asked == []


async def test_a_proxy_that_refuses_is_told(travelled: ModelHost, secure_server: WireServer, proxy: Proxy):
    proxy.refuses = True
    try:
        # Another name than before, so that no open connection is used.
        base = secure_server.openai_base.replace("127.0.0.1", "127.0.0.2")
        _, error = await failure(model_at(travelled, base))
    finally:
        proxy.refuses = False

    assert (error.code, error.before_first_delta) == ("connection", True)
    assert "proxy does not allow a connection" in error.message
    assert "HTTPS_PROXY" in error.hint


async def test_a_certificate_nobody_vouches_for_is_told(host: ModelHost, secure_server: WireServer):
    _, error = await failure(model_at(host, secure_server.openai_base))

    assert (error.code, error.before_first_delta) == ("connection", True)
    assert "is not trusted" in error.message
    assert "SSL_CERT_FILE" in error.hint


@each_wire
async def test_an_answer_may_take_longer_to_begin_than_to_go_on(
    open_model, server: WireServer, wire: Wire, monkeypatch: pytest.MonkeyPatch
):
    go, clock = asyncio.Event(), LoopClock(monkeypatch)
    server.play([(Wait(go), Text("late"))])

    answering = asyncio.create_task(answer(open_model(wire, idleTimeoutSeconds=30, firstByteTimeoutSeconds=600)))
    await server.wait_for_requests(1)
    clock.skip(100)
    go.set()

    assert text_of(await answering) == "late"


@each_wire
async def test_an_answer_that_does_not_begin_is_a_timeout_of_its_own(open_model, server: WireServer, wire: Wire):
    server.play([(Wait(),)])

    _, error = await failure(open_model(wire, firstByteTimeoutSeconds=0.2))

    assert (error.code, error.before_first_delta) == ("timeout", True)
    assert "did not start to answer within 0.2 seconds" in error.message
    assert "firstByteTimeoutSeconds" in error.hint


async def test_a_provider_that_keeps_the_stream_alive_is_not_silent(host: ModelHost):
    alive = (Bytes(b": still thinking\n\n"), Pause(0.5))

    async def asked_over(wire: Wire) -> str:
        async with WireServer([(Text("a", pieces=1), *alive * 10, Text("b", pieces=1))]) as server:
            model = opener(host, server)(wire, idleTimeoutSeconds=4.5, firstByteTimeoutSeconds=60)
            return text_of(await answer(model))

    assert await asyncio.gather(*map(asked_over, NAMES)) == ["ab"] * len(NAMES)


async def test_a_provider_nobody_answers_at_is_given_up_in_time(host: ModelHost):
    """TEST-NET-1 (RFC 5737) answers nobody; where it is refused at once, that is told."""
    async with asyncio.timeout(wait_seconds()):
        _, error = await failure(
            model_at(host, "http://192.0.2.1/v1", connectTimeoutSeconds=0.3, firstByteTimeoutSeconds=100)
        )

    assert error.code in {"connection", "timeout"}


@each_wire
async def test_the_provider_sees_a_cancel(open_model, server: WireServer, wire: Wire):
    server.play([(Text("one", pieces=1), Wait())])
    async with aclosing(open_model(wire).stream(request("hello"))) as stream:
        assert await anext(stream) == TextDelta("one")

    await asyncio.wait_for(server.requests[-1].disconnected.wait(), wait_seconds())


PIECE = 2000


@each_wire
async def test_a_reader_that_stops_holds_up_the_provider_and_no_memory(
    host, open_model, server: WireServer, wire: Wire
):
    # Far more than the socket's buffers grow to, and less than the longest answer that the host takes.
    # The last event of the Responses wire repeats the answer, and no event may be longer than 20 MB.
    size = 15_000_000 if wire == "responses" else 30_000_000
    server.play([(Text("x" * size, pieces=size // PIECE),), (Text("other"),)])
    model = open_model(wire)
    processes = [psutil.Process(), psutil.Process(host.process_id)]
    stream = model.stream(request("hello"))
    assert isinstance(await anext(stream), TextDelta)
    before = [process.memory_info().rss for process in processes]

    # The other call is answered while nobody takes what the first one says.
    assert text_of(await answer(model)) == "other"
    await asyncio.sleep(0.5)  # For all that would come; there is no event for what does not.
    grown = [process.memory_info().rss - early for process, early in zip(processes, before, strict=True)]

    assert grown[1] < 6_000_000
    assert not server.requests[0].finished.is_set(), "the provider could send all of it"
    received = PIECE + sum([len(event.text) async for event in stream if isinstance(event, TextDelta)])
    assert received >= size - 200_000


@each_wire
async def test_an_answer_that_is_held_up_can_be_given_up(open_model, server: WireServer, wire: Wire):
    server.play([(Text("x" * 8_000_000, pieces=8_000), Wait())])
    async with aclosing(open_model(wire).stream(request("hello"))) as stream:
        assert isinstance(await anext(stream), TextDelta)
        await asyncio.sleep(0.3)  # Until it is held up.

    async with asyncio.timeout(wait_seconds()):
        await server.requests[0].disconnected.wait()


@each_wire
async def test_a_hundred_streams_at_once_lose_nothing(open_model, server: WireServer, wire: Wire):
    def reply(asked):
        return (Text("".join(f"<{asked.question}:{number:03}>" for number in range(200)), pieces=200),)

    server.play(reply)
    model = open_model(wire)

    texts = await asyncio.gather(*(answer(model, f"q{number:02}") for number in range(100)))

    for number, events in enumerate(texts):
        assert text_of(events) == "".join(f"<q{number:02}:{piece:03}>" for piece in range(200))


@each_wire
@corpus("transport", ["auto", "compatible"])
async def test_a_compressed_stream_is_read(open_model, server: WireServer, wire: Wire, transport: str):
    server.compresses = True
    server.play([(Text("Grüße, 世界 🙂. " * 500, pieces=200),)])

    assert text_of(await answer(open_model(wire, transport=transport))) == "Grüße, 世界 🙂. " * 500


@each_wire
async def test_connections_are_used_again(open_model, server: WireServer, wire: Wire):
    server.play(lambda _: (Text("hi"),))
    model = open_model(wire)
    for _ in range(4):
        await answer(model)

    assert len({request.peer for request in server.requests}) == 1
