"""Choice of an agent, a model or a session in an editor without our plugin: by name, or of the first few in a
prompt.
"""

from typing import Any

from placet.core.errors import RequestError
from placet.frontends.lsp.asks.message_prompt import MessagePrompt
from placet.frontends.lsp.handlers.models import find_models
from placet.frontends.lsp.protocol.catalog_messages import ListModels
from placet.sessions.registry import Sessions
from placet.sessions.session import Session

MOST = 9
"""Number of choices in a prompt: editors show a message's actions in one row or one short list."""
NEW = "New session"


async def choose_agent(session: Session, sessions: Sessions, prompt: MessagePrompt, arguments: list[Any]) -> str:
    """Choose the agent, and return the text for the user. Raises PlacetError, EditorError and EditorGone."""
    names = [agent.name for agent in sessions.agents.primary]
    chosen = _given(arguments) or await prompt.choose(f"The agent is {session.info.agent}.", names[:MOST])
    if chosen is None:
        return ""
    info = await session.choices.set_agent(chosen)
    return f"The next prompt goes to the agent {info.agent}, with the model {info.model}."


async def choose_model(session: Session, sessions: Sessions, prompt: MessagePrompt, arguments: list[Any]) -> str:
    """Choose the model, and return the text for the user. Raises PlacetError, EditorError and EditorGone."""
    chosen = _given(arguments)
    if chosen is None:
        listed = await find_models(sessions, session.info.model, ListModels(query="", limit=MOST))
        message = f"The model is {session.info.model}. placet.model with a name chooses any other model."
        chosen = await prompt.choose(message, [model.id for model in listed.models])
    if chosen is None:
        return ""
    info = await session.choices.set_model(chosen)
    return f"The next prompt goes to the model {info.model}."


async def choose_session(sessions: Sessions, prompt: MessagePrompt, arguments: list[Any]) -> Session | None:
    """Return the chosen session, or None when the user chose no session. Raises PlacetError, EditorError and
    EditorGone.
    """
    if (named := _given(arguments)) is not None:
        return await sessions.load(await sessions.whole_id(named))
    listed, _ = await sessions.list(limit=MOST)
    titles = {f"{number}. {info.title}": info.id for number, info in enumerate(listed, 1)}
    chosen = await prompt.choose("Which session?", [*titles, NEW])
    if chosen is None:
        return None
    return await (sessions.create() if chosen == NEW else sessions.load(titles[chosen]))


def _given(arguments: list[Any]) -> str | None:
    """Return the name in the arguments, or None without arguments. Raises RequestError for other arguments."""
    match arguments:
        case []:
            return None
        case [str(name)] if name.strip():
            return name.strip()
        case _:
            raise RequestError("This command takes one name, or no argument.")
