"""`placet agents`: list every agent that can be chosen or named, and report unusable agents of the user."""

from pathlib import Path

from placet.agent.agents.agent import Agent, AgentCatalog
from placet.core.errors import PlacetError
from placet.core.executor import in_thread
from placet.frontends.terminal.config import read_config
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say_json
from placet.frontends.terminal.table import print_table
from placet.permissions.rules import builtin_rules


async def agents(*, as_json: bool) -> ExitCode:
    """Print the agents; mistakes in files and settings go to stderr, and the other agents are listed all the same."""
    try:
        config = await read_config(Path.cwd())
        catalog = await in_thread(config.catalog, builtin_rules())
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE
    for problem in catalog.problems:
        complain(problem)
    if as_json:
        say_json([_plain(agent, catalog) for agent in catalog.visible])
    else:
        rows = [_row(agent, catalog) for agent in catalog.visible]
        print_table(("name", "mode", "model", "defined in", "description"), rows)
    return ExitCode.DONE


def _plain(agent: Agent, catalog: AgentCatalog) -> dict[str, object]:
    return {
        "name": agent.name,
        "mode": agent.mode,
        "model": agent.model,
        "description": agent.description,
        "source": agent.source,
        "default": agent is catalog.default,
    }


def _row(agent: Agent, catalog: AgentCatalog) -> tuple[str, ...]:
    source = f"{agent.source}, the default" if agent is catalog.default else agent.source
    return (agent.name, agent.mode, agent.model or "-", source, agent.description)
