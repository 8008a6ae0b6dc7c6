"""All the servers of one house: what is set up for them, started in the background, followed when it changes."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from placet.errors import RequestError, SettingsError
from placet.extensions.mcp.loading import connection_module
from placet.extensions.mcp.prompts import Prompt, prompts_of
from placet.extensions.mcp.resources import resource_tools
from placet.extensions.mcp.server import Server
from placet.extensions.mcp.surroundings import Surroundings
from placet.extensions.mcp.tokens import TokenFile
from placet.extensions.mcp.tools import server_tools
from placet.project.executor import in_thread
from placet.settings import McpAuthorization, McpServerSettings
from placet.tools.define import Tool

if TYPE_CHECKING:
    from placet.extensions.mcp.oauth import ShowAddress

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A server's tools, as long as what it offers is the same."""

    offered: object
    tools: tuple[Tool, ...]
    problems: tuple[str, ...]


class McpServers:
    """A ToolSource."""

    def __init__(self, settings: Mapping[str, McpServerSettings], surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._servers: dict[str, Server] = {}
        self._listed: dict[str, _Listed] = {}
        self._resource_tools = resource_tools(self._with_resources)
        self._revision = 0
        self._has_begun = False
        self._began = 0.0
        """The loop's time at which servers were last started, by Placet itself."""
        self._is_awaited = asyncio.Event()
        """Set when a prompt waits for servers, so that they start at once."""
        self._told_missing: frozenset[str] = frozenset()
        self._changing: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()
        self._alone = asyncio.Lock()
        self.listeners: list[Callable[[], None]] = []
        """Called after every change of a state, or of what a server offers."""
        for name, one in settings.items():
            self._servers[name] = Server(name, one, surroundings, self._changed)

    @property
    def servers(self) -> tuple[Server, ...]:
        return tuple(self._servers.values())

    @property
    def revision(self) -> int:
        """Another number whenever the tools are others."""
        for server in self._servers.values():
            self._of(server)
        return self._revision

    def begin(self) -> None:
        """Start all servers, side by side, in the background. Only the first call does anything."""
        if not self._has_begun:
            self._has_begun = True
            self._began = asyncio.get_running_loop().time()
            self._own(asyncio.create_task(self._begin(), name="start MCP servers"))

    async def started(self, wait_seconds: float, tell: Callable[[str], None]) -> None:
        """Wait for the servers that are still starting, until `wait_seconds` after they were started.

        `tell` is given texts for the user: which servers are waited for, and, once for each, which ones are missing.
        """
        starting = [server for server in self.servers if server.is_starting]
        left_seconds = self._began + wait_seconds - asyncio.get_running_loop().time()
        waits = self._has_begun and bool(starting) and left_seconds > 0
        if waits:
            names = ", ".join(server.name for server in starting)
            tell(f"Waiting for MCP servers that are starting: {names} (at most {wait_seconds:g} s).")
            self._is_awaited.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(left_seconds):
                    await asyncio.gather(*(server.tried() for server in starting))
        missing = {server.name: why for server in self.servers if (why := server.missing)}
        if new := [why for name, why in missing.items() if name not in self._told_missing]:
            tell(f"Missing MCP servers: {'; '.join(new)}")
        elif waits:
            tell("The MCP servers are ready.")
        self._told_missing = frozenset(missing)

    async def tools(self) -> Sequence[Tool]:
        """Those of the servers that are connected now, the same objects as long as nothing changes."""
        found: list[Tool] = []
        for server in self._servers.values():
            found += self._of(server).tools
        return (*found, *(self._resource_tools if self._with_resources() else ()))

    def tools_of(self, server: Server) -> tuple[Tool, ...]:
        return self._of(server).tools

    def problems_of(self, server: Server) -> tuple[str, ...]:
        """What is wrong with it, in words for the user."""
        return (*((server.problem,) if server.problem else ()), *self._of(server).problems)

    def prompts(self) -> list[Prompt]:
        """Those that are there now; each is a command."""
        return [prompt for server in self._servers.values() for prompt in prompts_of(server)]

    async def changed(self) -> None:
        """Wait for the next change of a state, or of what a server offers."""
        await self._news.wait()

    # ---------------------------------------------------------------- what the user does

    def find(self, name: str) -> Server:
        """Raises RequestError if there is none."""
        if (server := self._servers.get(name)) is not None:
            return server
        known = ", ".join(self._servers) or "none is set up"
        raise RequestError(f"There is no MCP server {name} in your settings: {known}.")

    async def connect(self, name: str) -> Server:
        """Start it (again), also one that is not enabled, and wait for what becomes of that. Raises RequestError."""
        server = self.find(name)
        async with self._alone:
            await server.stop()
            server.start()
        await server.tried()
        return server

    async def disconnect(self, name: str) -> Server:
        """End it, until it is connected again or its settings change. Raises RequestError."""
        server = self.find(name)
        async with self._alone:
            await server.stop()
        return server

    async def sign_in(self, name: str, show: "ShowAddress") -> Server:
        """Let the user sign in, which `show` opens an address for, and connect. Raises RequestError."""
        server = self.find(name)
        if server.settings.url is None or server.settings.oauth is False:
            raise RequestError(f"The MCP server {name} is none to sign in to: it has no `url`, or `oauth` is false.")
        await connection_module()
        from placet.extensions.mcp.callback import Callback
        from placet.extensions.mcp.oauth import SignIn, known_port

        own = server.settings.oauth
        port = own.callback_port if isinstance(own, McpAuthorization) else 0
        callback = Callback()
        async with callback.open(port or await known_port(name, server.settings.url, self._surroundings.tokens)):
            async with self._alone:
                await server.stop()
                server.start(SignIn(show, callback))
            await server.tried()
        return server

    async def sign_out(self, name: str) -> bool:
        """Forget its tokens and end it; False if there were none. Raises RequestError, SettingsError."""
        server = self.find(name)
        if server.settings.url is None:
            return False
        known = await in_thread(TokenFile(self._surroundings.tokens).forget, name, server.settings.url)
        async with self._alone:
            await server.stop("needs_auth" if known else "disconnected")
        return known

    async def is_signed_in(self, server: Server) -> bool:
        if server.settings.url is None:
            return False
        try:
            return await in_thread(TokenFile(self._surroundings.tokens).has, server.name, server.settings.url)
        except SettingsError as error:
            logger.warning("%s", error)
            return False

    # ---------------------------------------------------------------- what is set up

    def follow(self, settings: Mapping[str, McpServerSettings]) -> None:
        """These are the servers from now on; one that has changed is started anew. Nothing is waited for."""
        if settings == {name: one.settings for name, one in self._servers.items()}:
            return
        self._own(asyncio.create_task(self._follow(dict(settings)), name="new settings of MCP servers"))

    def _own(self, task: asyncio.Task[None]) -> None:
        self._changing.add(task)
        task.add_done_callback(self._changing.discard)

    async def _begin(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._surroundings.begin_after_seconds):
                await self._is_awaited.wait()
        for server in self._servers.values():
            if server.state == "waiting":
                server.start()

    async def _follow(self, settings: Mapping[str, McpServerSettings]) -> None:
        async with self._alone:
            gone = [one for one in self._servers.values() if settings.get(one.name) != one.settings]
            await asyncio.gather(*(one.stop() for one in gone))
            kept = {name: one for name, one in self._servers.items() if one not in gone}
            self._servers = {
                name: kept.get(name) or Server(name, one, self._surroundings, self._changed)
                for name, one in settings.items()
            }
            for server in self._servers.values():
                if self._has_begun and server not in kept.values() and server.settings.enabled:
                    self._began = asyncio.get_running_loop().time()
                    server.start()
            self._listed = {name: one for name, one in self._listed.items() if name in kept}
            self._revision += 1
        self._changed()

    def open_in(self, roots: tuple[Path, ...]) -> None:
        """The user has other folders open: servers that ask for them, or are started, are told of these."""
        self._surroundings.roots = roots

    async def close(self) -> None:
        """End them all, with all that they started. Nobody is told of it."""
        self.listeners.clear()
        for task in self._changing:
            task.cancel()
        await asyncio.gather(*self._changing, return_exceptions=True)
        await asyncio.gather(*(server.stop() for server in self._servers.values()))

    def _with_resources(self) -> list[Server]:
        return [server for server in self._servers.values() if server.offered.resources]

    def _of(self, server: Server) -> _Listed:
        listed = self._listed.get(server.name)
        if listed is None or listed.offered != server.offered:
            self._revision += 1
            tools, problems = server_tools(server, self._servers)
            for problem in problems:
                logger.warning("%s", problem)
            listed = self._listed[server.name] = _Listed(server.offered, tools, problems)
        return listed

    def _changed(self) -> None:
        """Tell all who wait for a change."""
        self._news.set()
        self._news = asyncio.Event()
        for listener in self.listeners:
            listener()
