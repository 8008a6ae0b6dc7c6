"""A provider that sends bombs, through the real model host: told in words, and with the memory as it was."""

import json
import re
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web

from corpus_support import corpus
from model_support.asking import calls_of, failure, text_of
from model_support.opened_host import open_host
from placet.core.errors import ModelError
from placet.model.base import ModelEvent
from placet.model.client.host import ModelHost
from placet.settings import Settings

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOST_GROWTH_MB = 140
"""Of the host's memory. The bombs are larger."""

Answer = Callable[[web.Request], web.StreamResponse]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def own_host() -> AsyncIterator[ModelHost]:
    """A host of these tests' own, as its greatest memory is looked at."""
    async with open_host({"OPENAI_API_KEY": "the-openai-key"}) as host:
        await failure(host.model("openai/gpt-4o", at("http://127.0.0.1:9")))
        yield host


def at(address: str) -> Settings:
    return Settings.model_validate({"modelOptions": {"apiBase": f"{address}/v1"}})


@asynccontextmanager
async def provider(answer: Answer) -> AsyncIterator[str]:
    async def handle(request: web.Request) -> web.StreamResponse:
        await request.read()
        return answer(request)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


def packed(pieces: Iterator[bytes]) -> bytes:
    packer = zlib.compressobj(1, wbits=zlib.MAX_WBITS | 16)
    return b"".join([*map(packer.compress, pieces), packer.flush()])


def delta(**delta: object) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


def arguments(text: str) -> bytes:
    return delta(tool_calls=[{"index": 0, "id": "call_1", "function": {"name": "read", "arguments": text}}])


def megabytes(piece: bytes, count: int) -> Iterator[bytes]:
    repeated = piece * (1_000_000 // len(piece) + 1)
    return (repeated for _ in range(count))


def greatest_memory_mb(host: ModelHost) -> float:
    status = Path(f"/proc/{host.process_id}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1000


async def what_comes_of(
    host: ModelHost, body: bytes, *, status: int = 200, content_type: str = "text/event-stream"
) -> tuple[list[ModelEvent], ModelError]:
    headers = {"Content-Encoding": "gzip", "Content-Type": content_type}
    before = greatest_memory_mb(host)
    async with provider(lambda _: web.Response(body=body, status=status, headers=headers)) as address:
        outcome = await failure(host.model("openai/gpt-4o", at(address)))
    assert greatest_memory_mb(host) - before < MOST_GROWTH_MB
    return outcome


async def test_the_body_of_an_error_is_unpacked_only_so_far(own_host: ModelHost):
    body = packed(iter((b'{"error": {"message": "No more today."}, "x": "', *megabytes(b" ", 500))))
    _, error = await what_comes_of(own_host, body, status=400, content_type="application/json")
    assert (error.code, error.status) == ("bad_request", 400)
    assert "No more today" in error.message


@corpus(
    ("piece", "count", "problem"),
    [
        (delta(content="x" * 100_000), 150, "its answer is longer than 32000000 characters"),
        (arguments("x" * 100_000), 150, "the arguments of its call of read are longer than 8000000"),
        (b"data: " + b"x" * 100_000, 150, "one event of its stream is larger than"),
        (b": nothing but a comment\n\n" * 4_000, 270, "its answer is larger than any that can be read"),
    ],
)
async def test_an_answer_that_does_not_end_is_broken_off_and_told(
    own_host: ModelHost, piece: bytes, count: int, problem: str
):
    events, error = await what_comes_of(own_host, packed(megabytes(piece, count)))
    assert problem in error.message
    assert len(text_of(events)) <= 32_000_000
    assert all(len(text) <= 8_000_000 for _, _, text in calls_of(events))


async def test_a_packing_that_was_not_offered_is_not_unpacked(host: ModelHost):
    offered: list[str] = []

    def answer(request: web.Request) -> web.Response:
        offered.append(request.headers["Accept-Encoding"])
        return web.Response(body=b"...", headers={"Content-Encoding": "br", "Content-Type": "text/event-stream"})

    async with provider(answer) as address:
        _, error = await failure(host.model("openai/gpt-4o", at(address)))
    assert offered[0] == "gzip, deflate"
    assert "packed its answer with br" in error.message


@corpus("status", [301, 302, 303, 307, 308])
async def test_a_redirect_to_another_server_is_not_told_the_conversation(host: ModelHost, status: int):
    told: list[str] = []

    def elsewhere(request: web.Request) -> web.Response:
        told.append(request.path)
        return web.Response(status=500)

    async with provider(elsewhere) as other:
        to_other = {"Location": f"{other}/v1/chat/completions"}
        async with provider(lambda _: web.Response(status=status, headers=to_other)) as address:
            _, error = await failure(host.model("openai/gpt-4o", at(address)))
    assert told == []
    assert error.code == "connection"
    assert f"it redirects to another server, {other}" in error.message


async def test_a_redirect_to_another_path_of_the_server_is_followed(host: ModelHost):
    told: list[str] = []

    def answer(request: web.Request) -> web.Response:
        told.append(request.path)
        if request.path == "/moved":
            return web.Response(status=400, text='{"error": {"message": "Found."}}')
        return web.Response(status=308, headers={"Location": "/moved"})

    async with provider(answer) as address:
        _, error = await failure(host.model("openai/gpt-4o", at(address)))
    assert told[-1] == "/moved"
    assert "Found" in error.message
