"""All MCP servers of one front end: started in the background, and changed when the settings change.

The modules about a server are imported with the first configured server, as most users have no servers.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from placet.core.errors import NobodyToAsk, RequestError, SettingsError
from placet.core.executor import in_thread
from placet.extensions.mcp.errors import NeedsInput
from placet.extensions.mcp.loading import connection_module
from placet.extensions.mcp.server_services import ServerServices
from placet.settings import McpAuthorization, McpServerSettings
from placet.tools.framework.define import Tool

if TYPE_CHECKING:
    from placet.extensions.mcp.inputs.questions import AskUser
    from placet.extensions.mcp.offers.prompts import McpPrompt
    from placet.extensions.mcp.server import Server
    from placet.extensions.mcp.sign_in.oauth import ShowAddress
    from placet.settings.mcp import McpInput

logger = logging.getLogger(__name__)


def _unheard() -> None:
    pass


class _Listed(Struct, frozen=True):
    """Tools of a server, valid as long as the server's offer is the same."""

    offered: object
    tools: tuple[Tool, ...]
    problems: tuple[str, ...]


class McpServers:
    """Implementation of ToolSource over the configured servers."""

    def __init__(
        self,
        settings: Mapping[str, McpServerSettings],
        services: ServerServices,
        on_change: Callable[[], None] = _unheard,
    ) -> None:
        """Set up the servers, not started yet. `on_change` is called after every change of a state or of an offer."""
        self._services = services
        self._servers: dict[str, Server] = {}
        self._listed: dict[str, _Listed] = {}
        self._revision = 0
        self._has_begun = False
        self._began = 0.0
        """Time by the loop's clock at which Placet itself last started servers."""
        self._is_awaited = asyncio.Event()
        """Set when a prompt waits for servers, so that the servers start at once."""
        self._reported_missing: frozenset[str] = frozenset()
        self._asked: set[Server] = set()
        """Servers for whose values the user was asked; a server with changed settings is another."""
        self._announced: set[Server] = set()
        """Servers whose need for values was told; where nobody can be asked, the next prompt asks again, and is quiet.
        """
        self._changing: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()
        self._alone = asyncio.Lock()
        self._on_change = on_change
        for name, server_settings in settings.items():
            self._servers[name] = self._new(name, server_settings)

    def _new(self, name: str, settings: McpServerSettings) -> "Server":
        from placet.extensions.mcp.server import Server

        return Server(name, settings, self._services, self._changed)

    @cached_property
    def _resource_tools(self) -> tuple[Tool, ...]:
        from placet.extensions.mcp.offers.resources import resource_tools

        return resource_tools(self._with_resources)

    @property
    def servers(self) -> "tuple[Server, ...]":
        return tuple(self._servers.values())

    @property
    def revision(self) -> int:
        """Number that changes whenever the tools change."""
        for server in self._servers.values():
            self._of(server)
        return self._revision

    def begin(self) -> None:
        """Start all servers, side by side, in the background. Only the first call has an effect."""
        if not self._has_begun:
            self._has_begun = True
            self._began = asyncio.get_running_loop().time()
            self._own(asyncio.create_task(self._begin(), name="start MCP servers"))

    def beside(self, settings: Mapping[str, McpServerSettings]) -> "McpServers":
        """Return servers with the services of these servers, not started yet; the caller closes the servers."""
        return McpServers(settings, self._services, lambda: self._on_change())

    async def started(
        self,
        wait_seconds: float,
        tell: Callable[[str], None],
        *,
        ask: "AskUser | None" = None,
        hidden: Collection[str] = (),
    ) -> None:
        """Wait for the servers that are still starting, until `wait_seconds` after the start; not for the hidden.

        `ask` asks the user for missing values, once for each server. `tell` receives texts for the user: the servers
        waited for, and, once for each, the missing servers.
        """
        servers = [server for server in self.servers if server.name not in hidden]
        if ask is not None:
            await self._ask_once(servers, ask, tell)
        starting = [server for server in servers if server.is_starting]
        left_seconds = self._began + wait_seconds - asyncio.get_running_loop().time()
        waits = self._has_begun and bool(starting) and left_seconds > 0
        if waits:
            names = ", ".join(server.name for server in starting)
            tell(f"Waiting for MCP servers that are starting: {names} (at most {wait_seconds:g} s).")
            self._is_awaited.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(left_seconds):
                    await asyncio.gather(*(server.tried() for server in starting))
        missing = {server.name: why for server in servers if (why := server.missing)}
        if new := [why for name, why in missing.items() if name not in self._reported_missing]:
            tell(f"Missing MCP servers: {'; '.join(new)}")
        elif waits:
            tell("The MCP servers are ready.")
        self._reported_missing = frozenset(missing)

    async def tools(self) -> Sequence[Tool]:
        """Return the tools of the connected servers, the same objects as long as nothing changes."""
        tools: list[Tool] = []
        for server in self._servers.values():
            tools += self._of(server).tools
        return (*tools, *(self._resource_tools if self._with_resources() else ()))

    def tools_of(self, server: "Server") -> tuple[Tool, ...]:
        return self._of(server).tools

    def problems_of(self, server: "Server") -> tuple[str, ...]:
        """Return the server's faults, in words for the user."""
        return (*((server.problem,) if server.problem else ()), *self._of(server).problems)

    def prompts(self) -> "list[McpPrompt]":
        """Return the present prompts; each prompt is a command."""
        if not self._servers:
            return []
        from placet.extensions.mcp.offers.prompts import prompts_of

        return [prompt for server in self._servers.values() for prompt in prompts_of(server)]

    async def changed(self) -> None:
        """Wait for the next change of a state or of a server's offer."""
        await self._news.wait()

    # ---------------------------------------------------------------- the user's actions

    def find(self, name: str) -> "Server":
        """Return the server of this name. Raises RequestError if the settings have no such server."""
        if (server := self._servers.get(name)) is not None:
            return server
        names = ", ".join(self._servers) or "none is configured"
        raise RequestError(f"There is no MCP server {name} in your settings: {names}.")

    async def connect(self, name: str) -> "Server":
        """Start the server (again), even if not enabled, and wait for the outcome. Raises RequestError."""
        server = self.find(name)
        async with self._alone:
            await server.stop()
            server.start()
        await server.tried()
        return server

    async def disconnect(self, name: str) -> "Server":
        """End the server, until the user connects the server again or the settings change. Raises RequestError."""
        server = self.find(name)
        async with self._alone:
            await server.stop()
        return server

    async def sign_in(self, name: str, show: "ShowAddress") -> "Server":
        """Let the user sign in at an address that `show` opens, and connect. Raises RequestError."""
        server = self.find(name)
        if server.settings.url is None or server.settings.oauth is False:
            raise RequestError(f"The MCP server {name} has no sign-in: the server has no `url`, or `oauth` is false.")
        await connection_module()
        from placet.extensions.mcp.sign_in.callback import Callback
        from placet.extensions.mcp.sign_in.oauth import SignIn, known_port

        url = await self._address(server)
        assert url is not None
        own = server.settings.oauth
        port = own.callback_port if isinstance(own, McpAuthorization) else 0
        callback = Callback()
        async with callback.open(port or await known_port(name, url, self._services.tokens)):
            async with self._alone:
                await server.stop()
                server.start(SignIn(show, callback))
            await server.tried()
        return server

    async def sign_out(self, name: str) -> bool:
        """Delete the server's tokens and the user's values, and end the server; return False if nothing was stored.

        Raises RequestError, SettingsError.
        """
        server = self.find(name)
        had_tokens = False
        with suppress(NeedsInput):
            if (url := await self._address(server)) is not None:
                from placet.extensions.mcp.sign_in.tokens import TokenFile

                had_tokens = await in_thread(TokenFile(self._services.tokens).forget, name, url)
        had_values = bool(server.inputs.used) and await in_thread(server.inputs.forget)
        if server.settings.url is not None or had_values:
            async with self._alone:
                await server.stop("needs_auth" if had_tokens and not had_values else "disconnected")
        return had_tokens or had_values

    async def is_signed_in(self, server: "Server") -> bool:
        if server.settings.url is None:
            return False
        from placet.extensions.mcp.sign_in.tokens import TokenFile

        try:
            url = await self._address(server)
            return url is not None and await in_thread(TokenFile(self._services.tokens).has, server.name, url)
        except NeedsInput:
            return False
        except SettingsError as error:
            logger.warning("%s", error)
            return False

    # ---------------------------------------------------------------- values from the user

    async def enter_inputs(self, name: str, ask: "AskUser") -> bool:
        """Ask the user for all values of the server, and connect with the values, if the user gave any.

        Raises RequestError for a server without inputs, NobodyToAsk, SettingsError.
        """
        server = self.find(name)
        if not server.inputs.used:
            raise RequestError(f"The MCP server {name} asks for no values: its settings refer to no `${{input:…}}`.")
        self._asked.add(server)
        is_given = await self._entered({server: server.inputs.used}, ask)
        if is_given:
            await server.tried()
        return is_given

    async def look_for_inputs(self) -> None:
        """Start the servers whose missing values have been given elsewhere, and mark those that still lack a value."""
        for server in self.servers:
            if server.inputs.used and server.state in ("waiting", "needs_input"):
                missing = await _missing_inputs(server)
                if missing:
                    server.lack_inputs(missing)
                elif server.state == "needs_input":
                    server.start()

    def reload_inputs(self) -> None:
        """Look for values that have been given elsewhere. Does not wait."""
        if self._has_begun and any(server.state == "needs_input" for server in self.servers):
            self._own(asyncio.create_task(self.look_for_inputs(), name="values for MCP servers"))

    async def _ask_once(self, servers: "Sequence[Server]", ask: "AskUser", tell: Callable[[str], None]) -> None:
        """Ask for the missing values of the servers for which the user was not asked before."""
        lacking = {
            server: missing
            for server in servers
            if server.inputs.used and server not in self._asked and server.is_to_start
            if (missing := await _missing_inputs(server))
        }
        if not lacking:
            return
        self._asked |= lacking.keys()  # Another session's prompt does not ask at the same time.
        if new := [server.name for server in lacking if server not in self._announced]:
            tell(f"MCP servers that need values from you: {', '.join(new)}.")
        self._announced |= lacking.keys()
        for server, missing in lacking.items():  # No prompt waits for such a server beside the question.
            server.lack_inputs(missing)
        try:
            await self._ask_what_can_be_asked(lacking, ask)
        except asyncio.CancelledError:
            self._asked -= lacking.keys()
            raise
        except SettingsError as error:
            tell(str(error))

    async def _ask_what_can_be_asked(self, lacking: "Mapping[Server, Sequence[McpInput]]", ask: "AskUser") -> None:
        """Ask for the inputs; where no password can be asked for, ask for the servers without a password."""
        try:
            await self._entered(lacking, ask)
        except NobodyToAsk:
            self._asked -= lacking.keys()
            visible = {
                server: inputs for server, inputs in lacking.items() if not any(entry.password for entry in inputs)
            }
            if visible and len(visible) < len(lacking):
                self._asked |= visible.keys()
                await self._ask_what_can_be_asked(visible, ask)

    async def _entered(self, lacking: "Mapping[Server, Sequence[McpInput]]", ask: "AskUser") -> bool:
        """Ask for the inputs, keep the values, and start the servers that have got values; return False without any."""
        from placet.extensions.mcp.inputs.questions import given_values, input_questions, wanted_inputs

        by_name = {server.name: server for server in lacking}
        missing = {server.name: inputs for server, inputs in lacking.items()}
        wanted = wanted_inputs({name: server.settings for name, server in by_name.items()}, missing)
        given = given_values(wanted, await ask(input_questions(wanted)) or ())
        for name, values in given.items():
            await in_thread(by_name[name].inputs.keep, values)
            async with self._alone:
                if self._servers.get(name) is by_name[name]:
                    await by_name[name].stop()
                    by_name[name].start()
                    self._began = asyncio.get_running_loop().time()
        return bool(given)

    # ---------------------------------------------------------------- settings

    def follow(self, settings: Mapping[str, McpServerSettings]) -> None:
        """Use these servers from now on; a changed server is started anew. Does not wait."""
        if settings == {name: server.settings for name, server in self._servers.items()}:
            return
        self._own(asyncio.create_task(self._follow(dict(settings)), name="new settings of MCP servers"))

    def _own(self, task: asyncio.Task[None]) -> None:
        self._changing.add(task)
        task.add_done_callback(self._changing.discard)

    async def _begin(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._services.begin_after_seconds):
                await self._is_awaited.wait()
        for server in self._servers.values():
            if server.state == "waiting":
                server.start()

    async def _follow(self, settings: Mapping[str, McpServerSettings]) -> None:
        async with self._alone:
            ending = [server for server in self._servers.values() if settings.get(server.name) != server.settings]
            await asyncio.gather(*(server.stop() for server in ending))
            staying = {name: server for name, server in self._servers.items() if server not in ending}
            self._servers = {
                name: staying.get(name) or self._new(name, server_settings)
                for name, server_settings in settings.items()
            }
            for server in self._servers.values():
                if self._has_begun and server not in staying.values() and server.settings.enabled:
                    self._began = asyncio.get_running_loop().time()
                    server.start()
            self._listed = {name: listed for name, listed in self._listed.items() if name in staying}
            self._revision += 1
        self._changed()

    def open_in(self, roots: tuple[Path, ...]) -> None:
        """Take over the folders that the user has open: servers learn the folders at the next question or start."""
        self._services.open_in(roots)

    async def close(self) -> None:
        """End all servers with everything started for the servers. `on_change` is called no more."""
        self._on_change = _unheard
        for task in self._changing:
            task.cancel()
        await asyncio.gather(*self._changing, return_exceptions=True)
        await asyncio.gather(*(server.stop() for server in self._servers.values()))

    def _with_resources(self) -> "list[Server]":
        return [server for server in self._servers.values() if server.offered.resources]

    def _of(self, server: "Server") -> _Listed:
        listed = self._listed.get(server.name)
        if listed is None or listed.offered != server.offered:
            self._revision += 1
            from placet.extensions.mcp.offers.tools import server_tools

            tools, problems = server_tools(server, self._servers)
            for problem in problems:
                logger.warning("%s", problem)
            listed = self._listed[server.name] = _Listed(server.offered, tools, problems)
        return listed

    async def _address(self, server: "Server") -> str | None:
        """Return the address of the server with the user's values; None without an address. Raises NeedsInput."""
        return (await in_thread(server.inputs.applied))[0].url

    def _changed(self) -> None:
        """Tell every waiter of a change, and call `on_change`."""
        self._news.set()
        self._news = asyncio.Event()
        self._on_change()


async def _missing_inputs(server: "Server") -> "tuple[McpInput, ...]":
    """Return the inputs without a value; none where the values cannot be read, as the start then says why."""
    try:
        return await in_thread(server.inputs.missing)
    except SettingsError as error:
        logger.warning("%s", error)
        return ()
