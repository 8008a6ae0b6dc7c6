"""`placet pending`: the requests that wait for the user's answer."""

import argparse

from placet.command_line.arguments import add_json
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        metavar="ID",
        nargs="?",
        help="show this request, with its diff or command; the beginning of the id is enough",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    import asyncio

    if options.id is None:
        from placet.frontends.terminal.pending.nothing import tell_nothing_waits

        if asyncio.run(tell_nothing_waits(as_json=options.json)):
            return 0
    from placet.frontends.terminal.pending.pending import waiting

    return asyncio.run(waiting(options))


COMMAND = Command("list the requests that wait for your answer, in any editor or terminal", add, run)
