"""Who answers: an agent is a system prompt, a set of rules, a model and limits; the catalog has all there are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from placet.errors import RequestError
from placet.permissions.rules import BUILT_IN, Rule

Mode = Literal["primary", "subagent", "all"]
"""Whether the user talks to it, or other agents hand it work, or both."""


@dataclass(frozen=True, slots=True)
class Agent:
    name: str
    description: str
    """For the user who picks one, and for the agent that hands work to it."""
    prompt: str
    """The Markdown text that opens its system prompt."""
    mode: Mode = "primary"
    hidden: bool = False
    """In no list that a user sees, and not to be chosen. A hidden subagent still gets work from other agents."""
    model: str | None = None
    """What it answers with; None: whatever its session answers with."""
    temperature: float | None = None
    max_steps: int | None = None
    """Model calls in one turn of its before it stops."""
    rules: tuple[Rule, ...] = ()
    """Laid over the built-in rules and under the user's."""
    own_rules: tuple[Rule, ...] = ()
    """What the user has set for this agent, laid over what he has set for all."""
    limits: tuple[Rule, ...] = ()
    """Laid over all: what it must not do even where the user has allowed it."""
    tools: frozenset[str] | None = None
    """The permissions of the tools it has; None: of all."""
    plans: bool = False
    """Whether it may write the session's plan file, its limits notwithstanding."""
    source: str = BUILT_IN
    """Where it is defined: a file, the settings."""

    @property
    def takes_prompts(self) -> bool:
        """Whether a user can talk to it."""
        return self.mode != "subagent" and not self.hidden

    @property
    def takes_tasks(self) -> bool:
        """Whether another agent can hand it work."""
        return self.mode != "primary"

    @property
    def bounds(self) -> tuple[Rule, ...]:
        """What binds its subagents too: its limits, and all that is denied to it by name.

        A wildcard that denies everything else does not: an agent that only hands out work is meant to.
        """
        denied = (rule for rule in self.own_rules if rule.action == "deny" and "*" not in rule.permission)
        return (*self.limits, *denied)

    def has(self, permission: str) -> bool:
        """Whether it has the tools that stand under the permission, whatever the rules say of them."""
        return self.tools is None or permission in self.tools

    def rules_over(self, built_in: Sequence[Rule], users: Sequence[Rule]) -> tuple[Rule, ...]:
        """All its rules, the weakest first (opencode.md 3): defaults, its own built-in ones, the user's for all, the
        user's for it, its limits."""
        return (*built_in, *self.rules, *users, *self.own_rules, *self.limits)


class AgentCatalog:
    """The agents of one house, in the order in which they are shown."""

    def __init__(self, agents: Iterable[Agent], *, default: str | None = None, problems: Sequence[str] = ()) -> None:
        self._agents: Mapping[str, Agent] = {agent.name: agent for agent in agents}
        self._default = default
        self.problems: tuple[str, ...] = tuple(problems)
        """What could not be used of files and settings, each with its place."""

    @property
    def all(self) -> tuple[Agent, ...]:
        """Hidden ones too."""
        return tuple(self._agents.values())

    @property
    def visible(self) -> tuple[Agent, ...]:
        return tuple(agent for agent in self.all if not agent.hidden)

    @property
    def hidden(self) -> tuple[Agent, ...]:
        """Those that work behind the scenes."""
        return tuple(agent for agent in self.all if agent.hidden)

    @property
    def primary(self) -> tuple[Agent, ...]:
        """Those a user can talk to."""
        return tuple(agent for agent in self.all if agent.takes_prompts)

    @property
    def subagents(self) -> Mapping[str, Agent]:
        """Those an agent can hand work to, by name."""
        return {agent.name: agent for agent in self.all if agent.takes_tasks}

    @property
    def default(self) -> Agent:
        """Who answers in a session that names none."""
        return self.find_primary(self._default) if self._default else self.primary[0]

    def find(self, name: str) -> Agent:
        """Any of them, hidden ones too. Raises RequestError that lists the visible ones."""
        if name not in self._agents:
            raise RequestError(f"There is no agent `{name}`. Agents: {_names(self.visible)}.")
        return self._agents[name]

    def find_primary(self, name: str) -> Agent:
        """One a user can talk to. Raises RequestError that lists them."""
        agent = self._agents.get(name)
        if agent is None or not agent.takes_prompts:
            raise RequestError(f"There is no agent `{name}` to talk to. Agents: {_names(self.primary)}.")
        return agent


def _names(agents: Iterable[Agent]) -> str:
    return ", ".join(agent.name for agent in agents)
