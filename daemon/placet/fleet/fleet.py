"""Run of a fleet: the tasks without a result go to an engine, and each result is told."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from placet.core.errors import RequestError
from placet.fleet.local import run_local
from placet.fleet.results import FleetOutput, Result
from placet.fleet.tasks import FleetTask, tasks_in
from placet.fleet.work import Order


class Engine(Struct, frozen=True):
    """Place of the workers."""

    on: str = "local"
    """`local`, `ray`, or `ray://ADDRESS`."""
    workers: int = 2
    retries: int = 2
    model: str | None = None


def stored_tasks(output: FleetOutput) -> list[FleetTask]:
    """Return the tasks of the output. Raises RequestError for an output without a fleet. Blocks."""
    from pathlib import Path

    if (lines := output.tasks()) is None:
        raise RequestError(f"{output.address} holds no fleet.")
    return tasks_in(lines, f"{output.address}/tasks.jsonl", Path())


def store_tasks(output: FleetOutput, tasks: Sequence[FleetTask]) -> None:
    """Store the tasks, beside the earlier tasks. Raises RequestError for another task of a known id. Blocks."""
    known = {task.id: task for task in (stored_tasks(output) if output.tasks() is not None else ())}
    for task in tasks:
        if known.setdefault(task.id, task) != task:
            raise RequestError(f"{output.address} has another task {task.id}: choose another output, or another id.")
    output.save_tasks(
        "".join(f"{task.model_dump_json(by_alias=True, exclude_defaults=True)}\n" for task in known.values())
    )


def run_fleet(
    tasks: Sequence[FleetTask], output: FleetOutput, engine: Engine, tell: Callable[[Result], None]
) -> list[Result]:
    """Run the tasks without a result, tell each new result, and return all results of the tasks. Blocks."""
    results = {result.id: result for result in output.results()}
    orders = [Order(task, output.address, engine.model, engine.retries) for task in tasks if task.id not in results]
    for result in _engine(engine, orders):
        results[result.id] = result
        tell(result)
    output.collect()
    return [results[task.id] for task in tasks if task.id in results]


def _engine(engine: Engine, orders: Sequence[Order]) -> Iterator[Result]:
    if engine.on == "local":
        return run_local(orders, engine.workers)
    from placet.fleet.ray_workers import run_ray

    return run_ray(orders, engine.on.removeprefix("ray").removeprefix("://") or None, engine.workers)
