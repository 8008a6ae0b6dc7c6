"""Declaration of a handler: the method, the models of the message and the function in one place."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_type_hints

from placet.core.messages import Value
from placet.frontends.lsp.asks.approver import LspApprover
from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.editor_client import EditorClient
from placet.frontends.lsp.handlers.editor_context import EditorContext
from placet.frontends.lsp.handlers.focus import Focus
from placet.frontends.lsp.handlers.inline_completion import InlineCompletion
from placet.frontends.lsp.handlers.reapplied_hunks import ReappliedHunks
from placet.frontends.lsp.protocol.wire import Message
from placet.sessions.registry import Sessions


@dataclass(frozen=True, slots=True)
class HandlerContext:
    """The parts that handlers work with, made once for each connected editor."""

    sessions: Sessions
    client: EditorClient
    approver: LspApprover
    buffers: BufferStore
    editor_context: EditorContext
    inline_completion: InlineCompletion
    reapplied_hunks: ReappliedHunks = field(default_factory=ReappliedHunks)
    focus: Focus = field(default_factory=Focus)


@dataclass(frozen=True, slots=True)
class Handler:
    """Handler of one method, made by `request` or `notification` and held by table.py."""

    method: str
    message: Message
    run: Callable[[HandlerContext, Any], Awaitable[Value | None]]
    """Function called with params of the message's model. Raises PlacetError for the user to read."""


P = TypeVar("P", bound=Value)


def request(method: str) -> Callable[[Callable[[HandlerContext, P], Awaitable[Value | None]]], Handler]:
    """Declare a function as the handler of a request.

    The signature names the models: the parameter `params`, and the result, which is None for an answer of null.
    """

    def declare(run: Callable[[HandlerContext, P], Awaitable[Value | None]]) -> Handler:
        hints = get_type_hints(run)
        result = hints["return"]
        return Handler(method, Message(hints["params"], None if result is type(None) else result), run)

    return declare


def notification(method: str) -> Callable[[Callable[[HandlerContext, P], Awaitable[None]]], Handler]:
    """Declare a function as the handler of a notification, whose model is the parameter `params`."""

    def declare(run: Callable[[HandlerContext, P], Awaitable[None]]) -> Handler:
        return Handler(method, Message(get_type_hints(run)["params"], kind="notification"), run)

    return declare
