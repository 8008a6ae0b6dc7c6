"""Spans of turns, answers and tool calls, from the events of the work of this process."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field
from opentelemetry import context as contexts
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from placet.core.events import (
    AgentMessageChanged,
    AgentMessageChunk,
    AgentThoughtChunk,
    Retry,
    SessionEvent,
    ToolCall,
    ToolCallUpdate,
    TurnEnded,
    TurnStarted,
    UsageUpdate,
    UserMessageAdded,
)
from placet.core.messages import (
    AssistantMessage,
    JsonObject,
    Tokens,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    ToolRunning,
    UserMessage,
)
from placet.telemetry import conventions as names
from placet.telemetry.content import message as message_attribute
from placet.telemetry.content import shown, text_parts
from placet.telemetry.instruments import Instruments

logger = logging.getLogger(__name__)

Attributes = Mapping[str, str]


class _Open(Struct):
    """Open span. `outer` is the context from before the span, which counts again afterwards."""

    span: Span
    outer: Context
    attributes: Attributes
    began: float
    has_begun_to_answer: bool = False
    texts: list[str] = field(default_factory=list[str])
    """Text of an answer, if contents are wanted."""
    usage: UsageUpdate | None = None
    """Last usage of an answer."""

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


class _Turn(Struct):
    """Running turn of a session, with the open spans."""

    id: str
    opened: _Open
    answers: dict[str, _Open] = field(default_factory=dict[str, _Open])
    calls: dict[str, _Open] = field(default_factory=dict[str, _Open])
    tokens: Tokens = Tokens()
    cost: float = 0.0
    last_text: str = ""


class SessionSpans:
    """Implementation of ports.EventSink for the emitted events of recorders; the telemetry owns the object.

    An event comes in the task of the work in question. The span of the work becomes the current span of
    this task, so that the work's own tasks (subagents, requests to MCP servers, questions) find the span above.
    """

    def __init__(self, tracer: Tracer, instruments: Instruments, *, content: bool) -> None:
        self._tracer = tracer
        self._instruments = instruments
        self._content = content
        self._turns: dict[str, _Turn] = {}
        self._prompts: dict[str, UserMessage] = {}
        """Last prompt of each session."""
        self._take: Mapping[type, Callable[[str, Any], None]] = {
            AgentMessageChunk: self._chunk,
            AgentThoughtChunk: self._chunk,
            AgentMessageChanged: self._answer,
            ToolCall: self._tool_call,
            ToolCallUpdate: self._tool_call,
            UsageUpdate: self._usage,
            Retry: self._retry,
            UserMessageAdded: self._prompt,
            TurnStarted: self._turn_started,
            TurnEnded: self._turn_ended,
        }

    def emit(self, event: SessionEvent) -> None:
        if (take := self._take.get(type(event.update))) is not None:
            try:
                take(event.session_id, event.update)
            except Exception:  # The edge: no fault of the telemetry ends a turn.
                logger.exception("The telemetry lost an event")

    def _prompt(self, session_id: str, update: UserMessageAdded) -> None:
        if update.message.steers is None:
            self._prompts[session_id] = update.message

    def _turn_started(self, session_id: str, update: TurnStarted) -> None:
        prompt = self._prompts.pop(session_id, None)
        if prompt is None or prompt.id != update.turn_id:
            return
        attributes = {
            names.OPERATION: "invoke_agent",
            names.AGENT: prompt.agent,
            names.CONVERSATION: session_id,
            **names.model_attributes(prompt.model),
        }
        opened = self._open(f"invoke_agent {prompt.agent}", SpanKind.INTERNAL, attributes)
        if self._content:
            opened.span.set_attribute(names.INPUT_MESSAGES, message_attribute("user", text_parts(prompt.parts)))
        self._turns[session_id] = _Turn(update.turn_id, opened)

    def _turn_ended(self, session_id: str, update: TurnEnded) -> None:
        turn = self._turns.get(session_id)
        if turn is None or turn.id != update.turn_id:
            return
        del self._turns[session_id]
        for opened in (*turn.calls.values(), *turn.answers.values()):
            self._end(opened, "interrupted")
        span = turn.opened.span
        span.set_attributes(
            {names.STOP_REASON: update.stop_reason, names.COST: turn.cost, **_token_counts(turn.tokens)}
        )
        if self._content and turn.last_text:
            parts = [{"type": "text", "content": turn.last_text}]
            span.set_attribute(names.OUTPUT_MESSAGES, message_attribute("assistant", parts, "stop"))
        error = None
        if update.stop_reason == "error":
            error = "error" if update.error is None else update.error.code
        self._end(turn.opened, error, names.TURN_DURATION)

    def _answer(self, session_id: str, update: AgentMessageChanged) -> None:
        if (turn := self._turns.get(session_id)) is None:
            return
        message = update.message
        opened = turn.answers.get(message.id)
        if opened is None and message.completed is None:
            attributes = {names.OPERATION: "chat", **names.model_attributes(message.model)}
            opened = self._open(f"chat {attributes[names.REQUEST_MODEL]}", SpanKind.CLIENT, attributes)
            opened.span.set_attribute(names.CONVERSATION, session_id)
            turn.answers[message.id] = opened
        elif opened is not None and message.completed is None:
            opened.attributes = {**opened.attributes, **names.model_attributes(message.model)}
            opened.span.set_attributes(opened.attributes)  # Another model took the answer over.
        elif opened is not None:
            del turn.answers[message.id]
            self._end_answer(turn, opened, message)

    def _end_answer(self, turn: _Turn, opened: _Open, message: AssistantMessage) -> None:
        if (usage := opened.usage) is not None:
            opened.span.set_attributes({names.COST: usage.cost, **_token_counts(usage.tokens)})
            self._instruments.spent(usage.tokens, usage.cost, opened.attributes)
            turn.tokens, turn.cost = turn.tokens + usage.tokens, turn.cost + usage.cost
        if message.finish is not None:
            opened.span.set_attribute(names.FINISH_REASONS, (message.finish,))
        if self._content:
            turn.last_text = "".join(opened.texts)
            parts: list[JsonObject] = [{"type": "text", "content": turn.last_text}] if turn.last_text else []
            written = message_attribute("assistant", parts, message.finish or "error")
            opened.span.set_attribute(names.OUTPUT_MESSAGES, written)
        self._end(opened, None if message.error is None else message.error.code, names.OPERATION_DURATION)

    def _chunk(self, session_id: str, update: AgentMessageChunk | AgentThoughtChunk) -> None:
        turn = self._turns.get(session_id)
        opened = None if turn is None else turn.answers.get(update.message_id)
        if opened is None:
            return
        self._has_begun(opened)
        if self._content and isinstance(update, AgentMessageChunk):
            opened.texts.append(update.text)

    def _has_begun(self, answer: _Open) -> None:
        if not answer.has_begun_to_answer:
            answer.has_begun_to_answer = True
            answer.span.set_attribute(names.FIRST_CHUNK_SECONDS, answer.seconds)

    def _usage(self, session_id: str, update: UsageUpdate) -> None:
        turn = self._turns.get(session_id)
        if turn is not None and (opened := turn.answers.get(update.message_id)) is not None:
            opened.usage = update

    def _retry(self, session_id: str, update: Retry) -> None:
        turn = self._turns.get(session_id)
        if turn is not None and (opened := turn.answers.get(update.message_id)) is not None:
            waited: dict[str, str | int | float] = {
                names.ERROR_TYPE: update.error.code,
                "placet.retry.attempt": update.attempt,
                "placet.retry.wait": update.wait_seconds,
            }
            opened.span.add_event("placet.retry", waited)

    def _tool_call(self, session_id: str, update: ToolCall | ToolCallUpdate) -> None:
        if (turn := self._turns.get(session_id)) is None:
            return
        part = update.part
        opened = turn.calls.get(part.id)
        if opened is None:
            if (answer := turn.answers.get(update.message_id)) is not None:
                self._has_begun(answer)
            if isinstance(part.state, ToolRunning):
                turn.calls[part.id] = self._open_call(part)
        elif isinstance(part.state, ToolCompleted | ToolFailed):
            del turn.calls[part.id]
            self._end_call(opened, part.state)

    def _open_call(self, part: ToolPart) -> _Open:
        attributes = {names.OPERATION: "execute_tool", names.TOOL: part.tool}
        opened = self._open(f"execute_tool {part.tool}", SpanKind.INTERNAL, attributes)
        opened.span.set_attributes({names.TOOL_CALL: part.call_id, names.TOOL_TYPE: "function"})
        return opened

    def _end_call(self, opened: _Open, state: ToolCompleted | ToolFailed) -> None:
        if self._content:
            result = state.output if isinstance(state, ToolCompleted) else state.error
            opened.span.set_attributes({names.TOOL_ARGUMENTS: shown(state.input), names.TOOL_RESULT: shown(result)})
        self._end(opened, None if isinstance(state, ToolCompleted) else "tool_error", names.TOOL_DURATION)

    def _open(self, name: str, kind: SpanKind, attributes: Attributes) -> _Open:
        outer = contexts.get_current()
        span = self._tracer.start_span(name, outer, kind, attributes)
        contexts.attach(set_span_in_context(span, outer))
        return _Open(span, outer, attributes, time.monotonic())

    def _end(self, opened: _Open, error: str | None, metric: str | None = None) -> None:
        attributes = {name: value for name, value in opened.attributes.items() if name != names.CONVERSATION}
        if error is not None:
            attributes[names.ERROR_TYPE] = error
            opened.span.set_attribute(names.ERROR_TYPE, error)
            opened.span.set_status(Status(StatusCode.ERROR))
        if metric is not None:
            self._instruments.took(metric, opened.seconds, attributes)
        opened.span.end()
        contexts.attach(opened.outer)


def _token_counts(tokens: Tokens) -> dict[str, int]:
    return {
        names.INPUT_TOKENS: tokens.input + tokens.cache_read + tokens.cache_write,
        names.OUTPUT_TOKENS: tokens.output,
        names.CACHE_READ_TOKENS: tokens.cache_read,
        names.CACHE_WRITE_TOKENS: tokens.cache_write,
        names.REASONING_TOKENS: tokens.reasoning,
    }
