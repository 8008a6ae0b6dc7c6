"""Tools of a server for the model: named, permitted, described, and with bounded results, like all other tools."""

import logging
import time
from collections.abc import Iterable
from functools import partial

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.core.visible_text import one_line, quoted, shortened, shown_input
from placet.extensions.mcp.catalog import OfferedTool
from placet.extensions.mcp.errors import Failed
from placet.extensions.mcp.offers.names import tool_id, why_unusable
from placet.extensions.mcp.offers.results import call_content
from placet.extensions.mcp.offers.schemas import model_schema
from placet.extensions.mcp.server import Server
from placet.permissions.ask import Ask
from placet.tools.framework.define import BEGAN, Tool, ToolContext, ToolResult, define_by_schema
from placet.tools.framework.portable_schema import BadSchema
from placet.tools.framework.truncation import first_part

logger = logging.getLogger(__name__)

MOST_DESCRIPTION = 8000
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
        schema=model_schema(offered.schema),
        execute=partial(_execute, id, server, offered),
        concurrent=offered.reads_only,
        source=f"MCP server {server.name}",
        server=server.name,
    )


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
