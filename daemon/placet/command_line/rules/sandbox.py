"""`placet sandbox`: the sandbox around commands."""

import argparse

from placet.command_line.arguments import add_json, add_project
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    where = argparse.ArgumentParser(add_help=False)
    add_project(where)
    add_json(where)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    explain = actions.add_parser(
        "explain", parents=[where], help="show whether a command line runs inside, what it can touch, and who is asked"
    )
    explain.add_argument("line", metavar="COMMAND", help="command line, in quotes")
    explain.add_argument("--agent", metavar="NAME", help="agent that runs the command (default: the default agent)")
    actions.add_parser(
        "test", parents=[where], help="try to leave the sandbox, and do daily work inside; 1 when a row fails"
    )


def run(options: argparse.Namespace) -> int:
    import asyncio

    if options.action == "explain":
        from placet.frontends.terminal.sandbox.explain import explain

        return asyncio.run(explain(options.line, cwd=options.cwd, agent=options.agent, as_json=options.json))
    from placet.frontends.terminal.sandbox.trial import trial

    return asyncio.run(trial(cwd=options.cwd, as_json=options.json))


COMMAND = Command("explain and test the sandbox around commands", add, run)
