"""Define the command lines of `placet sessions` and `placet usage`. Imports no code of the commands."""

import argparse
from pathlib import Path
from typing import Any, Protocol


class Commands(Protocol):
    """Argparse's object for adding subcommands."""

    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser: ...


def add_sessions(commands: Commands) -> None:
    """Add `placet sessions ACTION`."""
    sessions = commands.add_parser("sessions", help="list, search, show, rename, delete, fork, export and import them")
    actions = sessions.add_subparsers(dest="action", metavar="ACTION", required=True)
    here = argparse.ArgumentParser(add_help=False)
    here.add_argument("--cwd", type=Path, default=Path(), metavar="DIR", help="the project (default: here)")
    several = argparse.ArgumentParser(add_help=False, parents=[here])
    several.add_argument("--all", action="store_true", help="those of every project")
    several.add_argument("--limit", type=_count, default=50, metavar="N", help="at most so many (default: 50)")
    as_json = argparse.ArgumentParser(add_help=False)
    as_json.add_argument("--json", action="store_true", help="as JSON")
    by_id = argparse.ArgumentParser(add_help=False)
    by_id.add_argument("id", metavar="ID", help="as `placet sessions list` shows it")

    actions.add_parser("list", parents=[several, as_json], help="this project's, the one last used first")
    search = actions.add_parser("search", parents=[several, as_json], help="by words of titles, prompts and answers")
    search.add_argument("words", nargs="+", metavar="WORD", help="each must be there, be it within a longer one")
    actions.add_parser("show", parents=[by_id, as_json], help="its turns and what they have cost")
    rename = actions.add_parser("rename", parents=[by_id, as_json], help="give it a title")
    rename.add_argument("title", nargs="+", metavar="TITLE")
    delete = actions.add_parser("delete", help="with its history and its subagents' sessions; files stay as they are")
    delete.add_argument("ids", nargs="+", metavar="ID", help="as `placet sessions list` shows it")
    fork = actions.add_parser("fork", parents=[by_id, as_json], help="begin a new one with what was said in it")
    fork.add_argument("--before", metavar="MESSAGE", help="only what came before this prompt (an id, as `show` has it)")
    summarize = actions.add_parser("summarize", parents=[by_id], help="have a model say in short what it has done")
    summarize.add_argument("--model", metavar="NAME", help="which (default: `agent.summary.model`, else the session's)")
    export = actions.add_parser("export", parents=[by_id], help="print it, or write it to a file")
    export.add_argument("--format", choices=("json", "markdown"), default="json", help="json can be imported again")
    export.add_argument("--contents", action="store_true", help="with the texts of changed files (json only)")
    export.add_argument("-o", "--output", type=Path, metavar="FILE")
    import_ = actions.add_parser("import", parents=[here, as_json], help="begin a new one with what was exported")
    import_.add_argument("file", type=Path, metavar="FILE", help="as `export` has written it; - for stdin")


def add_usage(commands: Commands) -> None:
    """Add `placet usage`."""
    usage = commands.add_parser("usage", help="tokens and cost per day and model")
    usage.add_argument("--days", type=_count, default=30, metavar="N", help="today and the days before (default: 30)")
    usage.add_argument("--json", action="store_true", help="as JSON")


def _count(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
