"""How long the daemon keeps anyone waiting: the round trip of a bare request, all through its busiest moments.

The floor is the same round trip while nothing else happens.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from bench.client import Client, spawned
from bench.report import Figure

EVERY_SECONDS = 0.002
DELTAS = 2000
LIMIT = "(limit: 15 ms)"


async def measure() -> list[Figure]:
    figures: list[Figure] = []
    async with AsyncExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        address = await stack.enter_async_context(_talkative_server(root))
        homes = {f"XDG_{name}_HOME": str(root / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
        environment = {**homes, "OPENAI_API_KEY": "none"}
        client = await stack.enter_async_context(
            spawned(sys.executable, "-m", "placet", "--stdio", environment=environment)
        )
        settings = {"model": "openai/local", "modelOptions": {"apiBase": f"{address}/v1"}}
        await client.initialize(root, agent={"protocol": 1}, settings=settings)
        start = time.perf_counter()
        with suppress(RuntimeError):
            await client.request("bench/nothing")
        figures.append(Figure("the first request, while the server loads", (time.perf_counter() - start) * 1000, "ms"))
        async with watched(client) as waits:
            session = await client.request("agent/session/new", {})
        figures.append(Figure("longest while the core loads", max(waits), "ms", note=LIMIT))
        async with watched(client) as waits:
            await _prompt(client, session["id"])
        figures.append(Figure("longest while the model host starts, first prompt", max(waits), "ms", note=LIMIT))
        async with watched(client) as waits:
            await _prompt(client, session["id"])
        figures.append(Figure(f"longest while {DELTAS} deltas come in", max(waits), "ms", note=LIMIT))
        async with watched(client) as waits:
            await asyncio.sleep(1)
        figures.insert(0, Figure("median at rest (the floor)", statistics.median(waits), "ms"))
        figures.insert(1, Figure("longest at rest", max(waits), "ms"))
    return figures


@asynccontextmanager
async def _talkative_server(directory: Path) -> AsyncGenerator[str, None]:
    """A model server in a process of its own, so that it takes no time from the watch."""
    script = directory / "answers.json"
    text = "".join(f"{number} " for number in range(DELTAS))  # An answer that repeats itself would be stopped.
    script.write_text(json.dumps({"answers": [[{"text": text, "pieces": DELTAS}]]}), "utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "wire_servers", "--repeat", str(script)),
        cwd=Path(__file__).parent.parent / "tests",
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.kill()
        await process.wait()


async def _prompt(client: Client, session_id: str) -> None:
    parts = [{"type": "text", "text": "Say much."}]
    result = await client.request("agent/prompt", {"sessionId": session_id, "parts": parts})
    assert result["stopReason"] == "end_turn", result


@asynccontextmanager
async def watched(client: Client) -> AsyncGenerator[list[float], None]:
    """Milliseconds of each round trip while the block runs; this process's own stalls are taken off."""
    waits: list[float] = []

    async def watch() -> None:
        while True:
            own = await _own_stall()
            start = time.perf_counter()
            with suppress(RuntimeError):  # An unknown method is answered by an error, and at once.
                await client.request("bench/nothing")
            waits.append(max(0.0, (time.perf_counter() - start - own) * 1000))

    watching = asyncio.create_task(watch())
    try:
        yield waits
    finally:
        watching.cancel()


async def _own_stall() -> float:
    start = time.perf_counter()
    await asyncio.sleep(EVERY_SECONDS)
    return max(0.0, time.perf_counter() - start - EVERY_SECONDS)
