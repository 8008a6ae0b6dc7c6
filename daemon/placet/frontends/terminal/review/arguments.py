"""Define the command line of `placet review`. Imports no code of the command."""

from pathlib import Path

from placet.frontends.terminal.arguments.project import add_project
from placet.frontends.terminal.arguments.sessions import Commands


def add_review(commands: Commands) -> None:
    """Add `placet review`."""
    review = commands.add_parser(
        "review",
        help="list proposed and unreviewed changes, and decide about the changes",
        description="Show each undecided change, and ask for a decision; without a terminal, list the changes. "
        "A proposed change is accepted or rejected; an unreviewed change is kept or undone.",
    )
    review.add_argument("files", nargs="*", type=Path, metavar="FILE", help="files to review (default: all)")
    add_project(review)
    review.add_argument(
        "--session", metavar="ID", help="id of the session (default: the last session here with changes to review)"
    )
    choice = review.add_mutually_exclusive_group()
    choice.add_argument("--list", action="store_true", help="list the changes, and decide nothing")
    choice.add_argument("--diff", action="store_true", help="show the changes with their diffs, and decide nothing")
    choice.add_argument("--json", action="store_true", help="print the changes as JSON, and decide nothing")
    choice.add_argument("--accept", action="store_true", help="accept or keep the changes without a question")
    choice.add_argument("--reject", action="store_true", help="reject or undo the changes without a question")
