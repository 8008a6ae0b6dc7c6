"""Answer to the protocol part of `initialize`, known before any other module is loaded. wire.py has the rest."""

from placet import __version__
from placet.frontends.lsp.protocol.method_names import NOTIFICATIONS, REQUESTS

PROTOCOL_VERSION = 1

AGENTS = ("build", "plan")
COMMANDS = ("init", "review")
"""Built-in slash commands; `agent/commands` has all commands."""

GENERIC_COMMANDS = (
    "placet.prompt",
    "placet.cancel",
    "placet.undo",
    "placet.redo",
    "placet.permission",
    "placet.answer",
    "placet.hunks",
    "placet.review",
    "placet.changes",
    "placet.decide",
    "placet.agent",
    "placet.model",
    "placet.sessions",
    "placet.login",
    "placet.new",
    "placet.chat",
    "placet.send",
)
"""Commands for `workspace/executeCommand` in an editor without our plugin."""

EXPERIMENTAL = {
    "agent": {
        "protocol": PROTOCOL_VERSION,
        "version": __version__,
        "methods": [*REQUESTS, *NOTIFICATIONS],
        "agents": list(AGENTS),
        "commands": list(COMMANDS),
    }
}
"""Capabilities that Placet adds to LSP's."""
