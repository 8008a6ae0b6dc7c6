"""`placet approve`: allow a waiting request, or answer a question."""

import argparse

from placet.command_line.arguments import add_chosen_request
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = "Allow a waiting request, or answer a question."
    add_chosen_request(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--always",
        choices=("session", "project", "user"),
        metavar="SCOPE",
        help="allow similar calls too: session (in this session), project (in this project) or user (everywhere)",
    )
    how.add_argument(
        "--hunks",
        type=_hunks,
        metavar="N[,N-N...]",
        help="accept only these hunks of a change, numbered by `placet pending ID`; the other hunks are rejected",
    )
    how.add_argument(
        "--answer",
        action="append",
        metavar="TEXT",
        help="answer to a question: an option or its number, several separated by commas, or your own words; "
        "once for each question",
    )


def run(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.pending.pending import waiting

    return asyncio.run(waiting(options))


COMMAND = Command("allow a waiting request, or answer a question", add, run)


def _hunks(text: str) -> tuple[int, ...]:
    """Return the numbers of `1,3-5` as 1, 3, 4, 5."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        start, end = int(first), int(last if dash else first)
        if not 1 <= start <= end <= 100_000:
            raise argparse.ArgumentTypeError("numbers start at 1, and ranges go upwards")
        numbers.update(range(start, end + 1))
    return tuple(sorted(numbers))
