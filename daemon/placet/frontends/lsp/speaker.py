"""Which editor's message is being worked on, where a daemon serves several: what a turn does knows its editor."""

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.frontends.lsp.connection import Connection

SPEAKER: "ContextVar[Connection | None]" = ContextVar("speaker", default=None)
"""Set around the receiving of each message, and so in every task that comes of it."""
