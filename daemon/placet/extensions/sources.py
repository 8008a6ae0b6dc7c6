"""What a kind of extension has to offer to the house that holds it."""

from collections.abc import Sequence
from typing import Protocol

from placet.tools.define import Tool


class ToolSource(Protocol):
    """Where tools come from beside the built-in ones."""

    async def tools(self) -> Sequence[Tool]:
        """Those that are there now, in a steady order. Never waits for another process and never raises."""
        ...

    async def close(self) -> None:
        """End all that was started."""
        ...
