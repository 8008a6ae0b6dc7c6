"""Prompts of an editor: giving, cancelling and completing a prompt, and the signs that the next prompt is coming."""

import asyncio

from lsprotocol.types import MessageType

from placet.core.errors import AtWorkElsewhere, PlacetError
from placet.core.ids import new_id
from placet.frontends.lsp.connection.showing import show_message
from placet.frontends.lsp.handlers.define import HandlerContext, notification, request
from placet.frontends.lsp.protocol.agent_messages import Cancel, DidFocus, DidType, Prompt, PromptResult, Usage
from placet.frontends.lsp.protocol.rpc_errors import request_failed
from placet.project.paths import Workspace


@request("agent/prompt")
async def prompt(context: HandlerContext, params: Prompt) -> PromptResult:
    try:
        session = await context.sessions.load(params.session_id)
        # Placet gives the ids: an id used twice by an editor would move the part's row to another message.
        parts = [part.model_copy(update={"id": new_id("prt")}) for part in params.parts]
        seen = await context.editor_context.parts(params.session_id)
        reapplied = await context.reapplied_hunks.parts(session, Workspace(context.sessions.roots))
        turn = await session.prompt([*parts, *seen, *reapplied], queue=params.queue)
    except asyncio.CancelledError:
        # The request was cancelled before its turn began. A running turn answers for itself.
        return PromptResult(stop_reason="cancelled")
    return PromptResult(
        stop_reason=turn.stop_reason,
        message_id=turn.message_id or None,
        usage=Usage(tokens=turn.tokens, cost=turn.cost),
        error=turn.error,
    )


@notification("agent/cancel")
async def cancel(context: HandlerContext, params: Cancel) -> None:
    await cancel_turn(context, params.session_id)


async def cancel_turn(context: HandlerContext, session_id: str) -> None:
    """End the running turn of a session. Raises JsonRpcException for an unknown session."""
    try:
        await (await context.sessions.load(session_id)).cancel()
    except AtWorkElsewhere as error:
        show_message(context.client, f"Placet: {error}", MessageType.Warning)
    except PlacetError as error:
        raise request_failed(str(error)) from error


@notification("agent/didType")
async def did_type(context: HandlerContext, params: DidType) -> None:
    await context.sessions.warm()


@notification("agent/didFocus")
async def did_focus(context: HandlerContext, params: DidFocus) -> None:
    if context.focus.came_back():
        await context.sessions.warm()
