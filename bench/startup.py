"""From spawn to the answer to `initialize`, beside an empty pygls server, taken in turns."""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.client import spawned
from bench.report import Figure

ROUNDS = 11


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        ours, floor = [], []
        for _ in range(ROUNDS):
            floor.append(await _once(root, sys.executable, str(Path(__file__).with_name("empty_server.py"))))
            ours.append(await _once(root, sys.executable, "-m", "placet", "--stdio"))
    return [
        Figure(
            "spawn to initialize",
            statistics.median(ours) * 1000,
            "ms",
            floor=statistics.median(floor) * 1000,
            floor_name="an empty pygls server",
            goal=1.15,
        )
    ]


async def _once(root: Path, *command: str) -> float:
    start = time.perf_counter()
    async with spawned(*command, environment={"XDG_DATA_HOME": str(root / "data")}) as client:
        await client.initialize(root)
        return time.perf_counter() - start
