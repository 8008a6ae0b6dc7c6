"""Tool calls of an answer: side by side where allowed, in order where necessary, one result each."""

import asyncio
import itertools
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, cast

from placet.agent.turn.answer import ModelAnswer, RequestedCall
from placet.agent.turn.doom_loop import LoopCall
from placet.agent.turn.doom_loop_prompt import approve_of_loops
from placet.agent.turn.turn import Turn
from placet.core.errors import InvalidArguments, Rejected, ToolError, TurnStopped
from placet.core.events import ToolCall, ToolCallUpdate
from placet.core.ids import new_id, now
from placet.core.json.shallow import loads
from placet.core.messages import JsonObject, ToolCompleted, ToolFailed, ToolPart, ToolPending, ToolRunning
from placet.core.user_wait import CURRENT_WAIT, UserWait
from placet.core.values import replace
from placet.core.visible_text import one_line
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import SEARCH, ReadyTool, ToolResult
from placet.tools.framework.registry import ALIASES

Outcome = Literal["done", "rejected"]

SHORTEST_WAIT_MILLISECONDS = 500
"""A shorter wait for the user is not told: a person takes longer, and only whole seconds are shown."""
CANCEL_SECONDS = 0.3
"""Time in which a cancelled call can come to an end before the turn ends without the call."""


async def run_tool_calls(turn: Turn, answer: ModelAnswer) -> Outcome:
    """Run the calls. "rejected": the user rejected a call without a word, and the calls after this call were not run.

    Raises TurnStopped, CancelledError, and our own bugs; the loop then closes the calls left open.
    """
    calls = [LoopCall.of(call.tool, call.raw) for call in answer.calls]
    try:
        refusal = await approve_of_loops(turn, answer, calls)
    except TurnStopped as stop:
        close_unrun(turn, answer, f"This call was not run. {stop.message}")
        raise
    if refusal:
        close_unrun(turn, answer, refusal)
        return "done"
    outcome = await _run_in_groups(turn, answer.message_id, answer.calls)
    if outcome == "rejected":
        close_unrun(turn, answer, "This call was not run, because the user rejected an earlier one.")
    for call, requested in zip(calls, answer.calls, strict=True):
        turn.watch.results(call, _result(turn, answer.message_id, requested))
    turn.command_hooks.raise_if_stopped()
    return outcome


async def _run_in_groups(turn: Turn, message_id: str, calls: Sequence[RequestedCall]) -> Outcome:
    """Run the calls in order, neighbours which may run side by side together; stop at the first rejection."""
    for call in calls:
        _route(turn, call)
    for concurrent, group in itertools.groupby(calls, key=lambda call: _may_run_beside(turn, call)):
        if concurrent:
            if "rejected" in await _run_together(turn, message_id, list(group)):
                return "rejected"
        else:
            for call in group:
                if await _run(turn, message_id, call) == "rejected":
                    return "rejected"
    return "done"


def _route(turn: Turn, call: RequestedCall) -> None:
    """Mend the name of the tool if the name is an alias or has the wrong case; call `invalid` for an unknown name."""
    offered = {name.casefold(): name for name, tool in turn.tools.items() if not tool.hidden}
    asked_name = call.tool.casefold()
    if (name := offered.get(asked_name) or offered.get(ALIASES.get(asked_name, ""))) is not None:
        if call.tool not in offered.values():
            call.tool = name
    elif "invalid" in turn.tools and call.tool != "invalid":  # A model without a form for calls may miswrite a call.
        arguments = {"tool": call.tool, "error": _no_such_tool(turn, call)}
        call.tool, call.pieces = "invalid", [json.dumps(arguments)]


def _no_such_tool(turn: Turn, call: RequestedCall) -> str:
    offered = (name for name, tool in turn.tools.items() if not tool.hidden and not tool.is_searched)
    has_more = any(tool.is_searched for tool in turn.tools.values())
    more = f" Further tools are found by `{SEARCH}`." if has_more else ""
    return f"There is no tool `{call.tool}`. Tools: {', '.join(offered)}.{more}"


def _may_run_beside(turn: Turn, call: RequestedCall) -> bool:
    tool = turn.tools.get(call.tool)
    return tool is not None and tool.concurrent


async def _run_together(turn: Turn, message_id: str, calls: Sequence[RequestedCall]) -> list[Outcome]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_run(turn, message_id, call)) for call in calls]
    return [task.result() for task in tasks]


