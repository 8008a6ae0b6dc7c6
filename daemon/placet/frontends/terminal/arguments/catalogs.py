"""Arguments and start of `placet tools`, `placet agents` and `placet models`."""

import argparse

from placet.frontends.terminal.arguments.project import add_project
from placet.frontends.terminal.arguments.sessions import Commands
from placet.frontends.terminal.output import complain


def add_catalogs(commands: Commands) -> None:
    """Add the parsers of the commands."""
    tools = commands.add_parser("tools", help="list all tools, and why a tool is not available")
    add_project(tools)
    tools.add_argument("--json", action="store_true", help="print JSON, with descriptions and JSON Schemas")
    tools.add_argument("--agent", default="build", metavar="NAME", help="show the tools of this agent (default: build)")
    tools.add_argument("--model", metavar="NAME", help="show the tools for this model")
    agents = commands.add_parser("agents", help="list all agents, and the agent definitions that cannot be used")
    agents.add_argument("--json", action="store_true", help="print JSON")
    models = commands.add_parser("models", help="list the models of your providers, with context, prices and abilities")
    models.add_argument("words", nargs="*", metavar="WORD", help="list only models whose names hold all words")
    models.add_argument("--provider", metavar="NAME", help="list only the models of this provider")
    models.add_argument("--refresh", action="store_true", help="ask the providers now; a list is kept for a day")
    models.add_argument("--json", action="store_true", help="print JSON")


def list_choices(options: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    import asyncio

    match options.command:
        case "tools":
            from placet.frontends.terminal.catalogs.tools import tools

            if not options.cwd.is_dir():
                complain(f"{options.cwd} is not a directory")
                return 2
            listing = tools(options.cwd.resolve(), as_json=options.json, agent=options.agent, model=options.model)
            return asyncio.run(listing)
        case "agents":
            from placet.frontends.terminal.catalogs.agents import agents

            return asyncio.run(agents(as_json=options.json))
        case _:
            from placet.frontends.terminal.catalogs.models import models

            listing = models(options.words, provider=options.provider, refresh=options.refresh, as_json=options.json)
            return asyncio.run(listing)
