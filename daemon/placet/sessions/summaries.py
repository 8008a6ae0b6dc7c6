"""Summaries of a session's work in two or three sentences: for a commit, a review, or the next person."""

from collections.abc import Sequence

from placet.agent.attempts import with_retries
from placet.agent.history import model_history
from placet.agent.meter import Meter
from placet.agent.retelling import newest_half, retold, within
from placet.agent.size import CHARACTERS_PER_TOKEN
from placet.errors import ModelError, RequestError
from placet.messages import Message
from placet.model.base import Model
from placet.model.select import ready_model
from placet.sessions.behind_the_scenes import ask_behind_the_scenes, hidden_agent
from placet.sessions.house import House
from placet.sessions.records import SessionInfo
from placet.sessions.substitutes import said_by_someone

LONGEST_RETOLD = 200_000
"""Characters of the conversation shown to a model of unknown context size."""


async def summary_of(
    house: House, info: SessionInfo, messages: Sequence[Message], meter: Meter, wanted: str | None = None
) -> str:
    """Return the summary by the hidden agent `summary`, from the wanted model or its own; changes nothing.

    Raises RequestError without an agent, a model or a conversation for a summary, SettingsError, ModelError,
    TurnStopped.
    """
    agent = hidden_agent(house, "summary")
    if agent is None:
        raise RequestError("The agent `summary` is disabled, and only it can say what a session has done.")
    name = wanted or agent.model or house.settings.small_model or info.model
    if name.startswith("builtin/"):
        raise RequestError(f"{name} cannot say what a session has done. Choose a model, or set `agent.summary.model`.")
    model = await ready_model(name, house.settings, house.host)
    size = LONGEST_RETOLD if model.context_size is None else model.context_size * CHARACTERS_PER_TOKEN // 2
    texts = retold(model_history(messages))
    if not texts:
        raise RequestError("Nothing was said in this session yet.")
    texts = within(texts, size) or newest_half(texts[-1:])

    async def ask(model: Model) -> str:
        shown = "<conversation>\n" + "\n\n".join(texts) + "\n</conversation>\n\nSay what this conversation has done."
        said = await ask_behind_the_scenes(house, info.id, agent, model, shown, kind="summary", meter=meter)
        if not said.strip():
            raise ModelError("empty_answer", "The model gave no summary.", hint="Ask for it again.")
        return said.strip()

    wait_seconds = house.settings.model_options.max_retry_wait_seconds

    async def asked_again(model: Model) -> str:
        return await with_retries(lambda: ask(model), longest_wait_seconds=wait_seconds, on_retry=_unheard)

    return await said_by_someone(house, model, asked_again)


def _unheard(attempt: int, wait_seconds: float, error: ModelError) -> None:
    """Ignore a retry, as no turn is at hand to show the retry."""
