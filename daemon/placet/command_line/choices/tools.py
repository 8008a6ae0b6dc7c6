"""`placet tools`: all tools."""

import argparse

from placet.command_line.arguments import add_project, has_project
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, with descriptions and JSON Schemas")
    parser.add_argument(
        "--agent", default="build", metavar="NAME", help="show the tools of this agent (default: build)"
    )
    parser.add_argument("--model", metavar="NAME", help="show the tools for this model")


def run(options: argparse.Namespace) -> int:
    if not has_project(options):
        return 2
    import asyncio

    from placet.frontends.terminal.catalogs.tools import tools

    listing = tools(options.cwd.resolve(), as_json=options.json, agent=options.agent, model=options.model)
    return asyncio.run(listing)


COMMAND = Command("list all tools, and why a tool is not available", add, run)
