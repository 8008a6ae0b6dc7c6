"""Choice of a session's model.

An agent's own model answers from the choice of the agent on. A model that the user chooses later outweighs the agent's
model, until another agent is chosen; the user's model also answers for every agent without a model of its own.
"""

from placet.agent.agents.agent import Agent
from placet.core.effort import Effort
from placet.sessions.store.records import SessionInfo


def with_agent(info: SessionInfo, agent: Agent) -> SessionInfo:
    """Return the session with this agent."""
    return info.model_copy(update={"agent": agent.name, "model": agent.model or info.base_model or info.model})


def with_model(info: SessionInfo, model: str) -> SessionInfo:
    """Return the session with the user's chosen model."""
    return info.model_copy(update={"model": model, "base_model": model})


def with_employer(
    info: SessionInfo, model: str, effort: Effort | None, agent: Agent, commanded: Effort | None
) -> SessionInfo:
    """Return the session of a subagent, with the employer's model and effort where the agent has none of its own.

    `commanded` is the effort of the command that the subagent carries out, which outweighs the agent's.
    """
    chosen = with_agent(with_model(info, model), agent)
    if commanded is None and agent.effort is None:
        commanded = effort
    return chosen.model_copy(update={"effort": commanded})
