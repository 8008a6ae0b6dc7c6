"""Completion of the word behind `/agent`, `/model`, `/sessions`, and a prompt of an MCP server."""

import asyncio
import time
from collections.abc import Iterator

from placet.agent.mentions.prompt_cursor import UnfinishedArgument
from placet.agent.mentions.ranking import LIMIT, best_of
from placet.core.errors import ModelError, ToolError
from placet.model.client.providers import all_providers
from placet.model.frames import ListModels
from placet.model.select import BUILT_IN, is_hosted
from placet.sessions.services.services import Services

MODELS_SECONDS = 0.6
"""Longest wait for the model host while the user types; a late host's models are not offered."""
VALUES_SECONDS = 2.0
"""Longest wait for an MCP server's proposals while the user types."""
_UNITS = ((1_000_000, "M"), (1000, "k"))

Argument = tuple[str, str, str]
"""Label, inserted text, and detail of a proposal."""


async def arguments_of(unfinished: UnfinishedArgument, services: Services, session_id: str | None) -> list[Argument]:
    """Return the proposals, the best first, or an empty list for a command without such an argument."""
    command, word = unfinished.command, unfinished.word
    if unfinished.earlier:
        return await _of_prompt(unfinished, services)
    match command:
        case "agent":
            return list(_agents(word, services))
        case "model":
            return await _models(word, services)
        case "sessions":
            return await _sessions(word, services, session_id)
        case _:
            return await _of_prompt(unfinished, services)


def _agents(word: str, services: Services) -> Iterator[Argument]:
    agents = {agent.name: agent for agent in services.agents.primary}
    for name in best_of(word, agents):
        yield name, name, agents[name].description


async def _models(word: str, services: Services) -> list[Argument]:
    """Return the settings' model and the built-in model, then the models of the providers with a key."""
    current = services.settings.model
    details = dict.fromkeys((current, BUILT_IN), "")
    try:
        async with asyncio.timeout(MODELS_SECONDS):
            named = [current] if is_hosted(current) else []
            more = ListModels(0, providers=all_providers(services.settings), cache=str(services.locations.model_lists))
            answer = await services.host.models(query=word, limit=LIMIT, named=named, more=more)
    except (ModelError, TimeoutError):
        pass  # Some model can be named all the same.
    else:
        details |= {facts.name: _size(facts.context_size) for facts in answer.models}
    details[current] = ", ".join(filter(None, ("the default", details[current])))
    return [(name, name, details[name]) for name in best_of(word, details)[:LIMIT]]


def _size(tokens: int | None) -> str:
    for unit, letter in _UNITS:
        if tokens is not None and tokens >= unit:
            return f"{tokens // unit}{letter} tokens"
    return ""


async def _sessions(word: str, services: Services, session_id: str | None) -> list[Argument]:
    """Return the sessions, the last used first; the word is searched for as in the list of sessions."""
    infos, _ = await services.store.list(roots=services.workspace.roots, query=word, limit=LIMIT, cursor=None)
    return [(info.title, info.id, _day(info.updated)) for info in infos if info.id != session_id]


async def _of_prompt(unfinished: UnfinishedArgument, services: Services) -> list[Argument]:
    """Return the proposals of the MCP server for an argument of its prompt."""
    command = unfinished.command
    prompts = services.extensions.mcp.prompts() if ":" in command else []
    prompt = next((prompt for prompt in prompts if prompt.command == command), None)
    if prompt is None:
        return []
    try:
        async with asyncio.timeout(VALUES_SECONDS):
            values = await prompt.values(unfinished.word, unfinished.earlier)
    except (ToolError, TimeoutError):
        return []  # The user can write any word all the same.
    usable = [value for value in values if value and not any(map(str.isspace, value)) and value.isprintable()]
    return [(value, value, f"from {prompt.server.name}") for value in usable[:LIMIT]]


def _day(moment: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment / 1000))
