"""Define the command lines of `placet sessions`, `placet back` and `placet usage`. Imports no code of the commands."""

import argparse
from pathlib import Path
from typing import Any, Protocol

from placet.frontends.terminal.arguments.project import add_project


class Commands(Protocol):
    """Argparse's object for adding subcommands."""

    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser: ...


def add_sessions(commands: Commands) -> None:
    """Add `placet sessions ACTION`."""
    sessions = commands.add_parser(
        "sessions", help="list, search, show, rename, delete, fork, summarize, export and import sessions"
    )
    actions = sessions.add_subparsers(dest="action", metavar="ACTION", required=True)
    here = argparse.ArgumentParser(add_help=False)
    add_project(here)
    several = argparse.ArgumentParser(add_help=False, parents=[here])
    several.add_argument("--all", action="store_true", help="include the sessions of every project")
    several.add_argument(
        "--limit", type=_count, default=50, metavar="N", help="largest number of sessions (default: 50)"
    )
    as_json = argparse.ArgumentParser(add_help=False)
    as_json.add_argument("--json", action="store_true", help="print JSON")
    by_id = argparse.ArgumentParser(add_help=False)
    by_id.add_argument("id", metavar="ID", help="id of the session, as shown by `placet sessions list`")

    actions.add_parser("list", parents=[several, as_json], help="list the sessions of the project, the last used first")
    search = actions.add_parser(
        "search", parents=[several, as_json], help="search the words of titles, prompts and answers"
    )
    search.add_argument("words", nargs="+", metavar="WORD", help="every WORD must occur, alone or within a longer word")
    actions.add_parser("show", parents=[by_id, as_json], help="show the turns of a session, and their cost")
    rename = actions.add_parser("rename", parents=[by_id, as_json], help="give a session a title")
    rename.add_argument("title", nargs="+", metavar="TITLE")
    delete = actions.add_parser(
        "delete", help="delete sessions with their history and their subagents' sessions; files stay unchanged"
    )
    delete.add_argument("ids", nargs="+", metavar="ID", help="id of the session, as shown by `placet sessions list`")
    fork = actions.add_parser(
        "fork", parents=[by_id, as_json], help="start a new session with a copy of the conversation"
    )
    fork.add_argument(
        "--before",
        metavar="MESSAGE",
        help="copy only the messages before this prompt (an id, as shown by `placet sessions show`)",
    )
    summarize = actions.add_parser("summarize", parents=[by_id], help="have a model summarize the work of a session")
    summarize.add_argument(
        "--model", metavar="NAME", help="model (default: `agent.summary.model`, else the session's model)"
    )
    export = actions.add_parser("export", parents=[by_id], help="print a session, or write a session to a file")
    export.add_argument(
        "--format", choices=("json", "markdown"), default="json", help="only json can be imported (default: json)"
    )
    export.add_argument("--contents", action="store_true", help="include the texts of changed files (json only)")
    export.add_argument("-o", "--output", type=Path, metavar="FILE")
    import_ = actions.add_parser(
        "import", parents=[here, as_json], help="start a new session with an exported conversation"
    )
    import_.add_argument("file", type=Path, metavar="FILE", help="output of `placet sessions export`; - for stdin")


def add_back(commands: Commands) -> None:
    """Add `placet back`."""
    back = commands.add_parser(
        "back",
        help="go back to an earlier prompt, in talk and files, and forward again",
        description="Hide a prompt with all later messages, and restore the files to the state before the prompt. "
        "The effect is shown first, and confirmed. Without PROMPT, list the prompts of the session.",
    )
    back.add_argument("prompt", nargs="?", metavar="PROMPT", help="number in the list of prompts, or id of the prompt")
    add_project(back)
    back.add_argument("--session", metavar="ID", help="id of the session (default: the last session here)")
    share = back.add_mutually_exclusive_group()
    share.add_argument("--talk", action="store_true", help="go back in the conversation, and leave the files")
    share.add_argument("--files", action="store_true", help="restore the files, and leave the conversation")
    choice = back.add_mutually_exclusive_group()
    choice.add_argument("--preview", action="store_true", help="show the effect, and change nothing")
    choice.add_argument("--json", action="store_true", help="print the effect or the list as JSON, and change nothing")
    choice.add_argument("--yes", action="store_true", help="go back without a question")
    choice.add_argument("--redo", action="store_true", help="take back the last time that you went back")


def add_usage(commands: Commands) -> None:
    """Add `placet usage`."""
    usage = commands.add_parser("usage", help="show tokens and cost per day and model")
    usage.add_argument("--days", type=_count, default=30, metavar="N", help="number of days up to today (default: 30)")
    usage.add_argument("--json", action="store_true", help="print JSON")


def _count(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
