"""`placet fleet run`, `show` and `retry`."""

import argparse
import os
import shlex
import signal
from collections.abc import Sequence

from placet.core.errors import PlacetError, RequestError
from placet.core.visible_text import one_line
from placet.fleet.fleet import Engine, run_fleet, store_tasks, stored_tasks
from placet.fleet.report import outcome, report_on
from placet.fleet.results import FleetOutput, Result
from placet.fleet.tasks import FleetTask, read_tasks
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.fleet.progress import say_report, shown_progress
from placet.frontends.terminal.output import complain, say, say_json, say_lines, say_text
from placet.frontends.terminal.table import print_table
from placet.sessions.store.usage import dollars

_HEADINGS = ("RESULT", ">CHANGED", ">SECONDS", ">TRIES", ">COST", "TASK")
"""The long names of tasks come last, as a narrow terminal shortens the last column alone."""


def main(options: argparse.Namespace) -> int:
    """Run the command; a failure is a message on stderr and an exit code."""
    try:
        match options.action:
            case "run":
                return _run(options)
            case "show":
                return _show(options)
            case "retry":
                return _retry(options)
            case _:
                import asyncio

                from placet.frontends.terminal.fleet.apply import apply

                return asyncio.run(apply(options))
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE if isinstance(error, RequestError) else ExitCode.FAILED


def engine_of(options: argparse.Namespace) -> Engine:
    """Return the engine of the options. Raises RequestError."""
    if options.on not in ("local", "ray") and not options.on.startswith("ray://"):
        raise RequestError(f"--on {options.on}: there are `local`, `ray` and `ray://HOST:PORT`")
    return Engine(options.on, options.workers or os.cpu_count() or 1, max(0, options.retries), options.model)


def run_tasks(tasks: Sequence[FleetTask], output: FleetOutput, options: argparse.Namespace) -> ExitCode:
    """Run the tasks that have no result, and print the report; Ctrl-C and SIGTERM stop the running tasks.

    Raises RequestError.
    """
    engine = engine_of(options)
    wanted = {task.id for task in tasks}
    results = [result for result in output.results() if result.id in wanted]
    former = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with shown_progress(len(tasks), results, as_json=options.json) as progress:
            results = run_fleet(tasks, output, engine, progress.take)
    except KeyboardInterrupt:
        complain(f"stopped; the same command goes on with the tasks without a result ({output.address})")
        return ExitCode.CANCELLED
    finally:
        signal.signal(signal.SIGTERM, former)
    if not options.json:
        say_report(report_on(results, len(tasks)))
        say(f"Results: {output.address}")
        if failed := next((result for result in results if result.solved is False or result.status != "done"), None):
            say(f"For the reason of each: placet fleet show {shlex.quote(output.address)} {failed.id}")
    if all(result.status != "place" for result in results):
        return ExitCode.DONE
    if not options.json:
        say(f"Run again what has no result: placet fleet retry {shlex.quote(output.address)}")
    return ExitCode.FAILED


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _run(options: argparse.Namespace) -> ExitCode:
    tasks = read_tasks(options.tasks)
    output = FleetOutput(options.output or str(options.tasks.with_suffix(".results").absolute()))
    store_tasks(output, tasks)
    return run_tasks(tasks, output, options)


def _retry(options: argparse.Namespace) -> ExitCode:
    output = FleetOutput(options.output)
    tasks = stored_tasks(output)
    if unknown := set(options.ids) - {task.id for task in tasks}:
        raise RequestError(f"{options.output} has no task {', '.join(sorted(unknown))}")
    statuses = options.status or (() if options.ids else ("place",))
    for result in list(output.results()):
        if result.id in options.ids or result.status in statuses:
            output.forget(result.id)
    return run_tasks(tasks, output, options)


def _show(options: argparse.Namespace) -> ExitCode:
    output = FleetOutput(options.output)
    tasks = stored_tasks(output)
    if options.id is not None:
        return _show_one(output, options)
    by_id = {result.id: result for result in output.results()}
    results = [by_id[task.id] for task in tasks if task.id in by_id]
    report = report_on(results, len(tasks))
    if options.json:
        say_json({"results": [result.dump() for result in results], "tasks": report.tasks, "cost": report.cost})
        return ExitCode.DONE
    print_table(_HEADINGS, [_row(result) for result in results])
    say_report(report)
    return ExitCode.DONE


def _show_one(output: FleetOutput, options: argparse.Namespace) -> ExitCode:
    if (result := output.result(options.id)) is None:
        raise RequestError(f"{output.address} has no result of {options.id}")
    patch = output.patch(result.id).decode("utf-8", "replace")
    if options.json:
        say_json({**result.dump(), "patch": patch})
        return ExitCode.DONE
    print_table(_HEADINGS, [_row(result)])
    for name, text in (("session", result.session_id), ("answer", result.answer), ("detail", result.detail)):
        if text:
            first, *further = text.strip().split("\n")
            say_lines([f"{name}: {first}", *(f"  {line}" for line in further)])
    if patch:
        say(f"patch: {output.address}/{result.patch_file or f'patches/{result.id}.patch'}")
        say_text(f"\n{patch}".removesuffix("\n"))
    return ExitCode.DONE


def _row(result: Result) -> tuple[str, ...]:
    cost = dollars(result.cost) if result.cost else "-"
    changed = f"+{result.additions} -{result.deletions}"
    return one_line(outcome(result)), changed, f"{result.seconds:.1f}", str(result.attempts), cost, result.id
