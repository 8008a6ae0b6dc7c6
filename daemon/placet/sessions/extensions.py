"""All that extends one house, held together: asked when a turn begins, told of a new setup, ended with the house."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from placet.extensions.commands import Command, CommandSource
from placet.extensions.custom import CustomExtensions
from placet.extensions.hooks import NO_HOOKS
from placet.extensions.mcp.mentions import MentionedResources
from placet.extensions.mcp.servers import McpServers
from placet.extensions.mcp.surroundings import Surroundings
from placet.extensions.sources import ToolSource
from placet.tools.define import Tool
from placet.tools.registry import BUILTIN

logger = logging.getLogger(__name__)


class Extensions:
    def __init__(
        self,
        sources: Sequence[ToolSource] = (),
        custom: CustomExtensions | None = None,
        mcp: McpServers | None = None,
    ) -> None:
        """`custom`: tools and plugins in Python, which come before the other sources; `mcp` after them."""
        self.mcp = mcp or McpServers({}, Surroundings((), Path()))
        self.custom = custom
        self.hooks = NO_HOOKS if custom is None else custom.hooks
        self.command_sources: list[CommandSource] = []
        """Where slash commands come from beside files, settings and skills."""
        self._sources = (*(() if custom is None else (custom,)), *sources, self.mcp)

    def commands(self) -> tuple[Command, ...]:
        """The commands of all sources; of two of one name the former stays."""
        found = [command for source in self.command_sources for command in source.commands()]
        return tuple({command.name: command for command in reversed(found)}.values())[::-1]

    def resources(self, output_directory: Path) -> MentionedResources:
        """What prompts may point at; `output_directory` is where what is no text is kept."""
        return MentionedResources(lambda: self.mcp.servers, output_directory)

    def begin(self) -> None:
        """A session is there. Nothing is waited for."""
        if self.custom is not None:
            self.custom.begin()
        self.mcp.begin()

    async def settled(self) -> None:
        """Until tools and plugins in Python are imported, or left out for taking too long."""
        if self.custom is not None:
            await self.custom.settled()

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        """Have what users should know of their tools and plugins told to `tell`, each thing once."""
        if self.custom is not None:
            self.custom.listeners.append(tell)

    async def tools(self) -> tuple[Tool, ...]:
        """The built-in tools and all others. Of two of one name the former stays, and the other is logged."""
        tools = {tool.id: tool for tool in BUILTIN}
        for source in self._sources:
            for tool in await source.tools():
                if tool.id in tools:
                    logger.warning("The tool %s (%s) is left out: there is one of that name.", tool.id, tool.source)
                else:
                    tools[tool.id] = tool
        return tuple(tools.values())

    async def close(self) -> None:
        await asyncio.gather(*(source.close() for source in self._sources))
