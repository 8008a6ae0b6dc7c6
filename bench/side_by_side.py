"""Steps and memory of a run of `placet run`, beside codex and claude where they are on PATH, all in one run.

A step is the agent's own time between the end of a model's answer and the next request, with the tool's work in it.
"""

import asyncio
import random
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bench.agents import PLACET, Agent, Place, others, place, run
from bench.report import Figure
from wire_servers.answers import Answer, Text
from wire_servers.server import WireServer

FILES = 10_000
FILES_A_DIRECTORY = 100
READS = 20
MANY_READS = 200
STEPS = 11
DELTAS = 20_000
DELTA_CHARACTERS = 51
GOALS = {
    "a step, 20 reads": 10,
    "its last 20 steps by its first 20": 1.2,
    "a step with ten parallel reads": 35,
    "a step with an edit": 25,
    "a step with a shell command": 20,
    "1 MB in 20,000 deltas, to the next request": 50,
}
GOAL_MEMORY_MEBIBYTES = 120


async def measure() -> list[Figure]:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(WireServer())
        agents = [PLACET, *others()]
        places = {agent.name: await stack.enter_async_context(_planted()) for agent in agents}
        measured = {agent.name: await _of(agent, server, places[agent.name]) for agent in agents}
        ours = places[PLACET.name]
        measured["rg alone"] = {
            "a step with grep": await _rg(ours, "--hidden", "--glob=!.git", "--line-number", "needle1"),
            "a step with glob": await _rg(ours, "--files", "--hidden", "--glob=!.git", "--glob=**/*17.py"),
        }
    return [_figure(name, measured) for name in measured[PLACET.name]]


def _figure(name: str, measured: dict[str, dict[str, float]]) -> Figure:
    value = measured[PLACET.name][name]
    others_words = ", ".join(
        f"{agent} {figures[name]:.1f}"
        for agent, figures in measured.items()
        if agent != PLACET.name and name in figures
    )
    goal = GOAL_MEMORY_MEBIBYTES if name.startswith("memory of all") else GOALS.get(name)
    met = "" if goal is None else f"goal {goal:g} {'met' if value <= goal else 'MISSED'}"
    unit = "MiB" if name.startswith("memory") else "x" if name.startswith("its") else "ms"
    return Figure(name, value, unit, note="; ".join(filter(None, (met, others_words))))


async def _rg(place: Place, *arguments: str) -> float:
    """Return the milliseconds of rg alone, from spawn to exit."""
    times: list[float] = []
    for _ in range(STEPS):
        start = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            "rg", *arguments, ".", cwd=place.root, env=place.environment, stdout=asyncio.subprocess.DEVNULL
        )
        await process.wait()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


async def _of(agent: Agent, server: WireServer, place: Place) -> dict[str, float]:
    file, calls = place.root / "file.txt", agent.calls
    lines = file.read_text("utf-8").splitlines()
    reads = await run(agent, server, place, [(calls.read(_file(place, number), 40),) for number in range(READS)])
    figures = {f"a step, {READS} reads": statistics.median(reads.gaps_milliseconds)}
    answers = [(calls.read(_file(place, number), 40),) for number in range(MANY_READS)]
    many = (await run(agent, server, place, answers)).gaps_milliseconds
    figures[f"a step, {MANY_READS} reads"] = statistics.median(many)
    figures["its last 20 steps by its first 20"] = statistics.median(many[-20:]) / statistics.median(many[:20])
    tens = [tuple(calls.read(_file(place, 10 * step + number), 40) for number in range(10)) for step in range(STEPS)]
    figures["a step with ten parallel reads"] = await _median(agent, server, place, tens)
    edits: list[Answer] = [(calls.edit(file, lines[step], f"{lines[step]}, changed"),) for step in range(STEPS)]
    figures["a step with an edit"] = await _median(agent, server, place, [(calls.read(file, 50),), *edits], skipped=1)
    commands = [(calls.shell(f"echo {step}"),) for step in range(STEPS)]
    figures["a step with a shell command"] = await _median(agent, server, place, commands)
    greps = [(calls.grep(f"needle{step}"),) for step in range(STEPS)]
    figures["a step with grep"] = await _median(agent, server, place, greps)
    globs = [(calls.glob(f"**/*{step}7.py"),) for step in range(STEPS)]
    figures["a step with glob"] = await _median(agent, server, place, globs)
    long = [(Text(_prose(step), pieces=DELTAS), calls.read(_file(place, step), 10)) for step in range(3)]
    figures["1 MB in 20,000 deltas, to the next request"] = await _median(agent, server, place, long)
    figures[f"memory of all processes after {READS} reads"] = reads.mebibytes
    if agent is PLACET:
        figures |= {f"memory, {name}": size for name, size in reads.mebibytes_by_process.items()}
    return figures


async def _median(
    agent: Agent, server: WireServer, place: Place, answers: Sequence[Answer], *, skipped: int = 0
) -> float:
    gaps = (await run(agent, server, place, answers)).gaps_milliseconds
    assert len(gaps) == len(answers), f"{agent.name}: {len(gaps)} steps in place of {len(answers)}"
    return statistics.median(gaps[skipped:])


@asynccontextmanager
async def _planted() -> AsyncIterator[Place]:
    async with place() as made:
        for number in range(FILES):
            _plant(_file(made, number), number)
        yield made


def _prose(seed: int) -> str:
    """Return 1 MB of words in no order, because Placet stops an answer that repeats itself."""
    words = random.Random(seed)
    return "".join(f"{words.getrandbits(200):051x}"[: DELTA_CHARACTERS - 1] + " " for _ in range(DELTAS))


def _file(place: Place, number: int) -> Path:
    return place.root / f"package{number // FILES_A_DIRECTORY}" / f"file{number}.py"


def _plant(path: Path, number: int) -> None:
    path.parent.mkdir(exist_ok=True)
    needle = f"needle{number // 1000}\n" if number % 1000 == 0 else ""
    path.write_text(f"def compute{number}(value): return value\n" * 50 + needle, "utf-8")
