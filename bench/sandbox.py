"""A command in the sandbox beside the same command without, with few and with many protected paths."""

import asyncio
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.report import Figure
from placet.core.executor import in_thread
from placet.project.processes.child import Command
from placet.project.processes.commands import run_command
from placet.sandbox.containment import Containment, Host, containment_of
from placet.sandbox.listings import Listings
from placet.sandbox.protections import look_at
from placet.sandbox.sandbox import Sandbox
from placet.settings.locations import Locations
from placet.settings.models import SandboxSettings
from placet.tools.shell.program import shell_command

ROUNDS = 50
GOALS_MS = {0: 20.0, 10: 20.0, 30: 40.0}
"""Milliseconds over the plain command, by the number of protected paths."""
FILES = 2000


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        figures: list[Figure] = []
        for protected, goal in GOALS_MS.items():
            figures += await _measured(Path(directory) / str(protected), protected, goal)
        return figures


async def _measured(base: Path, protected: int, goal: float) -> list[Figure]:
    root = base / "project"
    _plant(root, protected)
    containment, host = limits(base, root)
    sandbox = Sandbox(host, os.environ)
    start = time.perf_counter()
    backend = await sandbox.backend(containment)
    trial = (time.perf_counter() - start) * 1000
    command = Command(shell_command("true"), root, {"PATH": os.environ["PATH"]})
    plain: list[float] = []
    inside: list[float] = []
    await _contained(sandbox, command, containment)
    for _ in range(ROUNDS):
        plain.append(await timed(command))
        inside.append(await _contained(sandbox, command, containment))
    listings = Listings()
    look_at(containment, listings, host.home, host.programs)
    looks: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        await in_thread(look_at, containment, listings, host.home, host.programs)
        looks.append((time.perf_counter() - start) * 1000)
    more = median(inside) - median(plain)
    best = min(inside) - min(plain)
    note = f"{more:.1f} ms more, at best {best:.1f} (limit: {goal:.0f}) {'met' if more <= goal else 'MISSED'}"
    name = f"{protected} protected paths"
    figures = [Figure(f"a command, {name}", median(inside), "ms", floor=median(plain), floor_name="plain", note=note)]
    figures.append(Figure(f"the look at the disk, {name}", median(looks), "ms", note="(limit: 5 ms)"))
    if not protected:
        level = f"({backend.name}, {backend.level}; limit: 300 ms)"
        figures.insert(0, Figure("the trial of the profile, once", trial, "ms", note=level))
    return figures


def limits(base: Path, root: Path) -> tuple[Containment, Host]:
    home = base / "home"
    home.mkdir()
    locations = Locations(config=home / "config", data=home / "data", cache=home / "cache", log=home / "log")
    programs = tuple(map(Path, os.get_exec_path()))
    host = Host(home, locations, programs, is_root=os.geteuid() == 0)
    containment, _ = containment_of(SandboxSettings(network="off"), (root,), host)
    return containment, host


async def timed(command: Command) -> float:
    start = time.perf_counter()
    await _run(command)
    return (time.perf_counter() - start) * 1000


async def _contained(sandbox: Sandbox, command: Command, containment: Containment) -> float:
    start = time.perf_counter()
    async with sandbox.contained(command, containment, session_id="bench") as contained:
        await _run(contained.command)
    return (time.perf_counter() - start) * 1000


async def _run(command: Command) -> None:
    with tempfile.TemporaryFile(buffering=0) as output:
        await run_command(command, output, timeout_seconds=10, abort=asyncio.Event(), max_output_bytes=1 << 20)


def _plant(root: Path, protected: int) -> None:
    for number in range(FILES):
        path = root / f"package{number // 20}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for number in range(protected):
        (root / f"package{number}" / ".envrc").touch()
