"""`placet fleet`: many tasks at once."""

import argparse
from pathlib import Path

from placet.command_line.arguments import add_engine, add_json, add_project
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    run = actions.add_parser("run", help="run the tasks that have no result yet")
    run.add_argument("tasks", type=Path, metavar="TASKS.jsonl", help="the tasks, one as JSON on each line")
    run.add_argument("-o", "--output", metavar="DIR", help="directory or fsspec address (default: TASKS.results)")
    add_engine(run)
    show = actions.add_parser("show", help="show the results, or one result with its patch")
    show.add_argument("output", metavar="DIR", help="output of a fleet")
    show.add_argument("id", nargs="?", help="task to show")
    add_json(show)
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


def run(options: argparse.Namespace) -> int:
    from placet.frontends.terminal.fleet import fleet

    return fleet.main(options)


COMMAND = Command("run many tasks at once, each in a clone of its own", add, run)
