"""Define the command line of `placet fleet`. Imports no code of the commands."""

import argparse
from pathlib import Path

from placet.frontends.terminal.arguments.project import add_project
from placet.frontends.terminal.arguments.sessions import Commands


def add_fleet(commands: Commands) -> None:
    """Add `placet fleet`."""
    fleet = commands.add_parser("fleet", help="run many tasks at once, each in a clone of its own")
    actions = fleet.add_subparsers(dest="action", required=True, metavar="ACTION")
    run = actions.add_parser("run", help="run the tasks that have no result yet")
    run.add_argument("tasks", type=Path, metavar="TASKS.jsonl", help="the tasks, one as JSON on each line")
    run.add_argument("-o", "--output", metavar="DIR", help="directory or fsspec address (default: TASKS.results)")
    add_engine(run)
    show = actions.add_parser("show", help="show the results, or one result with its patch")
    show.add_argument("output", metavar="DIR", help="output of a fleet")
    show.add_argument("id", nargs="?", help="task to show")
    show.add_argument("--json", action="store_true", help="print JSON")
    retry = actions.add_parser("retry", help="run tasks again: those that the place kept from a result, or the named")
    retry.add_argument("output", metavar="DIR", help="output of a fleet")
    retry.add_argument("ids", nargs="*", metavar="ID", help="tasks to run again, whatever their results")
    retry.add_argument(
        "--status",
        action="append",
        choices=("place", "error", "stopped", "limit", "done"),
        help="run the tasks of this status again, such as `error` after a wrong key; may be repeated",
    )
    add_engine(retry)
    apply = actions.add_parser("apply", help="propose the patch of a task here, for your review")
    apply.add_argument("output", metavar="DIR", help="output of a fleet")
    apply.add_argument("id", help="task with the patch")
    add_project(apply)


def add_eval(commands: Commands) -> None:
    """Add `placet eval`."""
    evaluation = commands.add_parser(
        "eval",
        help="run a benchmark as a fleet, or compare two runs",
        epilog="example: placet eval run own -o first; placet eval run own -o second --model openai/gpt-5; "
        "placet eval compare first second",
    )
    actions = evaluation.add_subparsers(dest="action", required=True, metavar="ACTION")
    run = actions.add_parser("run", help="run the tasks of a benchmark that have no result yet, and score the results")
    run.add_argument(
        "benchmark",
        metavar="BENCHMARK",
        help="own: Placet's own small tasks, which need no key without --model; polyglot:DIR: exercises of a clone of "
        "Aider's benchmark; swe-bench:FILE.jsonl: instances of SWE-bench, for predictions",
    )
    run.add_argument(
        "-o", "--output", required=True, metavar="DIR", help="directory or fsspec address for the results of this run"
    )
    run.add_argument("--limit", type=_count, metavar="N", help="only the first N tasks")
    run.add_argument("--only", action="append", default=[], metavar="ID", help="only this task; may be repeated")
    add_engine(run)
    compare = actions.add_parser("compare", help="compare two runs task by task, with the cost of each")
    compare.add_argument("first", metavar="FIRST", help="output of a run")
    compare.add_argument("second", metavar="SECOND", help="output of the run to compare with the first")
    compare.add_argument("--json", action="store_true", help="print JSON")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where and how tasks run."""
    parser.add_argument(
        "--on", default="local", metavar="ENGINE", help="local (default), ray, or ray://HOST:PORT of a cluster"
    )
    parser.add_argument("--workers", type=_count, metavar="N", help="tasks at once (default: one for each core)")
    parser.add_argument(
        "--retries", type=int, default=2, metavar="N", help="further attempts when the place fails (default: 2)"
    )
    parser.add_argument("--model", metavar="NAME", help="model of the tasks that name none")
    parser.add_argument("--json", action="store_true", help="print each result as a line of JSON")


def _count(text: str) -> int:
    if not text.isdecimal() or (count := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number of at least 1")
    return count
