"""Arguments of `placet sandbox`."""

import argparse

from placet.frontends.terminal.arguments.project import add_project
from placet.frontends.terminal.arguments.sessions import Commands


def add_sandbox(commands: Commands) -> None:
    """Define `placet sandbox explain` and `placet sandbox test`."""
    where = argparse.ArgumentParser(add_help=False)
    add_project(where)
    where.add_argument("--json", action="store_true", help="print JSON")
    parser = commands.add_parser("sandbox", help="explain and test the sandbox around commands")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    explain = actions.add_parser(
        "explain", parents=[where], help="show whether a command line runs inside, what it can touch, and who is asked"
    )
    explain.add_argument("line", metavar="COMMAND", help="command line, in quotes")
    explain.add_argument("--agent", metavar="NAME", help="agent that runs the command (default: the default agent)")
    actions.add_parser(
        "test", parents=[where], help="try to leave the sandbox, and do daily work inside; 1 when a row fails"
    )
