"""Titles of sessions: the first line of the first prompt, until a model has found a better title beside the turn."""

import asyncio
import logging
import re
from collections.abc import Sequence

from placet.agent.agents.agent import Agent
from placet.agent.turn.meter import Meter
from placet.core.errors import ModelError, PlacetError
from placet.core.events import SessionInfoUpdate
from placet.core.messages import FilePart, Part, TextPart
from placet.model.base import Model
from placet.model.select import is_hosted, ready_model
from placet.sessions.services.services import Services
from placet.sessions.turns.hidden_agents import ask_hidden_agent, hidden_agent
from placet.sessions.turns.models.fallback_models import ask_with_fallback
from placet.sessions.turns.models.profile import leaves_server_alone
from placet.sessions.turns.models.small_model import may_have_small_model, small_model
from placet.sessions.turns.recorder import Recorder

logger = logging.getLogger(__name__)

UNTITLED = "New session"
LONGEST_TITLE = 100
LONGEST_PROMPT = 4000
"""Characters of the prompt shown to the model."""
MOST_TRIES = 2

_THINKING = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)


class Titles:
    """Title of a session; owns the search for a title."""

    def __init__(self, services: Services, recorder: Recorder) -> None:
        self._services = services
        self._recorder = recorder
        self._search: asyncio.Task[None] | None = None

    def begin(self, parts: Sequence[Part], automatic: str, meter: Meter) -> None:
        """Look for a better title than the automatic title, if a model for titles is at hand; return at once."""
        agent = hidden_agent(self._services, "title")
        if agent is not None and self._may_have_model(agent) and (shown := _shown(parts)):
            work = self._find(agent, shown, automatic, meter)
            self._search = asyncio.create_task(work, name=f"title of {self._recorder.info.id}")

    async def close(self) -> None:
        if self._search is not None:
            self._search.cancel()
            await asyncio.wait((self._search,))

    def _may_have_model(self, agent: Agent) -> bool:
        own = agent.model is not None or may_have_small_model(self._services)
        return own or is_hosted(self._recorder.info.model)

    async def _model_for(self, agent: Agent) -> str | None:
        """Return the agent's own model, the small model, or the session's model if hosted.

        None without such a model, and for a model whose server the turn needs for itself.
        """
        session = self._recorder.info.model
        requested_model = agent.model or await small_model(self._services, session)
        name = requested_model or (session if is_hosted(session) else None)
        if name is None or await leaves_server_alone(name, session, self._recorder.info.profile, self._services):
            return None
        return name

    async def _find(self, agent: Agent, shown: str, automatic: str, meter: Meter) -> None:
        try:
            if (model_name := await self._model_for(agent)) is None:
                return
            model = await ready_model(model_name, self._services.settings, self._services.host)
            title = await ask_with_fallback(
                self._services, model, lambda substitute: self._ask(agent, substitute, shown, meter)
            )
        except PlacetError as error:
            logger.info("No title for session %s: %s", self._recorder.info.id, error)
            return
        except Exception:  # A title is not worth more than a line in the log.
            logger.exception("Looking for a title of session %s failed", self._recorder.info.id)
            return
        if title and self._recorder.info.title == automatic:
            self._recorder.save_info(self._recorder.info.model_copy(update={"title": title}))
            self._recorder.emit(SessionInfoUpdate(title=title))

    async def _ask(self, agent: Agent, model: Model, shown: str, meter: Meter) -> str:
        """Ask for a title. Raises ModelError when the last try fails, TurnStopped when the call would cost too much."""
        session_id = self._recorder.info.id
        for number in range(1, MOST_TRIES + 1):
            try:
                answer = await ask_hidden_agent(
                    self._services, session_id, agent, model, shown, kind="title", meter=meter
                )
            except ModelError:
                if number == MOST_TRIES:
                    raise
                continue
            if title := title_in(answer):
                return title
        return ""


def automatic_title(title: str, parts: Sequence[Part]) -> str:
    """Return the first words of the first prompt, unless the session has a title already."""
    if title != UNTITLED:
        return title
    texts = (part.text for part in parts if isinstance(part, TextPart) and not part.synthetic)
    words = " ".join(texts).split()
    return (" ".join(words) or UNTITLED)[:LONGEST_TITLE]


def title_in(answer: str) -> str:
    """Return the title in a model's answer, or an empty text for an answer without a title."""
    lines = (line.strip("#*`\"' \t\r") for line in _THINKING.sub("", answer).splitlines())
    title = next((line for line in lines if line), "")
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1].rstrip()}…"


def _shown(parts: Sequence[Part]) -> str:
    """Return the user's own words, and the names of attached files."""
    texts = [part.text for part in parts if isinstance(part, TextPart) and not part.synthetic]
    texts += [
        f"(Attached: {part.name or part.uri})" for part in parts if isinstance(part, FilePart) and _is_named(part)
    ]
    return "\n".join(texts).strip()[:LONGEST_PROMPT]


def _is_named(part: FilePart) -> bool:
    return part.name is not None or not part.uri.startswith("data:")
