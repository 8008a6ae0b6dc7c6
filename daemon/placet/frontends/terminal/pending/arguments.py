"""Define the command lines of `placet pending`, `placet approve` and `placet reject`.

Imports no code of the commands.
"""

import argparse

from placet.frontends.terminal.session_arguments import Commands


def add_waiting(commands: Commands) -> None:
    """Add the commands that show and answer the requests waiting in any editor or terminal."""
    pending = commands.add_parser(
        "pending", help="what waits for your answer, in whichever editor or terminal it was asked"
    )
    pending.add_argument("id", metavar="ID", nargs="?", help="show this one, with its diff or command")
    pending.add_argument("--json", action="store_true", help="as JSON")

    approve = commands.add_parser(
        "approve", help="allow what waits, or answer a question", description="Allow what waits, or answer a question."
    )
    _define_choice(approve)
    how = approve.add_mutually_exclusive_group()
    how.add_argument(
        "--always",
        choices=("session", "project", "user"),
        metavar="SCOPE",
        help="and do not ask for its like again: in this session, in this project, or (user) anywhere",
    )
    how.add_argument(
        "--hunks",
        type=_numbers,
        metavar="N[,N-N...]",
        help="only these parts of a change, as `placet pending ID` numbers them; the rest is refused",
    )
    how.add_argument(
        "--answer",
        action="append",
        metavar="TEXT",
        help="to a question: an option, its number, several with commas, or your own words; once for each question",
    )

    reject = commands.add_parser("reject", help="refuse what waits", description="Refuse what waits.")
    _define_choice(reject)
    reject.add_argument(
        "--message", default="", metavar="TEXT", help="why: the model is told, and goes on; without it the turn ends"
    )


def _define_choice(parser: argparse.ArgumentParser) -> None:
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("id", metavar="ID", nargs="?", help="as `placet pending` shows it")
    choice.add_argument("--last", action="store_true", help="what was asked last")


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of `1,3-5` as 1, 3, 4, 5."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        start, end = int(first), int(last if dash else first)
        if not 1 <= start <= end <= 100_000:
            raise argparse.ArgumentTypeError("numbers count from 1, and a range goes upwards")
        numbers.update(range(start, end + 1))
    return tuple(sorted(numbers))
