"""Fleets: the cost of a task beside `placet run` alone, and the throughput on Ray beside the local pool.

Ray runs as two nodes (raylets) with a worker each, the local pool with two workers. Rounds of the engines and of the
floor take turns, as other programs use the machine too; a round is timed from the first results to the last, and the
start of Ray's workers is a figure of its own. Without Ray (`make test-ray` installs Ray into .ray; then
`PYTHONPATH=$PWD/.ray python -m bench fleet`), the figures of the local pool are measured alone.
"""

import os
import resource
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from bench.report import Figure
from fleet_support import Fleet
from placet.fleet.local import run_local
from placet.fleet.ray_workers import run_ray
from placet.fleet.results import FleetOutput, Result
from placet.fleet.tasks import FleetTask
from placet.fleet.work import Order

WORKERS = 2
ROUNDS = int(os.environ.get("PLACET_FLEET_ROUNDS", "4"))
TASKS = int(os.environ.get("PLACET_FLEET_TASKS", "12"))
"""Number of tasks of an engine in a round."""
STORED = 1000
"""Number of tasks with a stored result: a worker looks at the result, and has nothing else to do."""
THROUGHPUT_GOAL = 1 / 0.9
CPU_GOAL = 1.25

Engine = Callable[[Sequence[Order]], Iterator[Result]]


@dataclass
class Times:
    """Times of an engine over the rounds."""

    first: list[float] = field(default_factory=list)
    """Seconds to the first result of a round."""
    tasks: list[float] = field(default_factory=list)
    """Seconds from a result to the next, as means of a round."""
    cpu: list[float] = field(default_factory=list)
    """Seconds of processors for a task, of this process and its ended children; Ray's workers are no ended children."""

    def take(self, ends: Iterable[object]) -> None:
        """Time the iteration."""
        began, used = time.perf_counter(), _cpu_seconds()
        times = [time.perf_counter() for _ in ends]
        self.first.append(times[0] - began)
        self.tasks.append((times[-1] - times[WORKERS - 1]) / (len(times) - WORKERS))
        self.cpu.append((_cpu_seconds() - used) / len(times))

    @property
    def milliseconds(self) -> float:
        """Time of a task, as the median of the rounds."""
        return statistics.median(self.tasks) * 1000

    @property
    def cpu_milliseconds(self) -> float:
        return statistics.median(self.cpu) * 1000


async def measure() -> list[Figure]:
    """Return the figures. Ray wants the main thread, and nothing else runs meanwhile."""
    with tempfile.TemporaryDirectory() as name:
        fleet = Fleet(Path(name))
        # The ports of Ray are open to the network.
        ray = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        with mock.patch.dict(os.environ, {**fleet.environment, **ray}), _ray() as on_ray:
            engines: dict[str, Engine] = {"local": lambda orders: run_local(orders, WORKERS)}
            engines |= {} if on_ray is None else {"on Ray": on_ray}
            return [*_stored(fleet, engines), *_nothing(fleet, engines), *_edits(fleet, engines)]


@contextmanager
def _ray() -> Generator[Engine | None]:
    """Yield the engine on two nodes of this machine; None without Ray."""
    try:
        utilities: Any = import_module("ray.cluster_utils")
    except ModuleNotFoundError:
        yield None
        return
    node = {"num_cpus": 1, "object_store_memory": 80 * 1024 * 1024}
    cluster = utilities.Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    try:
        yield lambda orders: run_ray(orders, cluster.address, WORKERS)
    finally:
        cluster.shutdown()


def _stored(fleet: Fleet, engines: dict[str, Engine]) -> list[Figure]:
    output = FleetOutput(str(fleet.directory / "stored"))
    for number in range(STORED):
        output.save(Result(id=f"t{number}", status="done"), b"")
    orders = [Order(FleetTask(id=f"t{number}", prompt="x"), output.address, None, 0) for number in range(STORED)]
    figures: list[Figure] = []
    for name, engine in engines.items():
        times = Times()
        times.take(engine(orders))
        figures.append(Figure(f"{STORED} tasks that are done already, a task {name}", times.milliseconds, "ms"))
        figures.append(Figure(f"the first result {name}", times.first[0] * 1000, "ms"))
    return figures


def _nothing(fleet: Fleet, engines: dict[str, Engine]) -> list[Figure]:
    model = fleet.script("nothing", [{"text": "Done."}])
    floor, times = Times(), {name: Times() for name in engines}
    for number in range(ROUNDS):
        runs = [(fleet, model, fleet.directory / f"run{number}_{place}") for place in range(TASKS)]
        with ThreadPoolExecutor(WORKERS) as pool:
            floor.take(pool.map(_run_alone, runs))
        tasks = [{"id": f"n{place}", "prompt": "x", "model": model} for place in range(TASKS)]
        _round(fleet, f"nothing{number}", tasks, engines, times)
    local, alone = times["local"].cpu_milliseconds, floor.cpu_milliseconds
    cpu = Figure("CPU of a task of nothing local", local, "ms", alone, "`placet run` alone", CPU_GOAL)
    return [cpu, *_beside_local("a task of nothing", times)]


def _edits(fleet: Fleet, engines: dict[str, Engine]) -> list[Figure]:
    times = {name: Times() for name in engines}
    tasks = [fleet.task(f"e{place}", check=f"grep -q e{place} a.txt") for place in range(TASKS)]
    for number in range(ROUNDS):
        _round(fleet, f"edits{number}", tasks, engines, times)
    return _beside_local("a task with an edit and a check", times, THROUGHPUT_GOAL)


def _beside_local(task: str, times: dict[str, Times], goal: float | None = None) -> list[Figure]:
    floor = times["local"].milliseconds
    return [
        Figure(f"{task} {name}", engine.milliseconds, "ms")
        if name == "local"
        else Figure(f"{task} {name}", engine.milliseconds, "ms", floor, "local", goal)
        for name, engine in times.items()
    ]


def _round(
    fleet: Fleet, name: str, tasks: Sequence[dict[str, Any]], engines: dict[str, Engine], times: dict[str, Times]
) -> None:
    """Time the tasks on each engine; every engine is the first one in turn."""
    patches: list[list[bytes]] = []
    order = list(engines) if len(times[next(iter(times))].tasks) % 2 == 0 else list(reversed(engines))
    for engine in order:
        output = FleetOutput(str(fleet.directory / name / engine))
        orders = [Order(FleetTask.model_validate(task), output.address, None, 0) for task in tasks]
        times[engine].take(engines[engine](orders))
        results = list(output.results())
        assert {result.status for result in results} == {"done"}
        patches.append([output.patch(result.id) for result in results])
    assert all(other == patches[0] for other in patches)


def _cpu_seconds() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _run_alone(run: tuple[Fleet, str, Path]) -> None:
    fleet, model, directory = run
    directory.mkdir()
    words = ("-P", "-m", "placet", "run", "--json", "--cwd", str(directory), "--model", model, "x")
    subprocess.run(
        [sys.executable, *words], env=fleet.environment, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
