"""`placet agents`: all agents."""

import argparse

from placet.command_line.arguments import add_json
from placet.command_line.registry import Command


def run(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.catalogs.agents import agents

    return asyncio.run(agents(as_json=options.json))


COMMAND = Command("list all agents, and the agent definitions that cannot be used", add_json, run)
