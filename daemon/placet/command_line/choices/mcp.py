"""`placet mcp`: MCP servers."""

import argparse

from placet.command_line.arguments import add_json
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
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
        add_json(action_parser)


def run(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.mcp import mcp

    return asyncio.run(mcp(options.action, options.name, as_json=options.json))


COMMAND = Command("list MCP servers, show their state, sign in and out, enter values", add, run)
