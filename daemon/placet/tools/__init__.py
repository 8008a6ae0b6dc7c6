"""The built-in tools, and the API for tools of the user: `from placet.tools import tool` (docs/TOOLS.md)."""

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
    """Import a name on first use, so that only its users pay for the import."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from placet.tools.framework import api

    return getattr(api, name)
