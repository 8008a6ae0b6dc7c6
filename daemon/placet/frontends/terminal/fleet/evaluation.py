"""`placet eval`: run a benchmark as a fleet and score the results, or compare two runs task by task."""

import argparse
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

from placet.core.errors import PlacetError, RequestError
from placet.core.visible_text import one_line
from placet.fleet.benchmarks import benchmark, predictions
from placet.fleet.fleet import store_tasks, stored_tasks
from placet.fleet.report import is_solved, outcome, report_on
from placet.fleet.results import FleetOutput, Result
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.fleet.fleet import run_tasks
from placet.frontends.terminal.fleet.progress import reasons, summary
from placet.frontends.terminal.output import complain, say, say_json
from placet.frontends.terminal.table import print_table
from placet.sessions.store.usage import dollars
from placet.settings.locations import default_locations


def main(options: argparse.Namespace) -> int:
    """Run the command; a failure is a message on stderr and an exit code."""
    try:
        return _run(options) if options.action == "run" else _compare(options)
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE if isinstance(error, RequestError) else ExitCode.FAILED


def _run(options: argparse.Namespace) -> ExitCode:
    home = default_locations().fleet / "benchmarks"
    tasks = benchmark(options.benchmark, home, scripted=options.model is None)
    if options.only:
        ids = [task.id for task in tasks]
        if unknown := [task for task in options.only if task not in ids]:
            near = get_close_matches(unknown[0], ids, cutoff=0.4) or ids[:3]
            raise RequestError(f"{options.benchmark} has no task {unknown[0]}; it has {', '.join(near)}, …")
        tasks = [task for task in tasks if task.id in options.only]
    tasks = tasks[: options.limit]
    output = FleetOutput(options.output)
    store_tasks(output, tasks)
    code = run_tasks(tasks, output, options)
    if options.benchmark.startswith("swe-bench:"):
        model = f"placet/{options.model or 'default'}"
        patches = {result.id: output.patch(result.id).decode("utf-8", "replace") for result in output.results()}
        output.save_predictions(predictions(patches, model))
        if not options.json:
            say(f"Predictions for the harness of SWE-bench: {options.output}/predictions.jsonl")
    return code


def _compare(options: argparse.Namespace) -> ExitCode:
    first, second = (_results(output) for output in (options.first, options.second))
    ids = sorted(first.keys() | second.keys())
    if options.json:
        say_json([{"id": task, "first": _data(first.get(task)), "second": _data(second.get(task))} for task in ids])
        return ExitCode.DONE
    rows = [(task, *_cells(first.get(task)), *_cells(second.get(task)), _change(first, second, task)) for task in ids]
    print_table(("TASK", "FIRST", ">COST", "SECOND", ">COST", "CHANGE"), rows)
    changes = Counter(row[-1] for row in rows)
    say(f"SECOND beside FIRST: won {changes['won']}, lost {changes['lost']}")
    for name, address, results in (("FIRST ", options.first, first), ("SECOND", options.second, second)):
        tasks = len(stored_tasks(FleetOutput(address)))
        report = report_on(list(results.values()), tasks)
        say(f"{name}  {one_line(address)}: {summary(report)}")
        if report.reasons:
            say(f"        not solved: {reasons(report)}")
    return ExitCode.DONE


def _results(address: str) -> dict[str, Result]:
    output = FleetOutput(address)
    stored_tasks(output)
    return {result.id: result for result in output.results()}


def _cells(result: Result | None) -> Sequence[str]:
    if result is None:
        return "-", "-"
    return one_line(outcome(result)), dollars(result.cost) if result.cost else "-"


def _change(first: dict[str, Result], second: dict[str, Result], task: str) -> str:
    """Return `won` or `lost` for a task that the second run alone, or the first alone, has solved."""
    if task not in first or task not in second:
        return ""
    before, after = is_solved(first[task]), is_solved(second[task])
    return "" if before == after else "won" if after else "lost"


def _data(result: Result | None) -> object:
    return None if result is None else {"outcome": outcome(result), "solved": is_solved(result), "cost": result.cost}
