"""Transports to a server: a process, or an address by streamable HTTP or by SSE."""

import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from placet.core.executor import in_thread
from placet.extensions.mcp.errors import Gone
from placet.extensions.mcp.inputs.redaction import Redaction
from placet.extensions.mcp.server_services import ServerServices
from placet.extensions.mcp.sign_in.oauth import MoreRights, SignIn, authorization
from placet.extensions.mcp.sign_in.statuses import Statuses
from placet.extensions.mcp.transport.stdio import stdio
from placet.project.paths import is_directory, with_home
from placet.project.processes.child import Command, LastWords
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import find_configured, find_for_commands
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
        command = await in_thread(_command_of, name, settings, services.roots[0])
        return [stdio(name, command, words, _sandbox_of(name, settings, services), redaction)]
    authorized = await authorization(name, settings, services.tokens, sign_in, statuses, more_rights)
    limits = httpx2.Timeout(settings.timeout_seconds, read=settings.call_timeout_seconds + 60)

    def client(
        headers: dict[str, str] | None = None, timeout: object = None, auth: object = None
    ) -> httpx2.AsyncClient:
        hooks = {"response": [statuses.note]}
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


def _command_of(name: str, settings: McpServerSettings, root: Path) -> Command:
    """Return the command for the server. Raises Gone if the program or the directory is missing. Looks at the disk."""
    written = (settings.command,) if isinstance(settings.command, str) else settings.command
    program, *arguments = written
    environment = {**without_secrets(os.environ), **settings.env}
    directory = root / with_home(settings.cwd) if settings.cwd else root
    if not is_directory(directory):
        raise Gone(f"The MCP server {name} cannot be started: there is no folder {directory}. See mcp.{name}.cwd.")
    # A path starts in the server's own folder; a mere name does not, or a project could bring its own of that name.
    # On Windows either is found with its suffix (`npx.cmd`).
    path, is_contained = environment.get("PATH"), bool(settings.sandbox)
    executable = find_configured(program, directory, path, is_contained=is_contained)
    if not executable:
        raise Gone(
            f"The MCP server {name} cannot be started: there is no program {program}{_left_out(program)}. Install it, "
            f"or mend mcp.{name}.command, where arguments stand apart from the program."
        )
    return Command((executable, *arguments, *settings.args), directory, environment)


def _left_out(program: str) -> str:
    """Return a clause about a program of the name that is left out, or "". Looks at the disk."""
    found = find_for_commands(program)
    return "" if found is None else f" outside of the sandbox, as commands can write {found}"


@asynccontextmanager
async def _http(url: str, client: Callable[[], httpx2.AsyncClient]) -> AsyncGenerator[tuple[Any, Any]]:
    async with client() as http_client, streamable_http_client(url, http_client=http_client) as streams:
        yield streams
