"""`placet review`: proposed and unreviewed changes."""

import argparse
from pathlib import Path

from placet.command_line.arguments import add_project, has_project
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show each undecided change, and ask for a decision; without a terminal, list the changes. "
        "A proposed change is accepted or rejected; an unreviewed change is kept or undone."
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="files to review (default: all)")
    add_project(parser)
    parser.add_argument(
        "--session", metavar="ID", help="id of the session (default: the last session here with changes to review)"
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--list", action="store_true", help="list the changes, and decide nothing")
    choice.add_argument("--diff", action="store_true", help="show the changes with their diffs, and decide nothing")
    choice.add_argument("--json", action="store_true", help="print the changes as JSON, and decide nothing")
    choice.add_argument("--accept", action="store_true", help="accept or keep the changes without a question")
    choice.add_argument("--reject", action="store_true", help="reject or undo the changes without a question")


def run(options: argparse.Namespace) -> int:
    if not has_project(options):
        return 2
    import asyncio

    from placet.frontends.terminal.review.review import review

    return asyncio.run(review(options))


COMMAND = Command("list proposed and unreviewed changes, and decide about the changes", add, run)
