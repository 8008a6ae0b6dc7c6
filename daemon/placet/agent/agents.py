"""Who answers: an agent is a system prompt, a set of rules and limits. Issue A has one, `build`."""

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
    max_steps: int | None = None
    temperature: float | None = None


def builtin_agents() -> dict[str, Agent]:
    """The agents Placet brings, by name."""
    build = Agent(
        name="build",
        description="Reads, edits and runs, asking before every change.",
        prompt=(files("placet.agent") / "texts" / "build.md").read_text("utf-8"),
    )
    return {build.name: build}


def find_agent(name: str) -> Agent:
    """Raises RequestError that lists the agents there are."""
    agents = builtin_agents()
    if name not in agents:
        raise RequestError(f"There is no agent `{name}`. Agents: {', '.join(agents)}.")
    return agents[name]
