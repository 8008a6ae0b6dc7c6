"""A prompt on its way to the model, and the time between a model's call and its next request.

The model is a local scripted server on the OpenAI wire, in this process; the floor is a bare HTTP client that
asks it as often and does nothing else.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path

import aiohttp
import psutil

from bench.client import Client, spawned
from bench.report import Figure

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from wire_servers.answers import Answer, Call, Text
from wire_servers.server import RecordedRequest, WireServer

READS = (20, 200)
PROMPTS = 7


async def measure() -> list[Figure]:
    async with AsyncExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root = directory / "project"
        root.mkdir()
        (root / "file.txt").write_text("some words\n" * 50, "utf-8")
        server = await stack.enter_async_context(WireServer())
        environment = {
            **{f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")},
            "OPENAI_API_KEY": "none",
        }
        client = await stack.enter_async_context(
            spawned(sys.executable, "-m", "placet", "--stdio", environment=environment)
        )
        settings = {"model": "openai/local", "modelOptions": {"apiBase": server.openai_base}}
        await client.initialize(root, agent={"protocol": 1}, settings=settings)
        figures = [_memory("daemon after initialize", client)]
        session = await client.request("agent/session/new", {})
        await _turn(client, server, session["id"], _said)  # The first waits for the model host to warm up.
        floor = await _bare_step(server)
        figures += await _prompts(client, server, session["id"], floor)
        for reads in READS:
            session = await client.request("agent/session/new", {})
            figures += await _gaps(client, server, session["id"], reads, floor)
            figures.append(_memory(f"daemon after {reads} reads", client))
        figures.append(_memory("model host", client, host=True))
        return figures


async def _prompts(client: Client, server: WireServer, session_id: str, floor: float) -> list[Figure]:
    waits = []
    for _ in range(PROMPTS):
        asked = time.perf_counter()
        first, _ = await _turn(client, server, session_id, _said)
        waits.append((first - asked) * 1000)
    name = "warm prompt to the model's server"
    return [Figure(name, statistics.median(waits), "ms", floor=floor, floor_name="a bare HTTP request and answer")]


async def _gaps(client: Client, server: WireServer, session_id: str, reads: int, floor: float) -> list[Figure]:
    steps = iter(range(reads))

    def script(_: RecordedRequest) -> Answer:
        step = next(steps, None)
        return _said(_) if step is None else (Call("read", {"filePath": "file.txt", "limit": 10 + step}, pieces=1),)

    before = len(server.requests)
    await _turn(client, server, session_id, script)
    times = [request.received * 1000 for request in server.requests[before:]]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert len(gaps) == reads, f"{len(gaps)} steps instead of {reads}"
    bare = "a bare HTTP request and answer"
    figures = [Figure(f"gap per step, {reads} reads", statistics.median(gaps), "ms", floor=floor, floor_name=bare)]
    if reads > 100:
        first, last = statistics.median(gaps[:20]), statistics.median(gaps[-20:])
        figures.append(
            Figure("its last 20 steps beside its first 20", last, "ms", floor=first, floor_name="the first 20")
        )
    return figures


async def _turn(
    client: Client, server: WireServer, session_id: str, script: Callable[[RecordedRequest], Answer]
) -> tuple[float, str]:
    """Run a turn; when its first request came in, and how it ended."""
    server.play(script)
    before = len(server.requests)
    parts = [{"type": "text", "text": "Look at the file."}]
    result = await client.request("agent/prompt", {"sessionId": session_id, "parts": parts})
    assert result["stopReason"] == "end_turn", result
    return server.requests[before].received, result["stopReason"]


def _said(_: RecordedRequest) -> Answer:
    return (Text("Seen.", pieces=1),)


async def _bare_step(server: WireServer) -> float:
    """Milliseconds of a request and its streamed answer, by a client that does nothing else."""
    server.play(_said)
    body = {"model": "local", "stream": True, "messages": [{"role": "user", "content": "x"}]}
    times = []
    async with aiohttp.ClientSession() as http:
        for _ in range(30):
            start = time.perf_counter()
            async with http.post(f"{server.openai_base}/chat/completions", json=body) as response:
                await response.read()
            times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def _memory(name: str, client: Client, *, host: bool = False) -> Figure:
    process = psutil.Process(client.process.pid)
    processes = [child for child in process.children() if "placet.model.host" in " ".join(child.cmdline())]
    shown = (processes or [process])[0] if host else process
    return Figure(f"memory of the {name}", shown.memory_info().rss / 2**20, "MiB")
