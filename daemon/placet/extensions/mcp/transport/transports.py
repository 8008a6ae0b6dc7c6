"""Transports to a server: a process, or an address by streamable HTTP or by SSE."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from placet.core.executor import in_thread
from placet.extensions.mcp.inputs.redaction import Redaction
from placet.extensions.mcp.server_services import ServerServices
from placet.extensions.mcp.sign_in.oauth import MoreRights, SignIn, authorization
from placet.extensions.mcp.sign_in.statuses import Statuses
from placet.extensions.mcp.transport.command import command_of
from placet.extensions.mcp.transport.mended_stream import mend
from placet.extensions.mcp.transport.stdio import stdio
from placet.project.processes.child import LastWords
from placet.sandbox.programs import Contain, Program, uncontained
from placet.settings import McpServerSettings
from placet.settings.mcp import ProgramSandbox

Transport = AbstractAsyncContextManager[tuple[Any, Any]]
"""Incoming and outgoing streams in the SDK's form of a transport."""


async def transports_of(
    name: str,
    settings: McpServerSettings,
    services: ServerServices,
    words: LastWords,
    statuses: Statuses,
    sign_in: SignIn | None,
    more_rights: MoreRights,
    redaction: Redaction,
) -> Sequence[Transport]:
    """Return the possible transports to the server, to try in turn. Raises Gone."""
    if settings.url is None:
        command = await in_thread(command_of, name, settings, services.roots[0])
        return [stdio(name, command, words, _sandbox_of(name, settings, services), redaction)]
    authorized = await authorization(name, settings, services.tokens, sign_in, statuses, more_rights)
    limits = httpx2.Timeout(settings.timeout_seconds, read=settings.call_timeout_seconds + 60)

    def client(
        headers: dict[str, str] | None = None, timeout: object = None, auth: object = None
    ) -> httpx2.AsyncClient:
        hooks = {"response": [statuses.note, mend]}
        return httpx2.AsyncClient(headers=settings.headers, auth=authorized, timeout=limits, event_hooks=hooks)

    http: Transport = _http(settings.url, client)
    sse: Transport = sse_client(settings.url, httpx_client_factory=client)
    return {"http": (http,), "sse": (sse,)}.get(settings.type or "", (http, sse))


def _sandbox_of(name: str, settings: McpServerSettings, services: ServerServices) -> Contain:
    """Return the sandbox of the server by the setting `mcp.NAME.sandbox`."""
    match settings.sandbox:
        case None | False:
            return uncontained
        case True:
            needs = ProgramSandbox()
        case needs:
            pass
    return services.contain(Program(f"the MCP server {name}", services.roots, needs.write, needs.domains))


@asynccontextmanager
async def _http(url: str, client: Callable[[], httpx2.AsyncClient]) -> AsyncGenerator[tuple[Any, Any]]:
    async with client() as http_client, streamable_http_client(url, http_client=http_client) as streams:
        yield streams
