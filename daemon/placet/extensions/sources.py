"""Interface of an extension to the services."""

from collections.abc import Sequence
from typing import Protocol

from placet.tools.framework.define import Tool


class ToolSource(Protocol):
    """Source of tools beside the built-in tools."""

    async def tools(self) -> Sequence[Tool]:
        """Return the present tools, in a steady order. Never waits for another process and never raises."""
        ...

    async def close(self) -> None:
        """End everything that the source started."""
        ...
