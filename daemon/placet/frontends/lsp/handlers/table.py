"""The table of all handlers of messages from the editor."""

from collections.abc import Mapping

from placet.frontends.lsp.handlers import auth, catalog, changes, mcp, models, permissions, prompts, sessions, status
from placet.frontends.lsp.handlers.define import Handler
from placet.frontends.lsp.protocol.methods import NOTIFICATIONS, REQUESTS

_DECLARED = {
    declared.method: declared
    for module in (auth, catalog, changes, mcp, models, permissions, prompts, sessions, status)
    for declared in vars(module).values()
    if isinstance(declared, Handler)
}

HANDLERS: Mapping[str, Handler] = {method: _DECLARED[method] for method in (*REQUESTS, *NOTIFICATIONS)}
"""Handlers by method, in the order in which `initialize` announces the methods."""
