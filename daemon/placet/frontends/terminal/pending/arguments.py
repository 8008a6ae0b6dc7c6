"""Define the command lines of `placet pending`, `placet approve` and `placet reject`.

Imports no code of the commands.
"""

import argparse

from placet.frontends.terminal.arguments.sessions import Commands


def add_waiting(commands: Commands) -> None:
    """Add the commands that show and answer the requests waiting in any editor or terminal."""
    pending = commands.add_parser(
        "pending", help="list the requests that wait for your answer, in any editor or terminal"
    )
    pending.add_argument(
        "id",
        metavar="ID",
        nargs="?",
        help="show this request, with its diff or command; the beginning of the id is enough",
    )
    pending.add_argument("--json", action="store_true", help="print JSON")

    approve = commands.add_parser(
        "approve",
        help="allow a waiting request, or answer a question",
        description="Allow a waiting request, or answer a question.",
    )
    _define_choice(approve)
    how = approve.add_mutually_exclusive_group()
    how.add_argument(
        "--always",
        choices=("session", "project", "user"),
        metavar="SCOPE",
        help="allow similar calls too: session (in this session), project (in this project) or user (everywhere)",
    )
    how.add_argument(
        "--hunks",
        type=_numbers,
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

    reject = commands.add_parser("reject", help="reject a waiting request", description="Reject a waiting request.")
    _define_choice(reject)
    reject.add_argument(
        "--message",
        default="",
        metavar="TEXT",
        help="reason for the model, which then continues; without a reason the turn ends, except for a connection of a "
        "running command, which goes on without the connection",
    )


def _define_choice(parser: argparse.ArgumentParser) -> None:
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument(
        "id",
        metavar="ID",
        nargs="?",
        help="id of the request, as shown by `placet pending`, or the beginning of the id",
    )
    choice.add_argument("--last", action="store_true", help="the newest request")


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of `1,3-5` as 1, 3, 4, 5."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        start, end = int(first), int(last if dash else first)
        if not 1 <= start <= end <= 100_000:
            raise argparse.ArgumentTypeError("numbers start at 1, and ranges go upwards")
        numbers.update(range(start, end + 1))
    return tuple(sorted(numbers))
