"""`agent/mcp`, and opening the address at which the user signs in."""

import logging

from placet.core.errors import RequestError
from placet.extensions.mcp.server import Server
from placet.extensions.mcp.servers import McpServers
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError
from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.mcp_messages import ManageMcp, McpList, McpServerInfo

logger = logging.getLogger(__name__)

_INFO = 3
"""LSP's MessageType.Info."""
SHOW_SECONDS = 10.0


@request("agent/mcp")
async def manage_mcp(context: HandlerContext, params: ManageMcp) -> McpList:
    """Run an action on the MCP servers, and return the list of the servers.

    Raises RequestError for an unknown server, SettingsError for tokens that cannot be kept.
    """
    servers = context.sessions.extensions.mcp
    match params.action, params.server:
        case "list", _:
            pass
        case _, None:
            raise RequestError(f"`{params.action}` needs `server`, the name of a server.")
        case "connect", str(name):
            await servers.connect(name)
        case "disconnect", str(name):
            await servers.disconnect(name)
        case "auth", str(name):

            async def show(address: str) -> None:
                await show_address(context.client, f"to the MCP server {name}", address)

            await servers.sign_in(name, show)
        case "logout", str(name):
            await servers.sign_out(name)
    return McpList(servers=tuple([await _info(servers, server) for server in servers.servers]))


async def _info(servers: McpServers, server: Server) -> McpServerInfo:
    return McpServerInfo(
        name=server.name,
        state=server.state,
        kind="local" if server.settings.url is None else "remote",
        problems=servers.problems_of(server),
        tools=tuple(tool.id for tool in servers.tools_of(server)),
        prompts=tuple(f"{server.name}:{prompt.name}" for prompt in server.offered.prompts),
        resources=len(server.offered.resources),
        signed_in=await servers.is_signed_in(server),
    )


async def show_address(client: EditorClient, destination: str, address: str) -> None:
    """Show the user the sign-in address: in the browser, if the editor can open the browser; else as a message."""
    if client.profile.shows_documents:
        try:
            params = {"uri": address, "external": True}
            shown = await client.request("window/showDocument", params, timeout_seconds=SHOW_SECONDS)
            if isinstance(shown, dict) and shown.get("success") is True:
                return
        except (EditorError, TimeoutError) as error:
            logger.info("The editor does not open the address to sign in %s: %s", destination, error)
    message = f"Placet: to sign in {destination}, open {address}"
    client.notify("window/showMessage", {"type": _INFO, "message": message})
