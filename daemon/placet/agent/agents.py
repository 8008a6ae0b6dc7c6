"""Who answers: an agent is a system prompt, a set of rules and limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from placet.errors import RequestError
from placet.permissions.rules import Rule

LOOKING = frozenset(
    ("bash", "codesearch", "external_directory", "glob", "grep", "list", "lsp", "read", "webfetch", "websearch")
)


@dataclass(frozen=True, slots=True)
class Agent:
    name: str
    description: str
    """For the user who picks one, and for the agent that hands work to it."""
    prompt: str
    """The Markdown text that opens its system prompt."""
    rules: tuple[Rule, ...] = ()
    """Laid over the built-in rules and under the user's."""
    limits: tuple[Rule, ...] = ()
    """Laid over the user's rules: what it must not do even where the user has allowed it in general."""
    plans: bool = False
    """Whether it may write the session's plan file, its limits notwithstanding."""
    tools: frozenset[str] | None = None
    """The permissions of the tools it has; None: of all."""
    is_subagent: bool = False
    """Works for other agents, never for the user directly."""
    max_steps: int | None = None
    temperature: float | None = None


@cache
def builtin_agents() -> Mapping[str, Agent]:
    """The agents Placet brings, by name; the first is the default."""
    build = Agent(
        name="build",
        description="Reads, edits and runs, asking before every change.",
        prompt=_text("build"),
        rules=(Rule("plan_enter", "*", "allow", "the agent build"),),
    )
    plan = Agent(
        name="plan",
        description="Looks and plans, and changes nothing until the plan is accepted.",
        prompt=_text("plan"),
        rules=(Rule("plan_exit", "*", "allow", "the agent plan"),),
        limits=(Rule("edit", "*", "deny", "the agent plan"),),
        plans=True,
    )
    general = Agent(
        name="general",
        description="Does a piece of work of several steps by itself, edits included.",
        prompt=_text("general"),
        is_subagent=True,
    )
    explore = Agent(
        name="explore",
        description="Finds things out about the code base, quickly and broadly, and changes nothing.",
        prompt=_text("explore"),
        tools=LOOKING,
        limits=(Rule("edit", "*", "deny", "the agent explore"),),
        is_subagent=True,
    )
    return {agent.name: agent for agent in (build, plan, general, explore)}


def primary_agents() -> list[Agent]:
    """Those a user can talk to; the first is the default."""
    return [agent for agent in builtin_agents().values() if not agent.is_subagent]


def subagents() -> dict[str, Agent]:
    """Those an agent can hand work to, by name."""
    return {name: agent for name, agent in builtin_agents().items() if agent.is_subagent}


def find_agent(name: str) -> Agent:
    """Raises RequestError that lists the agents there are."""
    agents = builtin_agents()
    if name not in agents:
        raise RequestError(f"There is no agent `{name}`. Agents: {', '.join(agents)}.")
    return agents[name]


def find_primary(name: str) -> Agent:
    """One a user can talk to. Raises RequestError that lists them."""
    agents = {agent.name: agent for agent in primary_agents()}
    if name not in agents:
        raise RequestError(f"There is no agent `{name}` to talk to. Agents: {', '.join(agents)}.")
    return agents[name]


def _text(name: str) -> str:
    return (files("placet.agent") / "texts" / f"{name}.md").read_text("utf-8")
