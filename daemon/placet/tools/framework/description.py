"""Descriptions of tools that depend on the agent: a text may hold placeholders, which are filled for each agent."""

import re
from collections.abc import Awaitable, Callable
from functools import partial

from placet.core.executor import in_thread
from placet.project.skills import Skill, find_skills
from placet.tools.framework.define import AgentView
from placet.tools.texts import text_for


async def description(tool: str, agent: AgentView) -> str:
    """Return the text of the tool for the agent."""
    text = text_for(tool)
    filled = {name: await fill(agent) for name, fill in _PLACEHOLDERS.items() if f"{{{name}}}" in text}
    return re.sub(r"\{(\w+)\}", lambda match: filled.get(match[1], match[0]), text)


async def skills_of(agent: AgentView) -> dict[str, Skill]:
    """Return the skills that the agent may load, by name in alphabetical order."""
    every_skill = await in_thread(partial(find_skills, agent.skill_directories, vouches=agent.vouches))
    return {name: skill for name, skill in sorted(every_skill.items()) if agent.judge("skill", name) != "deny"}


async def _agents(agent: AgentView) -> str:
    return "\n".join(f"- `{name}`: {description}" for name, description in agent.subagents)


async def _plan_file(agent: AgentView) -> str:
    return str(agent.plan_file)


async def _skills(agent: AgentView) -> str:
    if not (skills := await skills_of(agent)):
        return "There are no skills at the moment."
    return "\n".join(("Skills:", "", *(f"- **{name}**: {skill.description}" for name, skill in skills.items())))


_PLACEHOLDERS: dict[str, Callable[[AgentView], Awaitable[str]]] = {
    "agents": _agents,
    "plan_file": _plan_file,
    "skills": _skills,
}
"""Names in braces that a text may hold, and what takes their place: the subagents that the agent may give work to, the
file of the session's plan, the skills that the agent may load."""
