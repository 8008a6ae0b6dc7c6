"""Long answers from the provider's first byte to the editor's last event, beside bare httpx and plain litellm.

The daemon, its model host, the provider and the floors are processes of their own; this one is the editor.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import psutil

from bench.client import Client, spawned
from bench.lag import watched
from bench.model_server import ARGUMENT_DELTAS, PIECES, TEXT_DELTAS
from bench.report import Figure

RUNS = 5
SHORT_CALLS = 15
HISTORY_BYTES = 1 << 20
HISTORY_MESSAGES = 200
HERE = Path(__file__).parent


async def measure() -> list[Figure]:
    async with AsyncExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        address = await stack.enter_async_context(_model_server())
        floors = {kind: await _floor(kind, address) for kind in ("httpx", "litellm")}
        client = await stack.enter_async_context(_daemon(directory, address))
        bench = _Bench(client, await stack.enter_async_context(_Provider(address)))
        await bench.prompt("short")  # The first waits for the model host.
        figures = await _long_answer(bench, "text", f"{TEXT_DELTAS} text deltas", floors)
        figures += await _long_answer(bench, "arguments,short", f"{ARGUMENT_DELTAS} argument deltas", floors)
        figures += await _lag(bench)
        figures += await _short_call(bench, floors)
        figures += await _cancel(bench)
        figures += await _long_history(bench)
    return figures


class _Provider:
    """What the model server is told and asked."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def __aenter__(self) -> "_Provider":
        self._http = aiohttp.ClientSession(self._address)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()

    async def get(self, path: str) -> float:
        async with self._http.get(path) as response:
            return float(await response.text())


class _Bench:
    def __init__(self, client: Client, provider: _Provider) -> None:
        self.client = client
        self.provider = provider
        self._session: str | None = None

    async def prompt(self, answers: str, *, fresh: bool = True, text: str = "Say much.") -> tuple[float, float]:
        """Run a turn; when it was sent and when all of it was here (time.monotonic)."""
        await self.provider.get(f"/play/{answers}")
        if fresh or self._session is None:
            self._session = (await self.client.request("agent/session/new", {}))["id"]
        parts = [{"type": "text", "text": text}]
        asked = time.monotonic()
        result = await self.client.request("agent/prompt", {"sessionId": self._session, "parts": parts})
        ended = time.monotonic()
        assert result["stopReason"] == "end_turn", result
        return asked, ended

    def begin(self) -> tuple[str, "asyncio.Task[object]"]:
        assert self._session is not None
        params = {"sessionId": self._session, "parts": [{"type": "text", "text": "Go on."}]}
        return self._session, asyncio.create_task(self.client.request("agent/prompt", params))

    def text(self) -> str:
        """Of the answer's chunks since the last time."""
        updates = self.client.updates
        got = [updates.get_nowait()["update"] for _ in range(updates.qsize())]
        return "".join(update["text"] for update in got if update["kind"] == "agent_message_chunk")

    def processor_seconds(self) -> tuple[float, float]:
        """Of the daemon and of its host, so far."""
        daemon = psutil.Process(self.client.process.pid)
        (host,) = (one for one in daemon.children() if "placet.model.host" in " ".join(one.cmdline()))
        own, hosted = daemon.cpu_times(), host.cpu_times()
        return own.user + own.system, hosted.user + hosted.system


