"""`session/prompt` and `session/cancel`."""

import asyncio
from functools import partial

from placet.agent.commands.template import CommandCall
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.messages import Queue, Tokens, TurnError
from placet.frontends.acp.client_session import ClientSession
from placet.frontends.acp.connection.rpc_errors import failed
from placet.frontends.acp.door import Door
from placet.frontends.acp.handlers.prompt_parts import prompt_parts
from placet.frontends.acp.own_commands import own_call
from placet.frontends.acp.protocol.requests import Prompt, PromptResult, SessionRef, StopReason, TurnUsage
from placet.frontends.acp.protocol.updates import AgentChunk, SessionInfo, Text
from placet.frontends.acp.workspace import Workspace
from placet.project.paths import Workspace as Paths
from placet.sessions.session import TurnResult

CHANGES_WAIT = (
    "Changes wait for your review: `/changes` lists the changes; `/accept` writes and `/reject` drops what is proposed."
)
_LIMITS: dict[str, StopReason] = {
    "cut_off": "max_tokens",
    "context_full": "max_tokens",
    "context_overflow": "max_tokens",
    "cost_cap": "max_turn_requests",
    "doom_loop": "max_turn_requests",
}
"""Stop reasons of turns ended by a limit, by the code of the turn's error."""


async def prompt(door: Door, params: Prompt) -> PromptResult:
    """Run a turn, after the turns asked for before. Raises RpcError for a failed turn, with the reason in words."""
    workspace, opened = door.opened(params.session_id)
    opened.begin_prompt()
    parts = prompt_parts(params.prompt)
    queue: Queue = "steer" if (params.meta or {}).get("placet/queue") == "steer" else "after"
    call = own_call(parts)
    try:
        if call is not None:
            return await _own_command(call, workspace, opened)
        session = await workspace.sessions.show(params.session_id)
        title, is_steering = session.info.title, queue == "steer" and session.running
        result = await session.prompt(parts, queue=queue)
    except asyncio.CancelledError:  # The turn had not begun. A running turn answers for itself.
        session, title, is_steering, result = None, "", False, TurnResult(stop_reason="cancelled")
    if session is None or not result.message_id:
        if door.is_closing and call is None:  # Nobody has taken the words back.
            await (await workspace.sessions.load(params.session_id)).keep(parts)
        return PromptResult("cancelled")
    reason = _stop_reason(result)
    if result.error is not None and reason is not None:
        opened.say(_words(result.error))
    if session.info.title != title:
        opened.show(SessionInfo(title=session.info.title))
    opened.show_options(workspace.options_of(session))
    if not is_steering and session.info.id in await workspace.sessions.with_undecided_changes():
        _answer(opened, f"\n\n{CHANGES_WAIT}")  # Some clients join the messages of a turn.
    opened.updates.flush()
    if reason is None:
        raise failed(result.error or TurnError(code="failed", message="The turn failed."))
    return PromptResult(reason, _usage(result.tokens))


async def _own_command(call: CommandCall, workspace: Workspace, opened: ClientSession) -> PromptResult:
    """Carry out a command of the front end; the words for the user come as a message of the agent."""
    from placet.frontends.acp.commands.run import carried_out  # Most prompts call no command.

    session = await workspace.sessions.load(opened.id)
    ask = partial(workspace.approver.ask, opened.id)
    if call.name == "compact" and not session.running:
        opened.show_all(opened.conversation.begin_compaction())

    def tell(text: str) -> None:
        _answer(opened, text)
        opened.updates.flush()

    try:
        paths = await in_thread(Paths, workspace.roots)
        words = await carried_out(call, session, workspace.sessions, paths, ask, workspace.status, tell)
    except asyncio.CancelledError:
        opened.show_all(opened.conversation.end_compaction("cancelled"))
        raise
    opened.show_all(opened.conversation.end_compaction("failed", words))
    tell(words)
    return PromptResult("end_turn")


def _answer(opened: ClientSession, text: str) -> None:
    """Show words of Placet's own as a message of the agent, which every client shows."""
    opened.show(AgentChunk(Text(text), new_id("msg")))


def cancel(door: Door, params: SessionRef) -> None:
    """Cancel the prompts of the session; without a prompt, nothing happens."""
    if (found := door.find_opened(params.session_id)) is not None:
        found[1].cancel_prompts()


def _stop_reason(result: TurnResult) -> StopReason | None:
    """Return the protocol's word for the end of the turn; None for a failure."""
    match result.stop_reason:
        case "end_turn" | "rejected":
            return "end_turn"
        case "cancelled":
            return "cancelled"
        case "max_steps":
            return "max_turn_requests"
        case "refused":
            return "refusal"
        case "error":
            return None if result.error is None else _LIMITS.get(result.error.code)


def _usage(tokens: Tokens) -> TurnUsage | None:
    """Return the tokens of the turn; None if the model has told none."""
    if not tokens.total:
        return None
    return TurnUsage(
        total_tokens=tokens.total,
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        thought_tokens=tokens.reasoning or None,
        cached_read_tokens=tokens.cache_read or None,
        cached_write_tokens=tokens.cache_write or None,
    )


def _words(error: TurnError) -> str:
    return f"{error.message} {error.hint}".rstrip()
