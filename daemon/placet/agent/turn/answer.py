"""Answer of the model, from the model's stream to the events of a single message."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import assert_never

from msgspec import Struct, field

from placet.agent.context.history import model_history
from placet.agent.context.offered_tools import offered_tools
from placet.agent.turn.attempts import with_retries
from placet.agent.turn.fallback import fallback_notice
from placet.agent.turn.repetition import RepetitionWatch
from placet.agent.turn.turn import Turn
from placet.core.errors import ModelError, TurnStopped
from placet.core.events import (
    AgentMessageChanged,
    AgentMessageChunk,
    AgentThoughtChunk,
    Notice,
    Retry,
    ToolCall,
    ToolCallUpdate,
    UsageUpdate,
)
from placet.core.ids import new_id, now
from placet.core.json.shallow import loads
from placet.core.messages import (
    AssistantMessage,
    Message,
    TextPart,
    Tokens,
    ToolPart,
    ToolPending,
    TurnError,
    whole_characters,
)
from placet.model.base import (
    CallDelta,
    CallStarted,
    Finished,
    Model,
    ModelEvent,
    ModelRequest,
    Remark,
    TextDelta,
    ThoughtDelta,
    UsageReport,
)

FIRST_SHOWN = 256
"""Characters of unfinished arguments that are shown for the first time; again at each doubling."""
LAST_SHOWN = 4096


class RequestedCall(Struct):
    """Tool call as the model wrote the call; `raw` is the JSON of the arguments."""

    part_id: str
    call_id: str
    tool: str
    pieces: list[str] = field(default_factory=list[str])
    is_cut_off: bool = False
    """True if the answer reached the greatest length before the call was written out."""
    length: int = 0
    show_at: int = FIRST_SHOWN
    """Number of characters from which on the unfinished arguments are shown next."""

    @property
    def raw(self) -> str:
        return "".join(self.pieces)

    def add(self, piece: str) -> None:
        self.pieces.append(piece)
        self.length += len(piece)

    def is_to_be_shown(self) -> bool:
        """Return whether the arguments have grown enough to be shown anew; only the first few thousand are."""
        if not self.show_at <= self.length or self.show_at > LAST_SHOWN:
            return False
        while self.show_at <= self.length:
            self.show_at *= 2
        return True


class ModelAnswer(Struct, frozen=True):
    message_id: str
    calls: tuple[RequestedCall, ...]
    finish: str

    @property
    def is_cut_off(self) -> bool:
        return any(call.is_cut_off for call in self.calls)


async def stream_answer(turn: Turn, *, reminders: Sequence[Message] = ()) -> ModelAnswer:
    """Ask the model, again if the model fails before answering, and emit the answer as the answer comes.

    `reminders` are said to the model last, and are no part of the conversation. Raises ModelError, TurnStopped; the
    message holds the error as well.
    """
    model = turn.fallback_chain.current(turn.model)
    message = AssistantMessage(parent_id=turn.user.id, agent=turn.agent.name, model=model.id)
    turn.emit(AgentMessageChanged(message=message))
    writer = _Writer(turn, message, model)
    try:
        request = await _request_after_plugins(turn, _request(turn, reminders))
        finish = await _stream_by_someone(turn, request, writer)
    except (ModelError, TurnStopped) as error:
        writer.end(error=_turn_error(error))
        raise
    if turn.hooks.has("experimental.text.complete"):
        await writer.complete_texts()
    writer.end()
    calls = tuple(writer.calls.values())
    if calls and finish == "length":
        calls[-1].is_cut_off = not _is_complete(calls[-1])
    return ModelAnswer(message.id, calls, finish)


async def _request_after_plugins(turn: Turn, request: ModelRequest) -> ModelRequest:
    if not turn.hooks.plugins:
        return request
    from placet.agent.turn.plugin_hooks import request_after_plugins  # Most users have no plugins.

    return await request_after_plugins(turn, request)


async def _stream_by_someone(turn: Turn, request: ModelRequest, writer: "_Writer") -> str:
    """Ask the model, again where a retry may help, or ask a substitute which the user has named."""
    while True:
        try:
            return await with_retries(
                lambda: _stream(turn, request, writer),
                longest_wait_seconds=turn.max_retry_wait_seconds,
                on_retry=writer.note_retry,
            )
        except ModelError as error:
            substitute = turn.fallback_chain.after(error, writer.model)
            if substitute is None:
                raise
            writer.hand_over(substitute, error)


async def _stream(turn: Turn, request: ModelRequest, writer: "_Writer") -> str:
    async with aclosing(turn.meter(writer.model.stream(request))) as stream:
        has_begun = False
        async for event in stream:
            if not has_begun:
                has_begun = True
                turn.on_answer()
            writer.take(event)
    if writer.finish is None:
        raise ModelError("interrupted", "The model's answer broke off.", before_first_delta=False)
    return writer.finish


def _is_complete(call: RequestedCall) -> bool:
    try:
        loads(call.raw)
    except ValueError:
        return False
    return True


def _turn_error(error: ModelError | TurnStopped) -> TurnError:
    return TurnError(code=error.code, message=error.message, hint=error.hint)


def _request(turn: Turn, reminders: Sequence[Message]) -> ModelRequest:
    history = model_history(turn.transcript.messages[:-1])  # The last message is the empty answer just begun.
    return ModelRequest(
        system=turn.system,
        messages=history + tuple(reminders),
        tools=offered_tools(turn.tools, turn.transcript.messages),
        session_id=turn.session_id,
        temperature=turn.temperature,
        max_output_tokens=turn.max_output_tokens,
        effort=turn.effort,
    )


class _Writer:
    """Writer which turns model events into the events of a single message; a change of kind opens a new part."""

    def __init__(self, turn: Turn, message: AssistantMessage, model: Model) -> None:
        self._turn = turn
        self.model = model
        """Model which answers."""
        self._message = message
        self._part_id = ""
        self._part_kind = ""
        self._offset = 0
        self._spent, self._spent_cost = Tokens(), 0.0
        self._repetition = RepetitionWatch()
        self.calls: dict[str, RequestedCall] = {}
        self.finish: str | None = None

    def take(self, event: ModelEvent) -> None:
        match event:
            case TextDelta(text=written):
                if text := whole_characters(written):
                    part_id, offset = self._place("text", len(text))
                    chunk = AgentMessageChunk(message_id=self._message.id, part_id=part_id, offset=offset, text=text)
                    self._turn.emit(chunk)
                    self._repetition.take(text)
            case ThoughtDelta(text=written, signature=signature, redacted=redacted):
                text = whole_characters(written)
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
                    self._part_kind = ""  # The block is sealed: a later piece begins another block.
                self._repetition.take(text)
            case CallStarted(call_id=call_id, name=written):
                self._part_kind, name = "", whole_characters(written)
                call = self.calls[call_id] = RequestedCall(new_id("prt"), call_id, name)
                part = ToolPart(id=call.part_id, call_id=call_id, tool=name, state=ToolPending())
                self._turn.emit(ToolCall(message_id=self._message.id, part=part))
            case CallDelta(call_id=call_id, text=text):
                call = self.calls[call_id]
                if call.is_to_be_shown():  # Only now, because the piece before may have been the last.
                    state = ToolPending(raw=whole_characters(call.raw))
                    part = ToolPart(id=call.part_id, call_id=call_id, tool=call.tool, state=state)
                    self._turn.emit(ToolCallUpdate(message_id=self._message.id, part=part))
                call.add(text)
            case Remark(code=code, message=message, hint=hint):
                self.notice(code, message, hint)
            case UsageReport(tokens=tokens, cost=cost, is_covered=is_covered):
                spent = {"tokens": self._spent + tokens, "cost": self._spent_cost + cost}
                self._message = self._message.model_copy(update=spent)
                self._turn.emit(
                    UsageUpdate(
                        message_id=self._message.id,
                        tokens=self._message.tokens,
                        cost=self._message.cost,
                        context_used=tokens.total,
                        context_size=self.model.context_size,
                        subscription=is_covered or None,
                    )
                )
            case Finished(reason=reason):
                self.finish = reason
            case _:
                assert_never(event)

    def note_retry(self, attempt: int, wait_seconds: float, error: ModelError) -> None:
        """Note the coming retry of the call; the cost so far is kept."""
        self._spent, self._spent_cost = self._message.tokens, self._message.cost
        again = Retry(message_id=self._message.id, attempt=attempt, wait_seconds=wait_seconds, error=_turn_error(error))
        self._turn.emit(again)

    def hand_over(self, model: Model, error: ModelError) -> None:
        """Hand the message over to another model; nothing of the message was seen yet."""
        self._spent, self._spent_cost = self._message.tokens, self._message.cost
        self._turn.emit(fallback_notice(self._turn.user.id, self.model, model, error))
        self.model, self.finish = model, None
        self._message = self._message.model_copy(update={"model": model.id})
        self._turn.emit(AgentMessageChanged(message=self._message))

    def notice(self, code: str, message: str, hint: str) -> None:
        self._turn.emit(Notice(turn_id=self._turn.user.id, code=code, message=message, hint=hint))

    def end(self, error: TurnError | None = None) -> None:
        ended = {"completed": now(), "finish": self.finish, "error": error}
        self._turn.emit(AgentMessageChanged(message=self._message.model_copy(update=ended)))

    async def complete_texts(self) -> None:
        """Give plugins the last word on each text."""
        from placet.agent.turn.plugin_hooks import completed_text

        message = self._turn.transcript.message(self._message.id)
        for part in message.parts:
            if isinstance(part, TextPart) and part.text:
                text = await completed_text(self._turn, message.id, part.id, part.text)
                if text != part.text:
                    chunk = AgentMessageChunk(message_id=message.id, part_id=part.id, offset=0, text=text)
                    self._turn.emit(chunk)

    def _place(self, kind: str, length: int) -> tuple[str, int]:
        """Return the id of the part to which text of this kind goes, and the offset in the part."""
        if kind != self._part_kind:
            self._part_kind, self._part_id, self._offset = kind, new_id("prt"), 0
        offset = self._offset
        self._offset += length
        return self._part_id, offset
