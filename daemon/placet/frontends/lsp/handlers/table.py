"""The table of all handlers of messages from the editor.

A module of handlers is imported for the first message that the module answers: a first prompt needs few modules.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module

from placet.frontends.lsp.handlers.define import Handler
from placet.frontends.lsp.protocol.methods import NOTIFICATIONS, REQUESTS

_METHODS = {
    "auth": ("agent/auth/methods", "agent/auth/login"),
    "catalog": ("agent/agents", "agent/commands", "agent/tools"),
    "changes": ("agent/changes", "agent/undo", "agent/redo", "agent/didPutIn", "agent/commitMessage"),
    "completion": ("agent/complete",),
    "mcp": ("agent/mcp",),
    "models": ("agent/models",),
    "permissions": (
        "agent/permission/pending",
        "agent/permission/rules",
        "agent/permission/explain",
        "agent/permission/revoke",
        "agent/didChangeTrust",
    ),
    "prompts": ("agent/prompt", "agent/cancel", "agent/didType", "agent/didFocus"),
    "sessions": (
        "agent/session/new",
        "agent/session/list",
        "agent/session/load",
        "agent/session/fork",
        "agent/session/export",
        "agent/session/import",
        "agent/session/rename",
        "agent/session/delete",
        "agent/session/compact",
        "agent/session/summarize",
        "agent/session/setAgent",
        "agent/session/setModel",
    ),
    "status": ("agent/status",),
}
"""Methods by the module of this package that answers the methods."""


class _Handlers(Mapping[str, Handler]):
    """Handlers of all modules, each module imported when one of its handlers is looked up."""

    def __init__(self) -> None:
        self._modules = {method: module for module, methods in _METHODS.items() for method in methods}

    def __getitem__(self, method: str) -> Handler:
        module = import_module(f"placet.frontends.lsp.handlers.{self._modules[method]}")
        return next(
            handler for handler in vars(module).values() if isinstance(handler, Handler) and handler.method == method
        )

    def __iter__(self) -> Iterator[str]:
        return iter((*REQUESTS, *NOTIFICATIONS))

    def __len__(self) -> int:
        return len(self._modules)


HANDLERS: Mapping[str, Handler] = _Handlers()
"""Handlers by method, in the order in which `initialize` announces the methods."""
