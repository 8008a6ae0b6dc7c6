"""Define the command line of `placet permissions`. Imports no code of the command."""

import argparse

from placet.frontends.terminal.arguments.project import add_project
from placet.frontends.terminal.arguments.sessions import Commands


def add_permissions(commands: Commands) -> None:
    """Add `placet permissions ACTION`."""
    _define_permissions(commands.add_parser("permissions", help="explain and list permissions, and revoke grants"))


def _define_permissions(parser: argparse.ArgumentParser) -> None:
    where = argparse.ArgumentParser(add_help=False)
    add_project(where)
    where.add_argument("--agent", metavar="NAME", help="agent that the rules bind (default: the default agent)")
    where.add_argument("--session", metavar="ID", help="session whose agent and caution count (default: a new session)")
    where.add_argument("--json", action="store_true", help="print JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    explain = actions.add_parser(
        "explain", parents=[where], help="show the decision about a call, and the rule that decides"
    )
    explain.add_argument(
        "permission", nargs="?", help="permission of the call: bash, edit, read, webfetch, or the name of a tool"
    )
    explain.add_argument("subject", nargs="?", help="command line, path or pattern of the call")
    explain.add_argument(
        "--last", action="store_true", help="show the last answer of the judge, with the judge's reason, instead"
    )
    actions.add_parser("list", parents=[where], help="list the rules and grants in force, and where each is defined")
    revoke = actions.add_parser("revoke", parents=[where], help='revoke a grant, made by an answer "always"')
    revoke.add_argument("id", metavar="ID", help="id of the grant, as shown by `placet permissions list`")
