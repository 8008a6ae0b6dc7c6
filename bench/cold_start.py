"""Cold starts: from the spawn of `placet run` to its first request at the model's server, on each wire.

Beside it stand an empty Python, `import pydantic` and a bare HTTP request, and codex and claude where they are on PATH.
The first run of an agent in an empty home counts apart from later runs, and so do runs whose program was evicted from
the disk cache. All take turns.
"""

import asyncio
import os
import shutil
import statistics
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

from bench.agents import PLACET, PLACET_ANTHROPIC, PLACET_RESPONSES, Agent, others, place, run
from bench.report import Figure
from wire_servers.answers import Text
from wire_servers.server import WireServer

ROUNDS = 9
COLD_ROUNDS = 3
_PROGRAMS = {
    "an empty Python": "pass",
    "import pydantic": "import pydantic; pydantic.BaseModel",
    "a bare httpx request": "import httpx, sys; httpx.post(sys.argv[1], json={'stream': True}, trust_env=False)",
}


async def measure() -> list[Figure]:
    agents = [PLACET, PLACET_RESPONSES, PLACET_ANTHROPIC, *others()]
    first: dict[str, float] = {}
    later: dict[str, list[float]] = {agent.name: [] for agent in agents}
    floors: dict[str, list[float]] = {name: [] for name in _PROGRAMS}
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(WireServer())
        places = {agent.name: await stack.enter_async_context(place()) for agent in agents}
        for round_ in range(ROUNDS + 1):
            for name, program in _PROGRAMS.items():
                floors[name].append(await _python(program, server))
            for agent in agents:
                seconds = (await run(agent, server, places[agent.name])).first_request_seconds
                if round_ == 0:
                    first[agent.name] = seconds
                else:
                    later[agent.name].append(seconds)
        cold: dict[str, list[float]] = {agent.name: [] for agent in agents}
        for _ in range(COLD_ROUNDS):
            for agent in agents:
                _evict(_program_files(agent, server))
                cold[agent.name].append((await run(agent, server, places[agent.name])).first_request_seconds)
    medians = {name: statistics.median(values) for name, values in later.items()}
    figures = [Figure(name, statistics.median(values) * 1000, "ms") for name, values in floors.items()]
    colds = {name: statistics.median(values) for name, values in cold.items()}
    return figures + [_figure(agent, first, colds, medians) for agent in agents]


def _figure(agent: Agent, first: dict[str, float], colds: dict[str, float], medians: dict[str, float]) -> Figure:
    floor = medians.get("codex")
    return Figure(
        f"{agent.name} to its first request",
        medians[agent.name] * 1000,
        "ms",
        floor=floor * 1000 if floor and agent.name != "codex" else None,
        floor_name="codex",
        goal=1.0 if agent.name.startswith("placet") else None,
        note=f"in an empty home {first[agent.name] * 1000:.0f}, from the disk {colds[agent.name] * 1000:.0f} ms",
    )


async def _python(program: str, server: WireServer) -> float:
    server.play(lambda _: (Text("Seen.", pieces=1),))
    start = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, f"{server.openai_base}/chat/completions"
    )
    assert await process.wait() == 0
    return time.perf_counter() - start


def _program_files(agent: Agent, server: WireServer) -> list[Path]:
    """Return the files of the agent's program: the installed packages of Python, or one binary."""
    program = Path(shutil.which(agent.command(server)[0]) or "").resolve()
    if program != Path(sys.executable).resolve():
        return [program]
    folders = (Path(sys.prefix), Path(sys.base_prefix) / "lib", Path(__file__).parent.parent / "daemon")
    return [file for folder in folders for file in folder.rglob("*") if file.suffix in {".pyc", ".so", ".py", ".json"}]


def _evict(files: list[Path]) -> None:
    """Drop the files from the cache of the disk, where the system can."""
    if not hasattr(os, "posix_fadvise"):
        return
    for file in files:
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
