"""`placet mcp`: list the configured servers, show the state of each, sign in to a server and out again."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from placet.core.errors import PlacetError
from placet.core.ports import Question
from placet.extensions.mcp.server import Server
from placet.extensions.mcp.server_services import ServerServices
from placet.extensions.mcp.servers import McpServers
from placet.frontends.terminal.config import read_config, tell_of_projects
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say, say_json, say_lines
from placet.frontends.terminal.pages import open_page
from placet.frontends.terminal.reading import read_answer
from placet.sessions.services.programs import contained_by
from placet.text.counted import counted


async def mcp(action: str, name: str | None, *, as_json: bool) -> ExitCode:
    """Run an action of `placet mcp`.

    `list` starts nothing; `status` starts the servers and waits for each; `auth`, `input` and `logout` concern a single
    server.
    """
    try:
        async with _servers() as servers:
            return await _done(servers, action, name, as_json=as_json)
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE


@asynccontextmanager
async def _servers() -> AsyncGenerator[McpServers]:
    config = await read_config(Path.cwd())
    tell_of_projects(config)
    contain = contained_by(lambda: config.settings, config.locations)
    locations = config.locations
    services = ServerServices((Path.cwd(),), locations.mcp_tokens, locations.worktrees, contain=contain)
    servers = McpServers(config.settings.mcp.servers, services)
    try:
        yield servers
    finally:
        await servers.close()


async def _done(servers: McpServers, action: str, name: str | None, *, as_json: bool) -> ExitCode:
    match action, name:
        case "auth", str(name):
            server = await servers.sign_in(name, show_address)
            say(f"{server.name}: {server.problem or 'you are signed in.'}")
            return ExitCode.DONE if server.state == "connected" else ExitCode.FAILED
        case "input", str(name):
            if not await servers.enter_inputs(name, _asked):
                say(f"{name}: nothing was changed.")
                return ExitCode.FAILED
            server = servers.find(name)
            say(f"{server.name}: {server.problem or server.state}")
            return ExitCode.DONE if server.state == "connected" else ExitCode.FAILED
        case "logout", str(name) if servers.find(name).inputs.used:
            had_any = await servers.sign_out(name)
            say(f"{name}: {'the sign-in and your values are deleted.' if had_any else 'nothing was stored.'}")
            return ExitCode.DONE
        case "logout", str(name):
            was_signed_in = await servers.sign_out(name)
            say(f"{name}: {'you are signed out.' if was_signed_in else 'you were not signed in.'}")
            return ExitCode.DONE
        case _:
            shown = servers.servers if name is None else (servers.find(name),)
    if action == "list":
        await servers.look_for_inputs()
    elif action == "status":
        await asyncio.gather(*(servers.connect(server.name) for server in shown if server.settings.enabled))
    if as_json:
        say_json([_plain(servers, server) for server in shown])
    else:
        say_lines(_table(servers, shown))
    return ExitCode.DONE


async def _asked(questions: Sequence[Question]) -> list[list[str]] | None:
    """Ask the user at the terminal, or through a pipe with a line for each question."""
    from placet.frontends.terminal.run.approver import TerminalApprover  # Only questions need rich.
    from placet.frontends.terminal.terminal_escape import PipedConsole
    from placet.project.paths import Workspace

    async def read(prompt: str) -> str:
        return read_answer(prompt).rstrip("\r\n")

    async def read_secret(prompt: str) -> str:
        return read_answer(prompt, is_secret=True).rstrip("\r\n")

    console = PipedConsole(highlight=False, stderr=True)
    approver = TerminalApprover(console, Workspace((Path.cwd(),)), read, lambda _: None, read_secret=read_secret)
    return await approver.ask("", questions)


async def show_address(address: str) -> None:
    """Print the address, and open the address in a browser if the machine has a browser."""
    say(f"To sign in, open {address}", to_stderr=True)
    await open_page(address)


def _plain(servers: McpServers, server: Server) -> dict[str, object]:
    return {
        "name": server.name,
        "state": server.state,
        "command": server.settings.command or None,
        "url": server.settings.url,
        "tools": [tool.id for tool in servers.tools_of(server)],
        "problems": list(servers.problems_of(server)),
    }


def _table(servers: McpServers, shown: Sequence[Server]) -> list[str]:
    if not shown:
        return ["No MCP servers are configured. See `placet docs mcp`."]
    width = max(len(server.name) for server in shown)
    lines: list[str] = []
    for server in shown:
        written = server.settings.command
        where = server.settings.url or (written if isinstance(written, str) else " ".join(written))
        tools = len(servers.tools_of(server))
        count = f", {counted(tools, 'tool')}" if server.state == "connected" else ""
        lines.append(f"{server.name:{width}}  {server.state}{count}  {where}")
        lines += (f"{'':{width}}  ! {problem}" for problem in servers.problems_of(server))
    return lines
