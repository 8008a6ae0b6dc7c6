"""Bombs for the daemon: the longest wait for an answer while one goes off; tests/hostile_support/bombs.py.

The floor is the longest wait in a first turn without a bomb.
"""

import sys
import tempfile
import time
from pathlib import Path

from bench.report import Figure

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile_support.bombs import DONE, OF_SETTINGS, OF_TURNS, Daemon, Lay, Turns, call

RUNS = 3
GOAL = 4.0


async def measure() -> list[Figure]:
    floor = await _least(_ordinary)
    return [
        Figure(name, await _least(lay) * 1000, "ms", floor=floor * 1000, floor_name="a turn without a bomb", goal=GOAL)
        for name, lay in (OF_SETTINGS | OF_TURNS).items()
    ]


def _ordinary(project: Path) -> Turns:
    return [call("read", filePath="a.txt"), call("grep", pattern="x"), DONE]


async def _least(lay: Lay) -> float:
    """Return the least of the longest waits of a few runs, in seconds."""
    waits: list[float] = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as directory:
            waits.append(await _longest_wait(Path(directory), lay))
    return min(waits)


async def _longest_wait(directory: Path, lay: Lay) -> float:
    (project := directory / "project").mkdir()
    (project / "a.txt").write_text("hello\n")
    async with Daemon(directory) as daemon:
        session_id = await daemon.open(project, lay(project))
        request, longest = daemon.prompt(session_id), 0.0
        while not daemon.is_answered(request):
            longest = max(longest, await _wait(daemon))
        return longest


async def _wait(daemon: Daemon) -> float:
    begun = time.perf_counter()
    await daemon.look()
    return time.perf_counter() - begun
