"""The table of all handlers of messages from the editor.

A module of handlers is imported for the first message that the module answers: a first prompt needs few modules.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module

from placet.frontends.lsp.handlers.define import Handler
from placet.frontends.lsp.protocol.method_names import NOTIFICATIONS, REQUESTS

_MODULES = REQUESTS | NOTIFICATIONS


class _Handlers(Mapping[str, Handler]):
    """Handlers of all modules, each module imported when one of its handlers is looked up."""

    def __getitem__(self, method: str) -> Handler:
        module = import_module(f"placet.frontends.lsp.handlers.{_MODULES[method]}")
        return next(
            handler for handler in vars(module).values() if isinstance(handler, Handler) and handler.method == method
        )

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


HANDLERS: Mapping[str, Handler] = _Handlers()
"""Handlers by method, in the order in which `initialize` announces the methods."""
