"""Arguments that several commands share. Imports no code of the commands."""

import argparse
from pathlib import Path

from placet.settings.review_modes import REVIEW_MODES


def add_project(parser: argparse.ArgumentParser) -> None:
    """Add `--cwd`: the project in which the command works."""
    parser.add_argument(
        "--cwd", type=Path, default=Path(), metavar="DIR", help="the project (default: the current directory)"
    )


def has_project(options: argparse.Namespace) -> bool:
    """Return whether the project is a directory; if not, report the mistake on stderr. The exit code is then 2."""
    if options.cwd.is_dir():
        return True
    from placet.frontends.terminal.output import complain

    complain(f"{options.cwd} is not a directory")
    return False


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add `--model`: the model of the prompts."""
    parser.add_argument("--model", metavar="NAME", help="model: provider/name, builtin/rules, or scripted/FILE")


def add_review(parser: argparse.ArgumentParser, default: str) -> None:
    """Add `--review`: the review mode, which without the option and without a setting is `default`."""
    parser.add_argument(
        "--review",
        choices=tuple(REVIEW_MODES),
        help="treatment of changes. ask: ask for each change; stage: collect the changes for a later `placet review`; "
        f"apply: write the changes at once, and review the changes afterwards (default: the setting, else {default})",
    )


def add_taking_along(parser: argparse.ArgumentParser) -> None:
    """Add the option that takes uncommitted changes along into a new worktree."""
    parser.add_argument(
        "--with-changes",
        action="store_true",
        help="begin the worktree with your uncommitted changes too, untracked files included",
    )


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where and how the tasks of a fleet run."""
    parser.add_argument(
        "--on", default="local", metavar="ENGINE", help="local (default), ray, or ray://HOST:PORT of a cluster"
    )
    parser.add_argument("--workers", type=count, metavar="N", help="tasks at once (default: one for each core)")
    parser.add_argument(
        "--retries", type=int, default=2, metavar="N", help="further attempts when the place fails (default: 2)"
    )
    parser.add_argument("--model", metavar="NAME", help="model of the tasks that name none")
    parser.add_argument("--json", action="store_true", help="print each result as a line of JSON")


def add_changing_run(parser: argparse.ArgumentParser) -> None:
    """Add the options of `placet run`, `placet undo` and `placet redo`."""
    add_project(parser)
    parser.add_argument(
        "--json", action="store_true", help="print events as JSON lines on stdout (schema: `placet schema run`)"
    )
    add_model(parser)
    parser.add_argument("--session", metavar="ID", help="id of the session to use")


def add_chosen_request(parser: argparse.ArgumentParser) -> None:
    """Add the choice of a waiting request: by its id, or the newest."""
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument(
        "id",
        metavar="ID",
        nargs="?",
        help="id of the request, as shown by `placet pending`, or the beginning of the id",
    )
    choice.add_argument("--last", action="store_true", help="the newest request")


def count(text: str) -> int:
    """Return the number of at least 1. Raises ArgumentTypeError."""
    if not text.isdecimal() or (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number of at least 1")
    return number
