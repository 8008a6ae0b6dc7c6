"""From spawn to the answer to `initialize` where a shared daemon runs, beside an empty Python, taken in turns."""

import asyncio
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.client import spawned
from bench.report import Figure

ROUNDS = 21
GOAL_MILLISECONDS = 120


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        config = root / "config" / "placet"
        config.mkdir(parents=True)
        (config / "placet.json").write_text(json.dumps({"daemon": {"shared": True}}))
        environment = {"XDG_DATA_HOME": str(root / "data"), "XDG_CONFIG_HOME": str(root / "config")}
        async with spawned(sys.executable, "-m", "placet", "--stdio", environment=environment) as first:
            await first.initialize(root)
            daemon = (await first.request("agent/status", {}))["pid"]
            ours, floor = [], []
            try:
                for _ in range(ROUNDS):
                    floor.append(await _empty_python())
                    ours.append(await _once(root, environment))
            finally:
                os.kill(daemon, signal.SIGTERM)
            await first.process.wait()
    milliseconds = statistics.median(ours) * 1000
    return [
        Figure(
            "spawn to initialize, by the pipe",
            milliseconds,
            "ms",
            floor=statistics.median(floor) * 1000,
            floor_name="an empty Python",
            note=f"goal {GOAL_MILLISECONDS} ms {'met' if milliseconds <= GOAL_MILLISECONDS else 'MISSED'}",
        )
    ]


async def _empty_python() -> float:
    start = time.perf_counter()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await process.wait()
    return time.perf_counter() - start


async def _once(root: Path, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    async with spawned(sys.executable, "-m", "placet", "--stdio", environment=environment) as client:
        await client.initialize(root)
        return time.perf_counter() - start
