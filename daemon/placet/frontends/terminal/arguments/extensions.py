"""Define the command lines of `placet mcp`, `placet trust` and `placet plugin`. Imports no code of the commands."""

import argparse
from pathlib import Path

from placet.frontends.terminal.arguments.sessions import Commands


def add_extensions(commands: Commands) -> None:
    """Add `placet mcp ACTION`, `placet trust` and `placet plugin ACTION`."""
    _define_mcp(commands.add_parser("mcp", help="list MCP servers, show their state, sign in and out, enter values"))
    _define_trust(
        commands.add_parser("trust", help="show the extensions of a project, and decide whether Placet uses them")
    )
    _define_plugin(commands.add_parser("plugin", help="add, list, update and remove bundles of extensions"))


def _define_plugin(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="show everything that a bundle would run, and add the bundle")
    add.add_argument("source", metavar="PATH|URL@COMMIT", help="a directory, or a git repository at a commit")
    add.add_argument("--path", default="", metavar="DIR", help="the directory of the bundle below the source")
    add.add_argument("--plugin", default="", metavar="NAME", help="the bundle in a marketplace of several bundles")
    add.add_argument("--yes", action="store_true", help="do not ask; needs a full commit, or --digest")
    add.add_argument("--digest", default="", metavar="SHA256", help="add the bundle only with this digest")
    update = actions.add_parser("update", help="show what has changed in a bundle, and take the new state")
    update.add_argument("name", metavar="NAME[@COMMIT]", help="the bundle, and the commit, branch or tag to take")
    update.add_argument("--yes", action="store_true", help="do not ask; needs a full commit, or --digest")
    update.add_argument("--digest", default="", metavar="SHA256", help="take the new state only with this digest")
    does = {
        "show": "show everything that an added bundle runs",
        "enable": "use a bundle again",
        "disable": "leave a bundle out, without removing the bundle",
        "remove": "remove a bundle",
    }
    for action, about in does.items():
        actions.add_parser(action, help=about).add_argument("name", metavar="NAME")
    actions.add_parser("list", help="list the bundles").add_argument("--json", action="store_true", help="print JSON")


def _define_mcp(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    does = {
        "list": "list the configured servers without starting them",
        "status": "start the servers, and show the state of each server",
        "auth": "sign in to a server",
        "input": "enter the values that a server asks for",
        "logout": "sign out of a server, and delete the values for the server",
    }
    for action, about in does.items():
        action_parser = actions.add_parser(action, help=about)
        action_parser.add_argument("name", metavar="NAME", nargs=None if action in ("auth", "input", "logout") else "?")
        action_parser.add_argument("--json", action="store_true", help="print JSON")


def _define_trust(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the project (default: the current directory)",
    )
    does = parser.add_mutually_exclusive_group()
    does.add_argument(
        "--yes", dest="do", action="store_const", const="yes", help="trust the project: Placet uses its extensions"
    )
    does.add_argument(
        "--no", dest="do", action="store_const", const="no", help="do not trust the project, and do not ask again"
    )
    does.add_argument(
        "--forget", dest="do", action="store_const", const="forget", help="forget the decision; Placet asks again"
    )
    does.add_argument("--list", dest="do", action="store_const", const="list", help="list all folders with a decision")
    parser.add_argument("--json", action="store_true", help="print JSON")
