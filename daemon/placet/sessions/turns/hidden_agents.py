"""Hidden agents, which Placet itself asks: a request without tools, answered by text, counted as the session's."""

from placet.agent.agents.agent import Agent
from placet.agent.turn.attempts import Tally, text_answer
from placet.agent.turn.meter import Meter
from placet.core.messages import TextPart, UserMessage
from placet.model.base import Model, ModelRequest
from placet.sessions.services.services import Services
from placet.sessions.store.usage import UsageKind


def hidden_agent(services: Services, name: str) -> Agent | None:
    """Return the hidden agent with this name, or None if the user has disabled the agent."""
    return next((agent for agent in services.agents.hidden if agent.name == name), None)


async def ask_hidden_agent(
    services: Services, session_id: str, agent: Agent, model: Model, shown: str, *, kind: UsageKind, meter: Meter
) -> str:
    """Return the agent's answer to the shown text.

    Raises ModelError, and TurnStopped when the call would cost too much.
    """
    request = ModelRequest(
        system=(agent.prompt,),
        messages=(UserMessage(parts=(TextPart(text=shown),)),),
        tools=(),
        session_id=session_id,
        temperature=agent.temperature,
        effort=agent.effort,
    )
    tally = Tally()
    try:
        return (await text_answer(meter(model.stream(request)), tally)).text
    finally:
        if tally.tokens.total:
            services.store.accounts.add(session_id, kind, model.id, tally.tokens, tally.cost)
