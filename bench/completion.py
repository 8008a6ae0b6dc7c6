"""Completing a mention in a project of 50,000 files: the first time, when rg lists them, and at later keystrokes."""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from bench.report import Figure
from placet.project.search import ripgrep
from placet.sessions.prompts.completion import Completion

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from services_support import TempServices

FILES = 50_000
FILES_A_DIRECTORY = 25
WORDS = ("parser", "model", "view", "handler", "index", "config", "widget", "session", "report", "client", "server")
WRITTEN = ("", "h", "ha", "hand", "handler", "handler12", "view/mod", "clsrv", "hadnler", "nothing_like_it", "src/")
LIMIT_NOTE = "(limit: 50 ms)"


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        services = TempServices(Path(directory))
        _plant(services.project)
        listing = await _timed(_list(services.project))
        async with services.open() as sessions:
            completion = sessions.completion
            first = await _timed(completion.complete("@", 1))
            times = {written: await _median(completion, f"see @{written}") for written in WRITTEN}
        slowest = max(times, key=lambda written: times[written])
        return [
            Figure("@ in 50,000 files, the first time", first, "ms", floor=listing, floor_name="rg --files"),
            Figure("the same later, median of what is written", statistics.median(times.values()), "ms"),
            Figure(f"the slowest (@{slowest})", times[slowest], "ms", note=LIMIT_NOTE),
        ]


async def _median(completion: Completion, text: str) -> float:
    return statistics.median([await _timed(completion.complete(text, len(text))) for _ in range(5)])


async def _timed(work: Awaitable[Any]) -> float:
    start = time.perf_counter()
    await work
    return (time.perf_counter() - start) * 1000


async def _list(root: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(str(ripgrep()), "--no-config", "--files", "--hidden"), cwd=root, stdout=asyncio.subprocess.PIPE
    )
    await process.communicate()


def _plant(root: Path) -> None:
    for first in range(0, FILES, FILES_A_DIRECTORY):
        group = first // FILES_A_DIRECTORY
        directory = root / "src" / f"{WORDS[group % 11]}s" / f"{WORDS[group % 7]}_{group}"
        directory.mkdir(parents=True)
        for number in range(first, first + FILES_A_DIRECTORY):
            (directory / f"{WORDS[number % 11]}_{WORDS[number % 5]}{number}.py").touch()
