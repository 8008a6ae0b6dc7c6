"""All that extends one house, held together: asked when a turn begins, told of a new setup, ended with the house."""

import asyncio
import logging
from collections.abc import Sequence

from placet.extensions.sources import ToolSource
from placet.tools.define import Tool
from placet.tools.registry import BUILTIN

logger = logging.getLogger(__name__)


class Extensions:
    def __init__(self, sources: Sequence[ToolSource] = ()) -> None:
        self._sources = tuple(sources)

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
