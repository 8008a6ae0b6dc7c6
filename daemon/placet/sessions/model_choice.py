"""Which model answers in a session.

An agent's own model answers from when the agent is chosen. A model that the user chooses after that outweighs it, until
another agent is chosen; and it is what answers for every agent that has no model of its own.
"""

from placet.agent.agents import Agent
from placet.sessions.store import SessionInfo


def with_agent(info: SessionInfo, agent: Agent) -> SessionInfo:
    """The session in the hands of the agent."""
    return info.model_copy(update={"agent": agent.name, "model": agent.model or info.base_model or info.model})


def with_model(info: SessionInfo, model: str) -> SessionInfo:
    """The session with the model that the user has chosen."""
    return info.model_copy(update={"model": model, "base_model": model})
