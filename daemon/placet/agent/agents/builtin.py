"""Built-in agents of Placet."""

from functools import cache

from placet.agent.agents.agent import Agent
from placet.agent.texts import text_for
from placet.permissions.rules import MAY_CHANGE, Rule
from placet.tools.framework.builtin import tool_specs

LOOKING = frozenset(
    (
        *(spec.name for spec in tool_specs() if spec.kind in ("read", "search", "fetch")),
        *("bash", "external_directory"),
    )
)
"""Permissions of an agent that only looks."""

HIDDEN_AGENTS = {
    "title": "Names a conversation.",
    "summary": "Says what a conversation has done.",
    "compaction": "Sums up a conversation, so that it can go on in less space.",
    "commit": "Writes the message of a commit.",
    "judge": "Says whether a request needs the user.",
}
"""Agents which Placet itself asks, each with a description."""


@cache
def builtin_agents() -> tuple[Agent, ...]:
    """Return build, which is the default, plan, the subagents general and explore, and the agents behind the scenes."""
    return (
        Agent(
            name="build",
            description="Reads, edits and runs commands, as the rules and the review mode allow.",
            prompt=text_for("build"),
            short_prompt=text_for("build_small"),
            rules=(Rule("plan_enter", "*", "allow", "the agent build"),),
        ),
        Agent(
            name="plan",
            description="Looks and plans, and changes nothing until the plan is accepted.",
            prompt=text_for("plan"),
            rules=(Rule("plan_exit", "*", "allow", "the agent plan"),),
            limits=_changes_nothing("plan"),
            plans=True,
        ),
        Agent(
            name="general",
            description="Does a piece of work of several steps by itself, edits included.",
            prompt=text_for("general"),
            mode="subagent",
        ),
        Agent(
            name="explore",
            description="Finds things out about the code base, quickly and broadly, and changes nothing.",
            prompt=text_for("explore"),
            mode="subagent",
            limits=_changes_nothing("explore"),
            tools=LOOKING,
        ),
        *(_behind_the_scenes(name, description) for name, description in HIDDEN_AGENTS.items()),
    )


def _changes_nothing(name: str) -> tuple[Rule, ...]:
    """Return the limits of an agent which edits nothing, and must ask before a command which might change something."""
    source = f"the agent {name}"
    return (Rule("edit", "*", "deny", source), Rule("bash", MAY_CHANGE, "ask", source))


def _behind_the_scenes(name: str, description: str) -> Agent:
    """Return an agent without tools which Placet itself asks."""
    return Agent(
        name=name,
        description=description,
        prompt=text_for(name),
        hidden=True,
        temperature=0.5 if name == "title" else None,
        limits=(Rule("*", "*", "deny", f"the agent {name}"),),
    )
