"""`placet sessions`: stored sessions."""

import argparse
from pathlib import Path

from placet.command_line.arguments import add_json, add_project, count
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    here = argparse.ArgumentParser(add_help=False)
    add_project(here)
    several = argparse.ArgumentParser(add_help=False, parents=[here])
    several.add_argument("--all", action="store_true", help="include the sessions of every project")
    several.add_argument(
        "--limit", type=count, default=50, metavar="N", help="largest number of sessions (default: 50)"
    )
    as_json = argparse.ArgumentParser(add_help=False)
    add_json(as_json)
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


def run(options: argparse.Namespace) -> int:
    import asyncio

    if options.action == "summarize":
        from placet.frontends.terminal.summarizing import summarize

        return asyncio.run(summarize(options.id, options.model))
    from placet.frontends.terminal.sessions import sessions

    return asyncio.run(sessions(options))


COMMAND = Command("list, search, show, rename, delete, fork, summarize, export and import sessions", add, run)
