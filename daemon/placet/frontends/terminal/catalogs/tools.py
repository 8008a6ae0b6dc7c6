"""`placet tools`: list every tool, and the reason why a tool is missing."""

from pathlib import Path

from placet.core.errors import PlacetError
from placet.core.executor import in_thread
from placet.frontends.terminal.config import read_config
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say_json, say_lines
from placet.permissions.rules import builtin_rules, evaluate, refuses
from placet.sessions.services.plugins import custom_tools
from placet.sessions.turns.ruleset import ruleset
from placet.tools.framework.builtin import BUILTIN
from placet.tools.framework.define import AgentView
from placet.tools.framework.registry import ListedTool, list_tools


async def tools(directory: Path, *, as_json: bool, agent: str, model: str | None) -> ExitCode:
    """Print the tools of the agent in the directory; mistakes in the settings go to stderr."""
    try:
        listed = await _listed(directory, agent, model)
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE
    if as_json:
        say_json([_plain(tool) for tool in listed])
    else:
        say_lines(_table(listed))
    return ExitCode.DONE


async def _listed(directory: Path, name: str, model: str | None) -> list[ListedTool]:
    config = await read_config(directory, {} if model is None else {"model": model})
    settings, locations = config.settings, config.locations
    built_in = builtin_rules()
    agent = (await in_thread(config.catalog, built_in)).find(name)
    rules = ruleset(agent, built_in, settings, locations)
    view = AgentView(
        agent.name,
        model=model or agent.model or settings.model,
        settings=settings,
        judge=lambda permission, pattern: evaluate(rules, permission, pattern).action,
        skill_directories=config.directories("skill"),
        vouches=config.vouches,
        plan_file=locations.plans / "SESSION.md",
    )
    available = (*BUILTIN, *await custom_tools(config, (directory,)))
    return await list_tools(view, lambda permission: not agent.has(permission) or refuses(rules, permission), available)


def _plain(tool: ListedTool) -> dict[str, object]:
    return {
        "id": tool.id,
        "description": tool.description,
        "schema": tool.schema,
        "source": tool.source,
        "enabled": tool.enabled,
        "reason": tool.reason or None,
    }


def _table(listed: list[ListedTool]) -> list[str]:
    width = max(len(tool.id) for tool in listed)
    return [f"{tool.id:{width}}  {_about(tool)}" for tool in listed]


def _about(tool: ListedTool) -> str:
    return tool.description.partition("\n")[0] if tool.enabled else f"(not available) {tool.reason}"
