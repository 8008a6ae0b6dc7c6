"""Rules that bind an agent in a session, the weakest first."""

from collections.abc import Mapping
from pathlib import Path

from placet.agent.agents.agent import Agent
from placet.extensions.mcp.offers.names import server_rules
from placet.permissions.caution import Caution, allowances, restricted
from placet.permissions.rules import BUILT_IN, Rule, from_settings
from placet.project.paths import real
from placet.settings import Locations, McpServerSettings, Settings


def ruleset(
    agent: Agent,
    built_in: tuple[Rule, ...],
    settings: Settings,
    locations: Locations,
    *,
    limits: tuple[Rule, ...] = (),
    plan_file: Path | None = None,
    servers: Mapping[str, McpServerSettings] | None = None,
    caution: Caution = "default",
) -> tuple[Rule, ...]:
    """Return the built-in rules, the agent's, the user's, then the agent's limits and the limits of its employers.

    `plan_file` is the only file that a planning agent may write; `servers` are the MCP servers of the settings that
    the session sees, if not all; `caution` is the session's. Raises SettingsError.
    """
    skills = tuple(_within(directory, BUILT_IN) for directory in locations.skills)
    yours = server_rules(settings.mcp.servers if servers is None else servers) + from_settings(
        settings.written, built_in
    )
    rules = restricted(agent.rules_over(built_in + skills + allowances(caution), yours) + limits, caution)
    if agent.plans and plan_file is not None:
        source = f"the agent {agent.name}"
        names = dict.fromkeys((plan_file.as_posix(), real(plan_file).as_posix()))
        rules += (*(Rule("edit", name, "allow", source) for name in names), _within(plan_file.parent, source))
    return rules


def _within(directory: Path, source: str) -> Rule:
    """Return the rule that lets calls enter Placet's own directory, outside the workspace, without asking."""
    return Rule("external_directory", f"{real(directory).as_posix()}/*", "allow", source)
