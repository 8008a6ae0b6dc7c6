"""Resources of servers for the model: two tools, present as long as a server has a resource."""

from collections.abc import Callable, Sequence

from pydantic import Field

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.extensions.mcp.catalog import OfferedResource
from placet.extensions.mcp.errors import Failed
from placet.extensions.mcp.offers.results import read_content
from placet.extensions.mcp.server import Server
from placet.permissions.ask import Ask
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, Tool, ToolResult, define_tool

LIST, READ = "list_mcp_resources", "read_mcp_resource"
MOST_LISTED = 200

Servers = Callable[[], Sequence[Server]]
"""Function that returns the servers with resources at the moment."""


class ListArguments(Arguments):
    server: str | None = Field(default=None, description="Only those of this server.")
    query: str = Field(default="", description="Only those whose URI, name or description holds this text.")


class ReadArguments(Arguments):
    server: str = Field(min_length=1, description="The server's name, as it is listed.")
    uri: str = Field(min_length=1, description="The resource's URI; of a template, with its variables filled in.")


def resource_tools(servers: Servers) -> tuple[Tool, ...]:
    """Return the tool that lists resources and the tool that reads a resource.

    Listing needs no permission, as no server is asked; the pattern of a read is `SERVER:URI`.
    """

    async def list_resources(arguments: ListArguments, context: ToolContext) -> ToolResult:
        query = arguments.query.casefold()
        lines: list[str] = []
        for server in servers():
            if arguments.server in (None, server.name):
                listed = [_line(resource) for resource in server.offered.resources]
                lines += (f"{server.name}: {line}" for line in listed if query in line.casefold())
        rest = len(lines) - MOST_LISTED
        shown = "\n".join((*lines[:MOST_LISTED], *([f"({rest} more; narrow it down by `query`)"] if rest > 0 else ())))
        return ToolResult(title=f"{len(lines)} resources", output=shown or "There are none.")

    async def read_resource(arguments: ReadArguments, context: ToolContext) -> ToolResult:
        server = next((candidate for candidate in servers() if candidate.name == arguments.server), None)
        if server is None:
            raise ToolError(f"No MCP server {arguments.server} has resources; {LIST} shows what there is.")
        title = f"{server.name}: {arguments.uri}"
        pattern = f"{server.name}:{arguments.uri}"
        await context.ask(Ask(READ, (pattern,), always=(f"{server.name}:*",), title=f"Read {title}"))
        try:
            result = await server.read(arguments.uri)
        except Failed as error:
            raise ToolError(f"{arguments.uri} of {server.name} cannot be read: {error}") from error
        content = await in_thread(read_content, result, context.output_directory)
        return ToolResult(title=title, output=content.text or "(no text)", attachments=tuple(content.attachments))

    about = "Resources of MCP servers: documents, records and other things that the user's servers hold."
    source = "MCP servers"
    return (
        define_tool(
            LIST, Definition(f"List {about[0].lower()}{about[1:]}", ListArguments, list_resources), source=source
        ),
        define_tool(
            READ,
            Definition(f"Read one of the {about[0].lower()}{about[1:]}", ReadArguments, read_resource),
            source=source,
        ),
    )


def _line(resource: OfferedResource) -> str:
    notes = ", ".join(
        note for note in (resource.name, resource.mime, "a template" if resource.is_template else "") if note
    )
    return f"{resource.uri} ({notes}){f': {resource.description[:200]}' if resource.description else ''}"
