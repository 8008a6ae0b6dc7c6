"""The tools. What one of your own is written with is here as well: `from placet.tools import tool` (docs/TOOLS.md)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.tools.framework.api import Attachment as Attachment
    from placet.tools.framework.api import BlockingToolContext as BlockingToolContext
    from placet.tools.framework.api import Refused as Refused
    from placet.tools.framework.api import ToolContext as ToolContext
    from placet.tools.framework.api import ToolResult as ToolResult
    from placet.tools.framework.api import tool as tool

_PUBLIC = ("Attachment", "BlockingToolContext", "Refused", "ToolContext", "ToolResult", "tool")


def __getattr__(name: str) -> object:
    """Only who asks for one of them pays for it."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from placet.tools.framework import api

    return getattr(api, name)
