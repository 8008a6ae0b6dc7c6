"""The editor whose message is being worked on, where a daemon serves several: a turn's work knows its editor."""

from contextvars import ContextVar

from placet.frontends.lsp.connection.connection import Connection

CURRENT_EDITOR: ContextVar[Connection | None] = ContextVar("current_editor", default=None)
"""Connection set around the receiving of each message, and so in every task begun by the message."""