async def _run(turn: Turn, message_id: str, call: RequestedCall) -> Outcome:
    """Run a call from validated arguments to the call's result."""
    record = _CallRecord(turn, message_id, call)
    CURRENT_WAIT.set(record.wait)  # The call runs in a task of its own.
    try:
        tool = _find_tool(turn, call)
        record.input = _parse(call)
        hook_input = {"tool": call.tool, "sessionID": turn.session_id, "callID": call.call_id}
        if turn.hooks.has("tool.execute.before"):
            from placet.agent.turn.plugin_hooks import arguments_before

            record.input = await arguments_before(turn.hooks, hook_input, record.input)
        record.running()
        context = turn.new_context(
            message_id=message_id, call_id=call.call_id, tool=call.tool, progress=record.progress
        )

        async def call_tools(calls: Sequence[tuple[str, JsonObject]]) -> list[ToolCompleted | ToolFailed]:
            return await _run_within(turn, message_id, call, calls)

        context = replace(context, call_tools=call_tools, model=turn.fallback_chain.current(turn.model).id)
        has_hooks = turn.command_hooks.has("PreToolUse") or turn.command_hooks.has("PostToolUse")
        execute = _execute_between_hooks if has_hooks else _execute
        result = await execute(turn, tool, record, context)
        if turn.hooks.has("tool.execute.after"):
            from placet.agent.turn.plugin_hooks import result_after

            result = await result_after(turn.hooks, {**hook_input, "args": record.input}, result)
    except Rejected as rejection:
        record.failed(
            f"The user rejected this call and said: {rejection.feedback}"
            if rejection.feedback
            else "The user rejected this call.",
            {**rejection.metadata, "failure": "rejected"},
        )
        return "done" if rejection.feedback else "rejected"
    except ToolError as error:
        record.failed(str(error), {} if error.failure is None else {"failure": error.failure})
        return "done"
    record.completed(
        ToolCompleted(
            input=record.input,
            title=one_line(result.title),
            output=result.output,
            metadata=record.with_wait(result.metadata),
            attachments=result.attachments,
            start=record.start,
            end=now(),
        )
    )
    is_rejected = isinstance(result.refusal, Rejected) and not result.refusal.feedback
    return "rejected" if is_rejected else "done"


async def _execute_between_hooks(
    turn: Turn, tool: ReadyTool, record: "_CallRecord", context: ToolContext
) -> ToolResult:
    """Run the tool between the command hooks for PreToolUse and PostToolUse. Raises ToolError for a blocked call."""
    from placet.agent.turn.command_hooks import after_call, before_call, with_texts  # Most users have no hooks.

    hooked = await before_call(turn, tool.id, context.caller.call_id, record.input)
    if hooked.arguments != record.input:
        record.input = hooked.arguments
        record.running()
    try:
        result = await _execute(turn, tool, record, context)
    finally:
        hooked.forget()
    said = await after_call(turn, tool.id, context.caller.call_id, record.input, result)
    return with_texts(result, (*hooked.context, *said))


async def _execute(turn: Turn, tool: ReadyTool, record: "_CallRecord", context: ToolContext) -> ToolResult:
    """Run the tool. Cancelling ends the run soon in any case: a tool which does not stop goes on by itself, unheard."""
    work = asyncio.ensure_future(tool.execute(record.input, context))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        try:
            work.cancel()
            await asyncio.wait((work,), timeout=CANCEL_SECONDS)
        finally:
            record.is_over = True
            if not work.done():
                turn.leave_behind(work)
            elif not work.cancelled():
                work.exception()  # Nobody else asks for the error.
        raise


async def _run_within(
    turn: Turn, message_id: str, outer: RequestedCall, calls: Sequence[tuple[str, JsonObject]]
) -> list[ToolCompleted | ToolFailed]:
    """Run calls which a tool makes, each a part of its own beside the tool's part. Raises Rejected."""
    requested = [
        RequestedCall(new_id("prt"), f"{outer.call_id}_{number}", tool, [json.dumps(arguments)])
        for number, (tool, arguments) in enumerate(calls, start=1)
    ]
    for call in requested:
        part = ToolPart(id=call.part_id, call_id=call.call_id, tool=call.tool, state=ToolPending())
        turn.emit(ToolCall(message_id=message_id, part=part))
    if await _run_in_groups(turn, message_id, requested) == "rejected":
        raise Rejected
    return [_result(turn, message_id, call) for call in requested]


