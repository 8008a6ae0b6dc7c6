"""MCP servers of one session: the servers of the settings, and the servers that the session's client hands over."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from placet.core.visible_text import without_controls
from placet.extensions.mcp.offers.names import prefix, why_unusable
from placet.extensions.mcp.servers import McpServers
from placet.settings import McpServerSettings
from placet.tools.framework.define import Tool

if TYPE_CHECKING:
    from placet.extensions.mcp.inputs.questions import AskUser
    from placet.extensions.mcp.offers.prompts import McpPrompt
    from placet.extensions.mcp.server import Server


MOST_INSTRUCTIONS = 4_000
"""Limit for one server's instructions, in characters."""
SHORTENED = "… (shortened)"
MOST_ALL_INSTRUCTIONS = 20_000
"""Limit for the instructions of all servers together."""


class SessionServers:
    """Implementation of ToolSource over the servers of one session and of the session's subagents.

    Owned by the session. A server of the client hides a server of the settings with the same name. The client's
    servers live as long as the session is open, and stand in no file.
    """

    def __init__(self, shared: McpServers) -> None:
        """Make the session's servers over `shared`, the servers of the settings, which others close."""
        self._shared = shared
        self._own: McpServers | None = None

    def hand_over(self, settings: Mapping[str, McpServerSettings]) -> None:
        """Use these servers of the client from now on, in place of those handed over before. Does not wait."""
        if self._own is not None:
            self._own.follow(settings)
        elif settings:
            self._own = self._shared.beside(settings)
            self._own.begin()

    @property
    def servers(self) -> "tuple[Server, ...]":
        """Return the servers that the session sees, the client's first."""
        if self._own is None:
            return self._shared.servers
        hidden = self._hidden()
        return (*self._own.servers, *(server for server in self._shared.servers if prefix(server.name) not in hidden))

    @property
    def revision(self) -> tuple[int, int]:
        """Value that changes whenever the tools change."""
        return self._shared.revision, -1 if self._own is None else self._own.revision

    def from_settings(self, settings: Mapping[str, McpServerSettings]) -> dict[str, McpServerSettings]:
        """Return the servers of the settings that the session sees: only these have rules of the settings' own."""
        hidden = self._hidden()
        return {name: server for name, server in settings.items() if prefix(name) not in hidden}

    async def started(self, wait_seconds: float, tell: Callable[[str], None], ask: "AskUser") -> None:
        """Wait for the servers that are still starting, as McpServers.started says."""
        if self._own is None:
            await self._shared.started(wait_seconds, tell, ask=ask)
            return
        hidden = [server.name for server in self._shared.servers if prefix(server.name) in self._hidden()]
        await asyncio.gather(
            self._own.started(wait_seconds, tell), self._shared.started(wait_seconds, tell, ask=ask, hidden=hidden)
        )

    async def tools(self) -> Sequence[Tool]:
        """Return the tools of the connected servers, the same objects as long as nothing changes."""
        own = self._own
        if own is None:
            return await self._shared.tools()
        servers = self.servers
        names = [server.name for server in servers]
        tools: list[Tool] = []
        for server in servers:
            source = own if server in own.servers else self._shared
            tools += (tool for tool in source.tools_of(server) if not why_unusable(tool.id, server.name, names))
        return (*tools, *(self._resource_tools if self._with_resources() else ()))

    def prompts(self) -> "list[McpPrompt]":
        """Return the present prompts of the servers that the session sees; each prompt is a command."""
        if not (servers := self.servers):
            return []
        from placet.extensions.mcp.offers.prompts import prompts_of

        return [prompt for server in servers for prompt in prompts_of(server)]

    def instructions(self) -> list[tuple[str, str]]:
        """Return the name and the instructions of each connected server that has instructions, shortened to the limits.

        Servers beyond the limit for all instructions are left out.
        """
        texts: list[tuple[str, str]] = []
        left = MOST_ALL_INSTRUCTIONS
        for server in self.servers:
            text = without_controls(server.instructions).strip()
            if len(text) > MOST_INSTRUCTIONS:
                text = text[: MOST_INSTRUCTIONS - len(SHORTENED)] + SHORTENED
            left -= len(text)
            if text and left >= 0:
                texts.append((server.name, text))
        return texts

    async def close(self) -> None:
        """End the servers of the client."""
        if (own := self._own) is not None:
            self._own = None
            await own.close()

    @cached_property
    def _resource_tools(self) -> tuple[Tool, ...]:
        from placet.extensions.mcp.offers.resources import resource_tools

        return resource_tools(self._with_resources)

    def _with_resources(self) -> "list[Server]":
        return [server for server in self.servers if server.offered.resources]

    def _hidden(self) -> frozenset[str]:
        """Return the beginnings of tool names that belong to servers of the client."""
        return frozenset() if self._own is None else frozenset(prefix(server.name) for server in self._own.servers)
