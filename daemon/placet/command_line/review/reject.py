"""`placet reject`: reject a waiting request."""

import argparse

from placet.command_line.arguments import add_chosen_request
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = "Reject a waiting request."
    add_chosen_request(parser)
    parser.add_argument(
        "--message",
        default="",
        metavar="TEXT",
        help="reason for the model, which then continues; without a reason the turn ends, except for a connection of a "
        "running command, which goes on without the connection",
    )


def run(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.pending.pending import waiting

    return asyncio.run(waiting(options))


COMMAND = Command("reject a waiting request", add, run)
