"""The system prompt: the agent's own text, then where it is working."""

import platform
from datetime import date

from placet.agent.agents import Agent
from placet.project.paths import Workspace


def system_prompt(agent: Agent, workspace: Workspace) -> tuple[str, ...]:
    """The system messages of a turn, in order; computed once a turn so that its steps share a prompt cache."""
    roots = "\n".join(f"  {root}" for root in workspace.roots)
    environment = (
        "<env>\n"
        f"Folders of the project (relative paths start at the first):\n{roots}\n"
        f"Platform: {platform.system().lower()}\n"
        f"Today: {date.today().isoformat()}\n"  # noqa: DTZ011 the user's own calendar
        "</env>"
    )
    return (agent.prompt, environment)
