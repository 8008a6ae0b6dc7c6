"""Tools of a server for the model: named, permitted, described, and with bounded results, like all other tools."""

import logging
import time
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, cast

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.core.visible_text import one_line, quoted, shortened, shown_input
from placet.extensions.mcp.catalog import OfferedTool
from placet.extensions.mcp.errors import Failed
from placet.extensions.mcp.offers.names import tool_id, why_unusable
from placet.extensions.mcp.offers.results import call_content
from placet.extensions.mcp.server import Server
from placet.permissions.ask import Ask
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import BEGAN, Tool, ToolResult, define_by_schema
from placet.tools.framework.portable_schema import BadSchema
from placet.tools.framework.schema import inline_schema
from placet.tools.framework.truncation import first_part

logger = logging.getLogger(__name__)

MOST_DESCRIPTION = 8000
MOST_PIECES = 5000
"""Limit on a schema's values once references are followed; a few lines of references can grow to any size."""
MOST_PROGRESS = 100
"""Limit for the server's message about a call's progress, where the message stands in the call's title."""
BETWEEN_PROGRESS_SECONDS = 0.1


def server_tools(server: Server, servers: Iterable[str]) -> tuple[tuple[Tool, ...], tuple[str, ...]]:
    """Return the usable tools of the server, and the reasons why the rest is unusable.

    `servers`: the names of all servers.
    """
    tools: dict[str, Tool] = {}
    problems: list[str] = []
    names = tuple(servers)
    for offered in server.offered.tools:
        id = tool_id(server.name, offered.name)
        why = "there is another of that name" if id in tools else why_unusable(id, server.name, names)
        why = offered.problem or why
        try:
            if not why:
                tools[id] = _tool(id, server, offered)
        except BadSchema as error:
            why = f"its schema is not to be used: {error}"
        if why:
            problems.append(f"The tool {offered.name} of {server.name} is left out: {why}.")
    return tuple(tools.values()), tuple(problems)


def _tool(id: str, server: Server, offered: OfferedTool) -> Tool:
    """Return the tool for the model. Raises BadSchema."""
    return define_by_schema(
        id,
        description=offered.description[:MOST_DESCRIPTION],
        schema=_model_schema(offered.schema),
        execute=partial(_execute, id, server, offered),
        concurrent=offered.reads_only,
        source=f"MCP server {server.name}",
        server=server.name,
    )


def _model_schema(schema: JsonObject) -> JsonObject:
    """Return an object's schema in the form that models accept, without references. Raises BadSchema."""
    named = {**_mapping(schema.get("definitions")), **_mapping(schema.get("$defs"))}
    sizes: dict[str, int] = {}
    if _pieces(schema, named, sizes, ()) > MOST_PIECES:
        raise BadSchema("it is too large")
    whole = {key: value for key, value in schema.items() if key not in ("$schema", "definitions")}
    try:
        plain = inline_schema({**whole, "$defs": named})
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BadSchema(f"it cannot be followed ({type(error).__name__}: {error})") from error
    if not isinstance(plain.get("properties", {}), dict):
        raise BadSchema("its properties are none")
    return {"properties": {}, **plain, "type": "object"}


def _pieces(schema: Any, named: Mapping[str, Any], sizes: dict[str, int], within: tuple[str, ...]) -> int:
    """Return the number of values when each reference is followed, but not into itself; each name is counted once."""
    if len(within) > 100:
        raise BadSchema("its references lead too deep")
    if isinstance(schema, list):
        return 1 + sum(_pieces(item, named, sizes, within) for item in cast("list[Any]", schema))
    if not isinstance(schema, dict):
        return 1
    values = cast("JsonObject", schema)
    total = 1
    reference = values.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        if name in named and name not in within:
            if name not in sizes:
                sizes[name] = _pieces(named[name], named, sizes, (*within, name))
            total += sizes[name]
    return total + sum(
        _pieces(value, named, sizes, within) for key, value in values.items() if key not in ("$defs", "definitions")
    )


def _mapping(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


async def _execute(
    id: str, server: Server, offered: OfferedTool, arguments: JsonObject, context: ToolContext
) -> ToolResult:
    await context.ask(
        Ask(
            id,
            ("*",),
            always=("*",),
            title=f"Call the MCP tool {id}",
            description=_described(server, offered),
            arguments=shown_input(arguments),
        )
    )
    title = f"{server.name}: {offered.title or offered.name}"
    context.metadata(title=title, metadata={BEGAN: True})
    progress = _Progress(title, context)
    try:
        result = await server.call(offered.name, arguments, context, progress)
    except Failed as error:
        raise ToolError(f"{title} failed: {error}") from error
    content = await in_thread(call_content, result, context.output_directory)
    if result.get("isError"):
        reason = first_part(content.text.encode("utf-8", "replace")).decode("utf-8", "replace")
        raise ToolError(reason or f"{title} failed, and does not say why.")
    return ToolResult(
        title=title,
        output=content.text or ("(nothing but what is attached)" if content.attachments else "(no output)"),
        metadata={"server": server.name, "tool": offered.name},
        attachments=tuple(content.attachments),
    )


def _described(server: Server, offered: OfferedTool) -> str:
    """Return the server's words about the tool for the question; the hints inform the user and allow nothing."""
    speaker = f"The MCP server {server.name}"
    words = quoted(speaker, offered.title or offered.name)
    if offered.reads_only:
        return f"{words} {speaker} says that this tool only reads.".strip()
    if offered.destroys:
        return f"{words} {speaker} says that this tool may destroy data.".strip()
    return words


class _Progress:
    """Display of a call's progress, updated no more often than a person can see."""

    def __init__(self, title: str, context: ToolContext) -> None:
        self._title = title
        self._context = context
        self._shown = 0.0

    def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        moment = time.monotonic()
        if moment - self._shown < BETWEEN_PROGRESS_SECONDS and progress != total:
            return
        self._shown = moment
        of = f"{progress:g}" if total is None else f"{progress:g}/{total:g}"
        metadata = {BEGAN: True, "progress": progress, "total": total, "message": (message or "")[:500]}
        words = shortened(one_line(message or ""), MOST_PROGRESS)
        self._context.metadata(title=f"{self._title} ({of}){f' {words}' if words else ''}", metadata=metadata)
