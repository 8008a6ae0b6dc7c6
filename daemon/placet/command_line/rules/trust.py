"""`placet trust`: whether Placet uses the extensions of a project."""

import argparse
from pathlib import Path

from placet.command_line.arguments import add_json
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the project (default: the current directory)",
    )
    does = parser.add_mutually_exclusive_group()
    does.add_argument(
        "--yes", dest="do", action="store_const", const="yes", help="trust the project: Placet uses its extensions"
    )
    does.add_argument(
        "--no", dest="do", action="store_const", const="no", help="do not trust the project, and do not ask again"
    )
    does.add_argument(
        "--forget", dest="do", action="store_const", const="forget", help="forget the decision; Placet asks again"
    )
    does.add_argument("--list", dest="do", action="store_const", const="list", help="list all folders with a decision")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from placet.frontends.terminal import trust

    if options.do == "list":
        return trust.listing(as_json=options.json)
    if not options.directory.is_dir():
        from placet.frontends.terminal.output import complain

        complain(f"{options.directory} is not a directory")
        return 2
    if options.do == "forget":
        return trust.forget(options.directory)
    import asyncio

    answer = {"yes": True, "no": False}.get(options.do)
    return asyncio.run(trust.trust(options.directory, answer=answer, as_json=options.json))


COMMAND = Command("show the extensions of a project, and decide whether Placet uses them", add, run)