def _result(turn: Turn, message_id: str, call: RequestedCall) -> ToolCompleted | ToolFailed:
    part = turn.transcript.part(message_id, call.part_id)
    assert isinstance(part, ToolPart)
    assert isinstance(part.state, ToolCompleted | ToolFailed)
    return part.state


def _find_tool(turn: Turn, call: RequestedCall) -> ReadyTool:
    tool = turn.tools.get(call.tool)
    if tool is None:
        raise InvalidArguments(_no_such_tool(turn, call))
    return tool


def _parse(call: RequestedCall) -> JsonObject:
    if call.is_cut_off:
        raise InvalidArguments(
            f"This call of {call.tool} was cut off and not run: the answer reached its greatest length. "
            "Write less in one answer: split the work into several smaller calls, one an answer."
        )
    try:
        arguments = loads(call.raw or "{}")
    except ValueError as error:
        raise InvalidArguments(
            f"The arguments of {call.tool} are not valid JSON ({error}). Please send the call again, complete."
        ) from error
    if not isinstance(arguments, dict):
        raise InvalidArguments(f"The arguments of {call.tool} must be a JSON object.")
    _refuse_half_characters(call.tool, cast("JsonObject", arguments))
    return arguments


def _refuse_half_characters(tool: str, arguments: JsonObject) -> None:
    """Raise InvalidArguments for an unpaired surrogate: the character which the model meant is not known."""
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        raise InvalidArguments(
            f"The arguments of {tool} hold half a character, the unpaired surrogate U+{half:04X}, which no file and "
            "no program takes. Send the call again with whole characters; in source code write it as an escape."
        ) from error


def close_unrun(turn: Turn, answer: ModelAnswer, why: str) -> None:
    """Give a result to each call which was not run."""
    message = turn.transcript.message(answer.message_id)
    for part in message.parts:
        if isinstance(part, ToolPart) and part.state.status == "pending":
            moment = now()
            state = ToolFailed(input=part.state.input, error=why, start=moment, end=moment)
            turn.emit(ToolCallUpdate(message_id=message.id, part=part.model_copy(update={"state": state})))


class _CallRecord:
    """Record of a call, which emits the states of the call."""

    def __init__(self, turn: Turn, message_id: str, call: RequestedCall) -> None:
        self._turn = turn
        self._message_id = message_id
        self._call = call
        self._title = ""
        self._metadata: JsonObject = {}
        self.input: JsonObject = {}
        self.start = now()
        self.wait = UserWait(self._answered)
        self.is_over = False
        """True if the turn goes on without the call; later states of the call are not emitted."""

    def running(self) -> None:
        metadata = self.with_wait(self._metadata)
        self._emit(ToolRunning(input=self.input, title=self._title, metadata=metadata, start=self.start))

    def progress(self, title: str | None = None, metadata: JsonObject | None = None) -> None:
        self._title = self._title if title is None else one_line(title)
        self._metadata = self._metadata if metadata is None else metadata
        self.running()

    def _answered(self) -> None:
        """Tell the clients the wait, so that the time from now on counts as work."""
        if self.wait.milliseconds >= SHORTEST_WAIT_MILLISECONDS:
            self.running()

    def with_wait(self, metadata: JsonObject) -> JsonObject:
        """Return the metadata with the milliseconds `waited` for the user, if the call has waited."""
        waited = self.wait.milliseconds
        return {**metadata, "waited": waited} if waited >= SHORTEST_WAIT_MILLISECONDS else metadata

    def completed(self, state: ToolCompleted) -> None:
        self._emit(state)

    def failed(self, error: str, metadata: Mapping[str, Any] = MappingProxyType({})) -> None:
        shown = self.with_wait({**self._metadata, **metadata})
        self._emit(
            ToolFailed(input=self.input, title=self._title, error=error, metadata=shown, start=self.start, end=now())
        )

    def _emit(self, state: ToolRunning | ToolCompleted | ToolFailed) -> None:
        if self.is_over:
            return
        part = ToolPart(id=self._call.part_id, call_id=self._call.call_id, tool=self._call.tool, state=state)
        self._turn.emit(ToolCallUpdate(message_id=self._message_id, part=part))
