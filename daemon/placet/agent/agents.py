"""Who answers: an agent is a system prompt, a set of rules and limits. There are `build` and `plan`."""

from dataclasses import dataclass
from importlib.resources import files

from placet.errors import RequestError
from placet.permissions.rules import Rule


@dataclass(frozen=True, slots=True)
class Agent:
    name: str
    description: str
    prompt: str
    """The Markdown text that opens its system prompt."""
    rules: tuple[Rule, ...] = ()
    """Laid over the built-in rules and under the user's."""
    limits: tuple[Rule, ...] = ()
    """Laid over the user's rules: what it must not do even where the user has allowed it in general."""
    plans: bool = False
    """Whether it may write the session's plan file, its limits notwithstanding."""
    max_steps: int | None = None
    temperature: float | None = None


def builtin_agents() -> dict[str, Agent]:
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
    return {agent.name: agent for agent in (build, plan)}


def find_agent(name: str) -> Agent:
    """Raises RequestError that lists the agents there are."""
    agents = builtin_agents()
    if name not in agents:
        raise RequestError(f"There is no agent `{name}`. Agents: {', '.join(agents)}.")
    return agents[name]


def _text(name: str) -> str:
    return (files("placet.agent") / "texts" / f"{name}.md").read_text("utf-8")
