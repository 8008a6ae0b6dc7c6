"""A session of 500 steps: what a step costs at its end beside its start, and what the session leaves behind.

Every step is a call of `read` whose result has about 3 kB; the model is a server on the OpenAI wire, a process of its
own. A gap reaches from the end of the model's answer to the last byte of the next request, the tool's run included.
"""

import asyncio
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import psutil

from bench.client import Client, spawned
from bench.report import Figure

STEPS = 500
STEPS_PER_TURN = 25
FIRST, LAST = slice(4, 24), slice(-20, None)
"""Of the gaps: steps 5 to 25, and the last 20."""
STORE_SHOWN_AT = (100, 250, 500)
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class _Spent:
    """CPU seconds so far."""

    daemon: float
    host: float
    server: float


async def measure() -> list[Figure]:
    async with AsyncExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root = directory / "project"
        root.mkdir()
        lines = (f'    value_{line} = compute("{line}", deep=True)  # as in the table\n' for line in range(STEPS + 100))
        (root / "file.py").write_text("".join(lines), "utf-8")
        server, address = await stack.enter_async_context(_session_server())
        client = await stack.enter_async_context(_daemon(directory, root, address))
        http = await stack.enter_async_context(aiohttp.ClientSession(address))
        return await _session(client, http, server, directory)


async def _session(client: Client, http: aiohttp.ClientSession, server: int, directory: Path) -> list[Figure]:
    await _turn(client, http, (await client.request("agent/session/new", {}))["id"], 2, 1)  # Warms everything.
    session_id = (await client.request("agent/session/new", {}))["id"]
    empty, stored = _store_bytes(directory), dict[int, int]()
    gaps: list[float] = []
    sizes: list[int] = []
    figures: list[Figure] = []
    shares: list[Figure] = []
    for done in range(0, STEPS, STEPS_PER_TURN):
        before = _spent(client, server)
        turn = await _turn(client, http, session_id, STEPS_PER_TURN, 1 + done)
        after = _spent(client, server)
        gaps += (gap for gap, _ in turn)
        sizes += (size for _, size in turn)
        steps = done + STEPS_PER_TURN
        if done == 0 or steps == STEPS:
            name = "start" if done == 0 else "end"
            shares += _shares(before, after, name)
            figures += _memory(client, name)
        if steps in STORE_SHOWN_AT:
            stored[steps] = _store_bytes(directory) - empty
    first, last = statistics.median(gaps[FIRST]), statistics.median(gaps[LAST])
    floors = [await _bare_post(http, size) for size in (sizes[FIRST.start], sizes[-1])]
    bare = "a bare POST of as many bytes"
    return [
        Figure("gap per step, steps 5 to 25", first, "ms", floor=floors[0], floor_name=bare),
        Figure("gap per step, the last 20", last, "ms", floor=floors[1], floor_name=bare),
        Figure(f"the last 20 of {STEPS} beside steps 5 to 25", last, "ms", first, "the gap at the start", goal=1.2),
        Figure("the last request", sizes[-1] / 2**20, "MiB"),
        *shares,
        *figures,
        *_stored(stored),
    ]


async def _turn(
    client: Client, http: aiohttp.ClientSession, session_id: str, calls: int, line: int
) -> list[tuple[float, int]]:
    """Gap in milliseconds and size in bytes of each request but the first."""
    async with http.get(f"/turn/{calls}/{line}") as response:
        await response.read()
    parts = [{"type": "text", "text": "Read on."}]
    result = await client.request("agent/prompt", {"sessionId": session_id, "parts": parts})
    assert result["stopReason"] == "end_turn", result
    async with http.get("/gaps") as response:
        gaps = json.loads(await response.text())
    assert len(gaps) == calls, f"{len(gaps)} steps instead of {calls}"
    while not client.updates.empty():
        client.updates.get_nowait()
    return gaps


async def _bare_post(http: aiohttp.ClientSession, size: int) -> float:
    """Milliseconds until a body of this size has been sent and a short answer is there."""
    body = b"x" * size
    times = []
    for _ in range(15):
        async with http.get("/turn/0/1") as response:
            await response.read()
        begun = time.perf_counter()
        async with http.post("/v1/chat/completions", data=body) as response:
            await response.read()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def _shares(before: _Spent, after: _Spent, name: str) -> list[Figure]:
    """CPU of the three processes for each step; the pipe's is in the daemon's and the host's."""
    return [
        Figure(
            f"CPU of the {process} per step, at the {name}",
            (getattr(after, process) - getattr(before, process)) * 1000 / (STEPS_PER_TURN + 1),
            "ms",
        )
        for process in ("daemon", "host", "server")
    ]


def _spent(client: Client, server: int) -> _Spent:
    daemon = psutil.Process(client.process.pid)
    return _Spent(*(sum(one.cpu_times()[:2]) for one in (daemon, _host(daemon), psutil.Process(server))))


def _memory(client: Client, name: str) -> list[Figure]:
    daemon = psutil.Process(client.process.pid)
    return [
        Figure(f"memory of the {process}, at the {name}", one.memory_info().rss / 2**20, "MiB")
        for process, one in (("daemon", daemon), ("model host", _host(daemon)))
    ]


def _host(daemon: psutil.Process) -> psutil.Process:
    (host,) = (one for one in daemon.children() if "placet.model.host" in " ".join(one.cmdline()))
    return host


def _store_bytes(directory: Path) -> int:
    """Of the store, what is still in its log included."""
    with closing(sqlite3.connect(f"{_store(directory).as_uri()}?mode=ro", uri=True)) as connection:
        ((pages,),), ((size,),) = (connection.execute(f"PRAGMA page_{name}").fetchall() for name in ("count", "size"))
    return pages * size


def _store(directory: Path) -> Path:
    (found,) = directory.rglob("placet.db")
    return found


def _stored(stored: dict[int, int]) -> list[Figure]:
    per_step = {steps: size / 1024 / steps for steps, size in stored.items()}
    first = per_step[STORE_SHOWN_AT[0]]
    return [
        Figure(f"store per step, after {steps}", size, "KiB", floor=first, floor_name="after 100", goal=1.1)
        for steps, size in per_step.items()
    ]


@asynccontextmanager
async def _session_server() -> AsyncGenerator[tuple[int, str], None]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / "session_server.py"), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield process.pid, f"http://127.0.0.1:{int(await process.stdout.readline())}"
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def _daemon(directory: Path, root: Path, address: str) -> AsyncGenerator[Client, None]:
    homes = {f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    environment = {**homes, "OPENAI_API_KEY": "none"}
    async with spawned(sys.executable, "-m", "placet", "--stdio", environment=environment) as client:
        settings = {"model": "openai/bench", "modelOptions": {"apiBase": f"{address}/v1"}}
        await client.initialize(root, agent={"protocol": 1}, settings=settings)
        yield client
