"""Agents, each with a system prompt, a set of rules, a model and limits, and the catalog of all agents."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from placet.core.effort import Effort
from placet.core.errors import RequestError
from placet.permissions.rules import BUILT_IN, Rule

Mode = Literal["primary", "subagent", "all"]
"""Kind of an agent: the user talks to "primary", other agents hand work to "subagent", and "all" is for both."""


class Agent(Struct, frozen=True):
    name: str
    description: str
    """Text for the user when picking an agent, and for another agent when handing work to this agent."""
    prompt: str
    """Markdown text at the start of the agent's system prompt."""
    short_prompt: str = ""
    """Text in the place of `prompt` for a small model; empty for the same text."""
    mode: Mode = "primary"
    hidden: bool = False
    """True for an agent in no list for the user, and not to be chosen. Other agents still hand work to a hidden
    subagent."""
    model: str | None = None
    """Name of the model which answers; None: the model of the session."""
    temperature: float | None = None
    effort: Effort | None = None
    """Effort of thinking; None: the effort in the settings."""
    max_steps: int | None = None
    """Number of model calls in one turn after which the agent stops."""
    rules: tuple[Rule, ...] = ()
    """Rules of the agent, laid over the built-in rules and under the user's rules."""
    own_rules: tuple[Rule, ...] = ()
    """Rules which the user has set for this agent, laid over the user's rules for all agents."""
    limits: tuple[Rule, ...] = ()
    """Rules laid over all other rules: the agent must not do these actions even where the user allows the actions."""
    tools: frozenset[str] | None = None
    """Permissions of the tools which the agent has; None: the agent has all tools."""
    isolated: bool = False
    """True if the agent, as a subagent, works in a git worktree of its own."""
    plans: bool = False
    """True if the agent may write the session's plan file in spite of the agent's limits."""
    source: str = BUILT_IN
    """Place of the agent's definition: a file, the settings."""

    @property
    def takes_prompts(self) -> bool:
        """Return whether a user can talk to the agent."""
        return self.mode != "subagent" and not self.hidden

    @property
    def takes_tasks(self) -> bool:
        """Return whether another agent can hand work to this agent."""
        return self.mode != "primary"

    @property
    def bounds(self) -> tuple[Rule, ...]:
        """Return the rules which bind the agent's subagents too: the agent's limits, and the user's denials by name.

        A wildcard which denies everything else does not bind subagents: an agent which only hands out work has such a
        rule, and the subagents are meant to do the work.
        """
        denied = (rule for rule in self.own_rules if rule.action == "deny" and "*" not in rule.permission)
        return (*self.limits, *denied)

    def has(self, permission: str) -> bool:
        """Return whether the agent has the tools under the permission, whatever the rules say of these tools."""
        return self.tools is None or permission in self.tools

    def rules_over(self, built_in: Sequence[Rule], users: Sequence[Rule]) -> tuple[Rule, ...]:
        """Return all rules of the agent, the weakest first.

        The order, as in OpenCode: defaults, the agent's own built-in rules, the user's rules for all agents, the user's
        rules for this agent. The agent's limits come last.
        """
        return (*built_in, *self.rules, *users, *self.own_rules, *self.limits)


class AgentCatalog:
    """Catalog of the agents of one front end, in the order in which agents are shown."""

    def __init__(self, agents: Iterable[Agent], *, default: str | None = None, problems: Sequence[str] = ()) -> None:
        self._agents: Mapping[str, Agent] = {agent.name: agent for agent in agents}
        self._default = default
        self.problems: tuple[str, ...] = tuple(problems)
        """Texts about the parts of files and settings which could not be used, each with the place."""

    @property
    def all(self) -> tuple[Agent, ...]:
        """Return all agents, hidden agents too."""
        return tuple(self._agents.values())

    @property
    def visible(self) -> tuple[Agent, ...]:
        return tuple(agent for agent in self.all if not agent.hidden)

    @property
    def hidden(self) -> tuple[Agent, ...]:
        """Return the agents which work behind the scenes."""
        return tuple(agent for agent in self.all if agent.hidden)

    @property
    def primary(self) -> tuple[Agent, ...]:
        """Return the agents to which a user can talk."""
        return tuple(agent for agent in self.all if agent.takes_prompts)

    @property
    def subagents(self) -> Mapping[str, Agent]:
        """Return the agents to which another agent can hand work, by name."""
        return {agent.name: agent for agent in self.all if agent.takes_tasks}

    @property
    def default(self) -> Agent:
        """Return the agent which answers in a session without a named agent."""
        return self.find_primary(self._default) if self._default else self.primary[0]

    def find(self, name: str) -> Agent:
        """Return the agent of this name, hidden or not. Raises RequestError, which lists the visible agents."""
        if name not in self._agents:
            raise RequestError(f"There is no agent `{name}`. Agents: {_names(self.visible)}.")
        return self._agents[name]

    def find_primary(self, name: str) -> Agent:
        """Return the agent of this name, to which a user can talk. Raises RequestError, which lists such agents."""
        agent = self._agents.get(name)
        if agent is None or not agent.takes_prompts:
            raise RequestError(f"There is no agent `{name}` that takes prompts. Agents: {_names(self.primary)}.")
        return agent


def _names(agents: Iterable[Agent]) -> str:
    return ", ".join(agent.name for agent in agents)
