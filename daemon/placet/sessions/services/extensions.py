"""Extensions of the services: asked when a turn begins, told of a new config, and closed with the services."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from placet.extensions.command_hooks.hooks import NO_COMMAND_HOOKS, CommandHooks
from placet.extensions.commands import Command, CommandSource
from placet.extensions.mcp.offers.commands import PromptCommands
from placet.extensions.mcp.server_services import ServerServices
from placet.extensions.mcp.servers import McpServers
from placet.extensions.mcp.session_servers import SessionServers
from placet.extensions.plugins.hooks import NO_HOOKS
from placet.extensions.plugins.manager import CustomExtensions
from placet.extensions.plugins.sources import Owner
from placet.extensions.sources import ToolSource
from placet.settings import PluginSettings
from placet.tools.framework.builtin import BUILTIN
from placet.tools.framework.define import Tool

if TYPE_CHECKING:
    from placet.extensions.mcp.offers.mentions import MentionedResources

logger = logging.getLogger(__name__)


class Extensions:
    def __init__(
        self,
        sources: Sequence[ToolSource] = (),
        custom: CustomExtensions | None = None,
        mcp: McpServers | None = None,
        command_hooks: CommandHooks = NO_COMMAND_HOOKS,
    ) -> None:
        """Hold the extensions; tools and plugins of `custom` (in Python) come before `sources`, and `mcp` last."""
        self.command_hooks = command_hooks
        self.mcp = mcp or McpServers({}, ServerServices((), Path()))
        self.custom = custom
        self.hooks = NO_HOOKS if custom is None else custom.hooks
        self.command_sources: list[CommandSource] = []
        """Sources of slash commands beside files, settings, skills and the prompts of MCP servers."""
        self._sources = (*(() if custom is None else (custom,)), *sources)

    def commands(self, servers: SessionServers | None = None) -> tuple[Command, ...]:
        """Return the commands of all sources, with the prompts of the settings' servers or of a session's `servers`.

        The former of two commands with the same name stays.
        """
        prompts = PromptCommands(self.mcp.prompts if servers is None else servers.prompts)
        commands = [command for source in (prompts, *self.command_sources) for command in source.commands()]
        return tuple({command.name: command for command in reversed(commands)}.values())[::-1]

    def resources(self, output_directory: Path, servers: SessionServers | None = None) -> "MentionedResources":
        """Return the resources for mentions in prompts, of the settings' servers or of a session's `servers`;
        `output_directory` keeps content other than text.
        """
        from placet.extensions.mcp.offers.mentions import MentionedResources

        source = self.mcp if servers is None else servers
        return MentionedResources(lambda: source.servers, output_directory)

    def follow(self, owners: Sequence[Owner], settings: PluginSettings) -> None:
        """Take over the owners and the settings of tools and plugins."""
        if self.custom is not None:
            self.custom.follow(owners, settings)

    def begin(self) -> None:
        """Note that a session is open, without waiting for anything."""
        if self.custom is not None:
            self.custom.begin()
        self.mcp.begin()

    async def settled(self) -> None:
        """Start tools and plugins in Python, and wait until all are imported, or left out for taking too long."""
        if self.custom is not None:
            self.custom.begin()
            await self.custom.settled()

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        """Call `tell` with each message for users about their tools and plugins, once for each message."""
        if self.custom is not None:
            self.custom.on_trouble(tell)

    async def tools(self, servers: SessionServers | None = None) -> tuple[Tool, ...]:
        """Return the built-in tools and all further tools, with the tools of the settings' servers or of a session's
        `servers`.

        The former of two tools with the same name stays, and the latter is logged.
        """
        tools = {tool.id: tool for tool in BUILTIN}
        for source in (*self._sources, self.mcp if servers is None else servers):
            for tool in await source.tools():
                if tool.id in tools:
                    logger.warning("The tool %s (%s) is ignored: another tool has the same name.", tool.id, tool.source)
                else:
                    tools[tool.id] = tool
        return tuple(tools.values())

    async def close(self) -> None:
        await asyncio.gather(*(source.close() for source in (*self._sources, self.mcp, self.command_hooks)))