async def _long_answer(bench: _Bench, answers: str, name: str, floors: dict[str, dict[str, float]]) -> list[Figure]:
    taken: list[float] = []
    bench.text()
    before = bench.processor_seconds()
    for _ in range(RUNS):
        _, ended = await bench.prompt(answers)
        taken.append(ended - await bench.provider.get("/sent"))
        shown = bench.text()
        assert answers != "text" or shown == "".join(PIECES), f"{len(shown)} characters were shown"
    after = bench.processor_seconds()
    daemon, host = ((late - early) / RUNS for early, late in zip(before, after, strict=True))
    kind = answers.partition(",")[0]
    plain = f"plain litellm {floors['litellm'][kind]:.2f} s"
    return [
        Figure(
            f"{name}, first byte to last event",
            statistics.median(taken),
            "s",
            floor=floors["httpx"][kind],
            floor_name="bare httpx, all of it",
            note=f"{plain}; goal 0.3 s {_met(statistics.median(taken) < 0.3)}",
        ),
        Figure(f"{name}, CPU of the daemon", daemon, "s", note=f"goal 0.05 s {_met(daemon < 0.05)}"),
        Figure(f"{name}, CPU of the model host", host, "s"),
    ]


async def _lag(bench: _Bench) -> list[Figure]:
    figures = []
    for answers, name in (("text", "text"), ("arguments,short", "argument")):
        longest = []
        for _ in range(3):
            async with watched(bench.client) as waits:
                await bench.prompt(answers)
            longest.append(max(waits))
        worst = statistics.median(longest)
        goal = f"median of 3 runs; goal 10 ms {_met(worst < 10)}"
        figures.append(Figure(f"longest wait at the daemon, {name} deltas", worst, "ms", note=goal))
    return figures


async def _short_call(bench: _Bench, floors: dict[str, dict[str, float]]) -> list[Figure]:
    taken = []
    for _ in range(SHORT_CALLS):
        asked, ended = await bench.prompt("short")
        taken.append((ended - asked) * 1000)
    plain = f"plain litellm {floors['litellm']['short'] * 1000:.1f} ms"
    floor = floors["httpx"]["short"] * 1000
    value = statistics.median(taken)
    note = f"{plain}; goal 10 ms {_met(value < 10)}"
    return [Figure("a short turn, prompt to its end", value, "ms", floor=floor, floor_name="bare httpx", note=note)]


async def _cancel(bench: _Bench) -> list[Figure]:
    taken = []
    for _ in range(RUNS):
        await bench.prompt("short")
        await bench.provider.get("/play/endless")
        bench.text()
        session_id, running = bench.begin()
        while (await bench.client.updates.get())["update"]["kind"] != "agent_message_chunk":
            pass
        said = time.monotonic()
        bench.client.notify("agent/cancel", {"sessionId": session_id})
        taken.append((await bench.provider.get("/gone") - said) * 1000)
        await running
    value = statistics.median(taken)
    return [Figure("cancel, until the provider sees it", value, "ms", note=f"goal 50 ms {_met(value < 50)}")]


async def _long_history(bench: _Bench) -> list[Figure]:
    """A session of 1 MB: each further turn sends all of it."""
    text = "x " * (HISTORY_BYTES // HISTORY_MESSAGES // 2)
    await bench.prompt("short")
    for _ in range(HISTORY_MESSAGES):
        await bench.prompt("short", fresh=False, text=text)
    taken = []
    for _ in range(RUNS):
        asked, _ = await bench.prompt("short", fresh=False)
        taken.append((await bench.provider.get("/sent") - asked) * 1000)
    value = statistics.median(taken)
    return [Figure("1 MB of history, prompt to first byte", value, "ms", note=f"goal 40 ms {_met(value < 40)}")]


def _met(goal: bool) -> str:
    return "met" if goal else "MISSED"


@asynccontextmanager
async def _model_server() -> AsyncGenerator[str, None]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / "model_server.py"), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}"
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def _daemon(directory: Path, address: str) -> AsyncGenerator[Client, None]:
    homes = {f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    environment = {**homes, "OPENAI_API_KEY": "none"}
    async with spawned(sys.executable, "-m", "placet", "--stdio", environment=environment) as client:
        settings = {"model": "openai/bench", "modelOptions": {"apiBase": f"{address}/v1"}}
        await client.initialize(directory, agent={"protocol": 1}, settings=settings)
        yield client


async def _floor(kind: str, address: str) -> dict[str, float]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / "model_floor.py"), kind, address, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return json.loads(output)
