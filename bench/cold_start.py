"""Cold starts: from the spawn of `placet run` to its first request at the model's server, on each wire.

Beside it stand an empty Python, `import pydantic` and a bare HTTP request, and codex and claude where they are on PATH.
The first run of an agent in an empty home counts apart from later runs. All take turns.
"""

import asyncio
import statistics
import sys
import time
from contextlib import AsyncExitStack

from bench.agents import PLACET, PLACET_ANTHROPIC, PLACET_RESPONSES, Agent, others, place, run
from bench.report import Figure
from wire_servers.answers import Text
from wire_servers.server import WireServer

ROUNDS = 9
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
    medians = {name: statistics.median(values) for name, values in later.items()}
    figures = [Figure(name, statistics.median(values) * 1000, "ms") for name, values in floors.items()]
    return figures + [_figure(agent, first, medians) for agent in agents]


def _figure(agent: Agent, first: dict[str, float], medians: dict[str, float]) -> Figure:
    floor = medians.get("codex")
    return Figure(
        f"{agent.name} to its first request",
        medians[agent.name] * 1000,
        "ms",
        floor=floor * 1000 if floor and agent.name != "codex" else None,
        floor_name="codex",
        goal=1.0 if agent.name.startswith("placet") else None,
        note=f"in an empty home {first[agent.name] * 1000:.0f} ms",
    )


async def _python(program: str, server: WireServer) -> float:
    server.play(lambda _: (Text("Seen.", pieces=1),))
    start = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, f"{server.openai_base}/chat/completions"
    )
    assert await process.wait() == 0
    return time.perf_counter() - start
