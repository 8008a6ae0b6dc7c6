"""`agent/mcp`, and opening the address at which the user signs in."""

from collections.abc import Sequence

from placet.core.errors import RequestError
from placet.core.ports import Question
from placet.extensions.mcp.server import Server
from placet.extensions.mcp.servers import McpServers
from placet.frontends.lsp.asks.pages import show_page
from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.mcp_messages import ManageMcp, McpList, McpServerInfo


@request("agent/mcp")
async def manage_mcp(context: HandlerContext, params: ManageMcp) -> McpList:
    """Run an action on the MCP servers, and return the list of the servers.

    Raises RequestError for an unknown server, SettingsError for tokens or values that cannot be kept.
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
                await show_page(context.client, address, f"to sign in to the MCP server {name}")

            await servers.sign_in(name, show)
        case "input", str(name):

            async def ask(questions: Sequence[Question]) -> list[list[str]] | None:
                if context.client.profile.is_generic and any(question.secret for question in questions):
                    raise RequestError(
                        f"This editor cannot hide what you type: run `placet mcp input {name}` in a terminal."
                    )
                return await context.approver.ask("", questions)

            await servers.enter_inputs(name, ask)
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
        takes_input=bool(server.inputs.used),
    )
