"""`placet eval`: a benchmark as a fleet."""

import argparse

from placet.command_line.arguments import add_engine, add_json, count
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "example: placet eval run own -o first; placet eval run own -o second --model openai/gpt-5; "
        "placet eval compare first second"
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
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
    run.add_argument("--limit", type=count, metavar="N", help="only the first N tasks")
    run.add_argument("--only", action="append", default=[], metavar="ID", help="only this task; may be repeated")
    add_engine(run)
    compare = actions.add_parser("compare", help="compare two runs task by task, with the cost of each")
    compare.add_argument("first", metavar="FIRST", help="output of a run")
    compare.add_argument("second", metavar="SECOND", help="output of the run to compare with the first")
    add_json(compare)


def run(options: argparse.Namespace) -> int:
    from placet.frontends.terminal.fleet import evaluation

    return evaluation.main(options)


COMMAND = Command("run a benchmark as a fleet, or compare two runs", add, run)
