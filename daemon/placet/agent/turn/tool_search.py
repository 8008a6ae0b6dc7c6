"""Tool `tool_search`: the model finds tools of MCP servers, where all tools would take too much of the context."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from placet.agent.texts import text_for
from placet.core.errors import InvalidArguments
from placet.core.messages import JsonObject
from placet.core.values import replace
from placet.core.visible_text import one_line, shortened
from placet.model.token_estimate import text_tokens
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import SEARCH, ReadyTool, ToolResult

USUAL_CONTEXT = 200_000
"""Tokens of the context of a model whose context is not known."""
USUAL_FOUND = 8
MOST_FOUND = 20
MOST_SHOWN = 200
"""Limit for a description in the result of a search, in characters; the next request has the whole description."""
MOST_SERVERS = 2_000
"""Limit for the list of servers in the description of the tool, in characters."""
IN_NAME = 3.0
"""Weight of a word in a tool's name, beside a word in the description."""
AS_BEGINNING = 0.6
"""Weight of a word that only begins like the word searched for, or the other way round."""
LEAST_BEGINNING = 4

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Words for the task, or the name of a tool."},
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST_FOUND, "default": USUAL_FOUND},
    },
    "required": ["query"],
}


def with_search(tools: Mapping[str, ReadyTool], context_size: int | None, share: float) -> Mapping[str, ReadyTool]:
    """Return the tools; if the tools of MCP servers take more than the share of the context, they are searched.

    A tool of the user's with the name of the search stays, and then all tools are offered.
    """
    of_servers = {name: tool for name, tool in tools.items() if tool.server}
    budget = share * (context_size or USUAL_CONTEXT)
    if SEARCH in tools or sum(map(_tokens, of_servers.values())) <= budget:
        return tools
    marked = {name: replace(tool, is_searched=bool(tool.server)) for name, tool in tools.items()}
    marked[SEARCH] = _search_tool(tuple(of_servers.values()))
    return dict(sorted(marked.items()))


def ranked(query: str, tools: Sequence[ReadyTool]) -> list[ReadyTool]:
    """Return the tools that share a word with the query, the best first; a rare word counts more than a common word."""
    wanted = dict.fromkeys(_words(query))
    texts = [(frozenset(_words(tool.id)), frozenset(_words(tool.description))) for tool in tools]
    known = Counter(word for name, description in texts for word in name | description)
    scores: list[tuple[float, int]] = []
    for number, (name, description) in enumerate(texts):
        score = sum(
            _rarity(word, known, len(tools)) * (IN_NAME * _likeness(word, name) + _likeness(word, description))
            for word in wanted
        )
        if tools[number].id.casefold() in query.casefold().split():
            score = math.inf
        if score:
            scores.append((-score, number))
    return [tools[number] for _, number in sorted(scores)]


def _search_tool(tools: Sequence[ReadyTool]) -> ReadyTool:
    return ReadyTool(
        SEARCH,
        text_for(SEARCH).replace("{servers}", _servers(tools)),
        _SCHEMA,
        concurrent=True,
        execute=partial(_execute, tools),
    )


async def _execute(tools: Sequence[ReadyTool], arguments: JsonObject, context: ToolContext) -> ToolResult:
    query, limit = arguments.get("query"), arguments.get("limit", USUAL_FOUND)
    if not isinstance(query, str) or not query.strip():
        raise InvalidArguments("`query` has to be a text with the words to search for.")
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise InvalidArguments(f"`limit` has to be a whole number from 1 to {MOST_FOUND}.")
    found = ranked(query, tools)[: max(1, min(limit, MOST_FOUND))]
    title = f"Tools for: {shortened(one_line(query), 60)}"
    if not found:
        return ToolResult(title, f"No tool has one of these words. Servers: {_servers(tools)}.", {"tools": []})
    lines = [f"- {tool.id}: {shortened(one_line(tool.description), MOST_SHOWN)}" for tool in found]
    text = "\n".join(("You can call these tools from now on:", *lines))
    return ToolResult(title, text, {"tools": [tool.id for tool in found]})


def _servers(tools: Iterable[ReadyTool]) -> str:
    """Return the names of the servers, each with the number of its tools."""
    counts = Counter(tool.server for tool in tools)
    return shortened(", ".join(f"{one_line(name)} ({count})" for name, count in sorted(counts.items())), MOST_SERVERS)


def _tokens(tool: ReadyTool) -> int:
    return text_tokens(f"{tool.description}{json.dumps(tool.schema)}")


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(_HUMP.sub(" ", text))]


def _rarity(word: str, known: Counter[str], count: int) -> float:
    return math.log(1 + count / (1 + known[word]))


def _likeness(word: str, words: frozenset[str]) -> float:
    if word in words:
        return 1.0
    if len(word) < LEAST_BEGINNING:
        return 0.0
    near = (other.startswith(word) or (len(other) >= LEAST_BEGINNING and word.startswith(other)) for other in words)
    return AS_BEGINNING if any(near) else 0.0
