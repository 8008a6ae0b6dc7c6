"""One answer of the model, from its stream to the events of its message."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never, cast

from placet.agent.retry import Again, GiveUp, after_failures
from placet.errors import ModelError
from placet.events import (
    AgentMessageChanged,
    AgentMessageChunk,
    AgentThoughtChunk,
    Retry,
    ToolCall,
    UsageUpdate,
)
from placet.messages import AssistantMessage, Tokens, ToolPart, ToolPending, TurnError, new_id, now
from placet.model.base import (
    CallDelta,
    CallStarted,
    Finished,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ThoughtDelta,
    ToolSpec,
    UsageReport,
)

if TYPE_CHECKING:
    from placet.agent.loop import Turn


@dataclass(slots=True)
class RequestedCall:
    """A tool call as the model wrote it; `raw` is its arguments' JSON."""

    part_id: str
    call_id: str
    tool: str
    pieces: list[str] = field(default_factory=list[str])
    is_cut_off: bool = False
    """The answer reached its greatest length before the call was written out."""

    @property
    def raw(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Answer:
    message_id: str
    calls: tuple[RequestedCall, ...]
    finish: str

    @property
    def is_cut_off(self) -> bool:
        return any(call.is_cut_off for call in self.calls)


async def stream_answer(turn: "Turn") -> Answer:
    """Ask the model, again if it fails before it answers, and emit its answer as it comes.

    Raises ModelError; the message says so as well.
    """
    message = AssistantMessage(parent_id=turn.user.id, agent=turn.agent.name, model=turn.model.id)
    turn.emit(AgentMessageChanged(message=message))
    writer = _Writer(turn, message)
    try:
        finish = await _stream_patiently(turn, writer)
    except ModelError as error:
        writer.end(error=_told(error))
        raise
    writer.end()
    calls = tuple(writer.calls.values())
    if calls and finish == "length":
        calls[-1].is_cut_off = not _is_complete(calls[-1])
    return Answer(message.id, calls, finish)


async def _stream_patiently(turn: "Turn", writer: "_Writer") -> str:
    """Stream the answer, making the call again as retry.py has it; the reason it finished. Raises ModelError."""
    request = _request(turn)
    failures: list[ModelError] = []
    while True:
        try:
            return await _stream(turn, request, writer)
        except ModelError as error:
            failures.append(error)
        match after_failures(failures, longest_wait_seconds=turn.max_retry_wait_seconds):
            case GiveUp(error=error):
                raise error from failures[-1]
            case Again(wait_seconds=seconds):
                writer.note_retry(len(failures), seconds, failures[-1])
                await asyncio.sleep(seconds)


async def _stream(turn: "Turn", request: ModelRequest, writer: "_Writer") -> str:
    stream = cast("AsyncGenerator[ModelEvent, None]", turn.model.stream(request))
    async with aclosing(stream):
        async for event in stream:
            writer.take(event)
    if writer.finish is None:
        raise ModelError("interrupted", "The model's answer broke off.", before_first_delta=False)
    return writer.finish


def _is_complete(call: RequestedCall) -> bool:
    try:
        json.loads(call.raw)
    except ValueError:
        return False
    return True


def _told(error: ModelError) -> TurnError:
    return TurnError(code=error.code, message=error.message, hint=error.hint)


def _request(turn: "Turn") -> ModelRequest:
    history = turn.transcript.messages
    return ModelRequest(
        system=turn.system,
        messages=history[:-1],  # The last is the empty answer that was just begun.
        tools=tuple(
            ToolSpec(tool.id, tool.description, tool.schema) for tool in turn.tools.values() if not tool.hidden
        ),
        session_id=turn.session_id,
        temperature=turn.temperature,
        max_output_tokens=turn.max_output_tokens,
    )


class _Writer:
    """Turns model events into the events of one message; a change of kind opens a new part."""

    def __init__(self, turn: "Turn", message: AssistantMessage) -> None:
        self._turn = turn
        self._message = message
        self._part_id = ""
        self._part_kind = ""
        self._offset = 0
        self._spent, self._spent_cost = Tokens(), 0.0
        self.calls: dict[str, RequestedCall] = {}
        self.finish: str | None = None

    def take(self, event: ModelEvent) -> None:
        match event:
            case TextDelta(text=text):
                if text:
                    part_id, offset = self._place("text", len(text))
                    chunk = AgentMessageChunk(message_id=self._message.id, part_id=part_id, offset=offset, text=text)
                    self._turn.emit(chunk)
            case ThoughtDelta(text=text, signature=signature, redacted=redacted):
                part_id, offset = self._place("thought", len(text))
                self._turn.emit(
                    AgentThoughtChunk(
                        message_id=self._message.id,
                        part_id=part_id,
                        offset=offset,
                        text=text,
                        signature=signature,
                        redacted=redacted,
                    )
                )
                if signature is not None or redacted is not None:
                    self._part_kind = ""  # The block is sealed: what follows is another.
            case CallStarted(call_id=call_id, name=name):
                self._part_kind = ""
                call = self.calls[call_id] = RequestedCall(new_id("prt"), call_id, name)
                part = ToolPart(id=call.part_id, call_id=call_id, tool=name, state=ToolPending())
                self._turn.emit(ToolCall(message_id=self._message.id, part=part))
            case CallDelta(call_id=call_id, text=text):
                self.calls[call_id].pieces.append(text)
            case UsageReport(tokens=tokens, cost=cost):
                spent = {"tokens": self._spent + tokens, "cost": self._spent_cost + cost}
                self._message = self._message.model_copy(update=spent)
                self._turn.emit(
                    UsageUpdate(
                        message_id=self._message.id,
                        tokens=self._message.tokens,
                        cost=self._message.cost,
                        context_used=tokens.total,
                        context_size=self._turn.model.context_size,
                    )
                )
            case Finished(reason=reason):
                self.finish = reason
            case _:
                assert_never(event)

    def note_retry(self, attempt: int, wait_seconds: float, error: ModelError) -> None:
        """The call will be made again; what it has cost so far is kept."""
        self._spent, self._spent_cost = self._message.tokens, self._message.cost
        again = Retry(message_id=self._message.id, attempt=attempt, wait_seconds=wait_seconds, error=_told(error))
        self._turn.emit(again)

    def end(self, error: TurnError | None = None) -> None:
        ended = {"completed": now(), "finish": self.finish, "error": error}
        self._turn.emit(AgentMessageChanged(message=self._message.model_copy(update=ended)))

    def _place(self, kind: str, length: int) -> tuple[str, int]:
        """The part that text of this kind goes to, and where in it."""
        if kind != self._part_kind:
            self._part_kind, self._part_id, self._offset = kind, new_id("prt"), 0
        offset = self._offset
        self._offset += length
        return self._part_id, offset
