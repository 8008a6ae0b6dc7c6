"""Points in a turn at which command hooks run: before and after a call, at the end of the turn, before a summary."""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from placet.agent.turn.turn import Turn
from placet.core.errors import ToolError
from placet.core.events import UserMessageAdded
from placet.core.messages import AssistantMessage, JsonObject, TextPart, UserMessage
from placet.core.values import replace
from placet.extensions.command_hooks.tool_names import arguments_from, hook_tool, response_of
from placet.tools.framework.define import ToolResult


def _nothing() -> None:
    pass


class HookedCall(Struct, frozen=True):
    """Call after the hooks before the call."""

    arguments: JsonObject
    context: tuple[str, ...] = ()
    """Texts of the hooks for the model, beside the result."""
    forget: Callable[[], None] = _nothing
    """Function to call at the end of the call: the hooks' decision about permissions ends."""


async def before_call(turn: Turn, tool: str, call_id: str, arguments: JsonObject) -> HookedCall:
    """Run the hooks for PreToolUse. Raises ToolError if a hook blocks the call, with the reason for the model."""
    hooks = turn.command_hooks
    if not hooks.has("PreToolUse"):
        return HookedCall(arguments)
    call = hook_tool(tool, arguments, hooks.directory, hooks.servers())
    fields: JsonObject = {"tool_name": call.names[0], "tool_input": call.input, "tool_use_id": call_id}
    outcome = await hooks.run("PreToolUse", fields, call.names)
    if outcome.block or outcome.stop is not None:
        reason = outcome.block or outcome.stop
        raise ToolError(f"A hook of the user blocked this call of {tool}: {reason}")
    if outcome.updated_input is not None:
        arguments = arguments_from(tool, outcome.updated_input, arguments)
    forget = _nothing
    if outcome.decision in ("allow", "ask"):
        forget = hooks.all.decide(turn.session_id, call_id, outcome.decision)
    return HookedCall(arguments, outcome.context, forget)


async def after_call(turn: Turn, tool: str, call_id: str, arguments: JsonObject, result: ToolResult) -> tuple[str, ...]:
    """Run the hooks for PostToolUse, and return their texts for the model."""
    hooks = turn.command_hooks
    if not hooks.has("PostToolUse"):
        return ()
    call = hook_tool(tool, arguments, hooks.directory, hooks.servers())
    fields: JsonObject = {
        "tool_name": call.names[0],
        "tool_input": call.input,
        "tool_response": response_of(tool, call, result.title, result.output, result.metadata),
        "tool_use_id": call_id,
    }
    outcome = await hooks.run("PostToolUse", fields, call.names)
    said = (f"A hook of the user says about this call: {outcome.block}",) if outcome.block else ()
    return (*said, *outcome.context)


def with_texts(result: ToolResult, texts: Sequence[str]) -> ToolResult:
    """Return the result with texts of hooks behind the output."""
    added = "".join(f"\n\n<hook>\n{text}\n</hook>" for text in texts)
    return replace(result, output=result.output + added)


async def goes_on(turn: Turn, *, is_again: bool) -> bool:
    """Run the hooks for Stop or SubagentStop; return whether the model is to go on, told why by a message.

    `is_again`: a hook has already made the model go on in this turn, which hooks are told. Raises TurnStopped.
    """
    hooks = turn.command_hooks
    answer = next((one for one in reversed(turn.transcript.messages) if isinstance(one, AssistantMessage)), None)
    texts = () if answer is None else tuple(part.text for part in answer.parts if isinstance(part, TextPart))
    fields: JsonObject = {"stop_hook_active": is_again, "last_assistant_message": "\n".join(texts)}
    if hooks.end_event == "SubagentStop":
        fields |= {"agent_id": turn.session_id, "agent_type": turn.agent.name}
    outcome = await hooks.run(hooks.end_event, fields, (turn.agent.name,))
    hooks.raise_if_stopped()
    if not outcome.block:
        return False
    text = f"A hook of the user does not let you stop yet: {outcome.block}"
    part = TextPart(text=text, synthetic=True)
    turn.emit(UserMessageAdded(message=UserMessage(steers=turn.user.id, parts=(part,))))
    return True


async def before_summary(turn: Turn, trigger: Literal["auto", "manual"]) -> None:
    """Run the hooks for PreCompact. Raises TurnStopped."""
    await turn.command_hooks.run("PreCompact", {"trigger": trigger, "custom_instructions": ""}, (trigger,))
    turn.command_hooks.raise_if_stopped()
