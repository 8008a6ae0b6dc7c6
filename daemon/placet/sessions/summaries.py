"""Summaries of a session's work in two or three sentences: for a commit, a review, or the next person."""

from collections.abc import Sequence

from placet.agent.context.history import model_history
from placet.agent.context.transcript_text import message_texts, newest_half, within
from placet.agent.turn.attempts import with_retries
from placet.agent.turn.meter import Meter
from placet.core.errors import ModelError, RequestError
from placet.core.messages import Message
from placet.model.base import Model
from placet.model.select import ready_model
from placet.model.token_estimate import CHARACTERS_PER_TOKEN
from placet.sessions.services.services import Services
from placet.sessions.store.records import SessionInfo
from placet.sessions.turns.hidden_agents import ask_hidden_agent, hidden_agent
from placet.sessions.turns.models.fallback_models import ask_with_fallback
from placet.sessions.turns.models.small_model import small_model

LONGEST_RETOLD = 200_000
"""Characters of the conversation shown to a model of unknown context size."""


async def summary_of(
    services: Services, info: SessionInfo, messages: Sequence[Message], meter: Meter, requested_model: str | None = None
) -> str:
    """Return the summary by the hidden agent `summary`, from the wanted model or its own; changes nothing.

    Raises RequestError without an agent, a model or a conversation for a summary, SettingsError, ModelError,
    TurnStopped.
    """
    agent = hidden_agent(services, "summary")
    if agent is None:
        raise RequestError("The agent `summary`, which summarizes sessions, is disabled.")
    name = requested_model or agent.model or await small_model(services, info.model) or info.model
    if name.startswith("builtin/"):
        raise RequestError(f"{name} cannot summarize a session. Choose another model, or set `agent.summary.model`.")
    model = await ready_model(name, services.settings, services.host)
    size = LONGEST_RETOLD if model.context_size is None else model.context_size * CHARACTERS_PER_TOKEN // 2
    texts = message_texts(model_history(messages))
    if not texts:
        raise RequestError("The session has no messages yet.")
    texts = within(texts, size) or newest_half(texts[-1:])

    async def ask(model: Model) -> str:
        shown = "<conversation>\n" + "\n\n".join(texts) + "\n</conversation>\n\nSay what this conversation has done."
        summary = await ask_hidden_agent(services, info.id, agent, model, shown, kind="summary", meter=meter)
        if not summary.strip():
            raise ModelError("empty_answer", "The model wrote no summary.", hint="Try again.")
        return summary.strip()

    wait_seconds = services.settings.model_options.max_retry_wait_seconds

    async def ask_with_retries(model: Model) -> str:
        return await with_retries(lambda: ask(model), longest_wait_seconds=wait_seconds, on_retry=_unheard)

    return await ask_with_fallback(services, model, ask_with_retries)


def _unheard(attempt: int, wait_seconds: float, error: ModelError) -> None:
    """Ignore a retry, as no turn is at hand to show the retry."""
