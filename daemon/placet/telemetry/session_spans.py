"""Spans of turns, answers and tool calls, from the events of the work of this process."""

import json
import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct, field
from opentelemetry.sdk.trace import Event
from opentelemetry.trace import SpanKind

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
    Part,
    TextPart,
    Tokens,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    ToolRunning,
    UserMessage,
)
from placet.project.processes.environment import SECRET_SHAPES
from placet.telemetry import conventions as names
from placet.telemetry.instruments import Instruments
from placet.telemetry.spans import Attribute, OpenSpan, Spans

logger = logging.getLogger(__name__)

Attributes = Mapping[str, str]
_SECRETS = re.compile("|".join(SECRET_SHAPES))
LONGEST_CHARACTERS = 32_000
"""Largest size of an attribute; collectors reject larger spans as a whole."""


class _Open(Struct):
    """Open span of the work of a session, with the attributes of its measurements."""

    span: OpenSpan
    measured: Attributes
    began: float
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
    spent: list[UsageUpdate] = field(default_factory=list[UsageUpdate])
    """Last usage of each ended answer."""
    last_text: str = ""


class SessionSpans:
    """Implementation of ports.EventSink for the emitted events of recorders; the telemetry owns the object.

    An event comes in the task of the work in question. The span of the work becomes the current span of
    this task, so that the work's own tasks (subagents, requests to MCP servers, questions) find the span above.
    """

    def __init__(self, spans: Spans, instruments: Instruments, *, content: bool) -> None:
        self._spans = spans
        self._instruments = instruments
        self._content = content
        self._turns: dict[str, _Turn] = {}
        self._prompts: dict[str, UserMessage] = {}
        """Last prompt of each session."""
        self._silent: set[str] = set()
        """Messages without a first piece. A later piece costs a look at this set alone."""
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
        model = names.model_attributes(prompt.model)
        measured = {names.OPERATION: "invoke_agent", names.AGENT: prompt.agent, **model}
        opened = self._open(f"invoke_agent {prompt.agent}", SpanKind.INTERNAL, measured)
        opened.span.attributes[names.CONVERSATION] = session_id
        if self._content:
            opened.span.attributes[names.INPUT_MESSAGES] = _message_attribute("user", _text_parts(prompt.parts))
        self._turns[session_id] = _Turn(update.turn_id, opened)

    def _turn_ended(self, session_id: str, update: TurnEnded) -> None:
        turn = self._turns.get(session_id)
        if turn is None or turn.id != update.turn_id:
            return
        del self._turns[session_id]
        self._silent -= turn.answers.keys()
        for opened in (*turn.calls.values(), *turn.answers.values()):
            self._end(opened, "interrupted")
        attributes = turn.opened.span.attributes
        attributes |= {names.STOP_REASON: update.stop_reason, names.COST: sum(usage.cost for usage in turn.spent)}
        _count(sum((usage.tokens for usage in turn.spent), Tokens()), attributes)
        if self._content and turn.last_text:
            parts: list[JsonObject] = [{"type": "text", "content": turn.last_text}]
            attributes[names.OUTPUT_MESSAGES] = _message_attribute("assistant", parts, "stop")
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
            opened = self._open(*_chat(message.model), turn)
            opened.span.attributes[names.CONVERSATION] = session_id
            turn.answers[message.id] = opened
            self._silent.add(message.id)
        elif opened is not None and message.completed is None:
            # Another model took the answer over.
            _, _, opened.measured = _chat(message.model)
            opened.span.attributes |= opened.measured
        elif opened is not None:
            del turn.answers[message.id]
            self._silent.discard(message.id)
            self._end_answer(turn, opened, message)

    def _end_answer(self, turn: _Turn, opened: _Open, message: AssistantMessage) -> None:
        attributes = opened.span.attributes
        if (usage := opened.usage) is not None:
            attributes[names.COST] = usage.cost
            _count(usage.tokens, attributes)
            self._instruments.spent(usage.tokens, usage.cost, opened.measured)
            turn.spent.append(usage)
        if message.finish is not None:
            attributes[names.FINISH_REASONS] = (message.finish,)
        if self._content:
            turn.last_text = "".join(opened.texts)
            parts: list[JsonObject] = [{"type": "text", "content": turn.last_text}] if turn.last_text else []
            attributes[names.OUTPUT_MESSAGES] = _message_attribute("assistant", parts, message.finish or "error")
        self._end(opened, None if message.error is None else message.error.code, names.OPERATION_DURATION)

    def _chunk(self, session_id: str, update: AgentMessageChunk | AgentThoughtChunk) -> None:
        if update.message_id in self._silent:
            self._has_begun(session_id, update.message_id)
        if self._content and isinstance(update, AgentMessageChunk):
            turn = self._turns.get(session_id)
            if turn is not None and (opened := turn.answers.get(update.message_id)) is not None:
                opened.texts.append(update.text)

    def _has_begun(self, session_id: str, message_id: str) -> None:
        self._silent.discard(message_id)
        turn = self._turns.get(session_id)
        if turn is not None and (answer := turn.answers.get(message_id)) is not None:
            answer.span.attributes[names.FIRST_CHUNK_SECONDS] = answer.seconds

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
            opened.span.events = (*opened.span.events, Event("placet.retry", waited))

    def _tool_call(self, session_id: str, update: ToolCall | ToolCallUpdate) -> None:
        if (turn := self._turns.get(session_id)) is None:
            return
        part = update.part
        opened = turn.calls.get(part.id)
        if opened is None:
            if update.message_id in self._silent:
                self._has_begun(session_id, update.message_id)
            if isinstance(part.state, ToolRunning):
                turn.calls[part.id] = self._open_call(part, turn)
        elif isinstance(part.state, ToolCompleted | ToolFailed):
            del turn.calls[part.id]
            self._end_call(opened, part.state)

    def _open_call(self, part: ToolPart, turn: _Turn) -> _Open:
        opened = self._open(*_call(part.tool), turn)
        opened.span.attributes[names.TOOL_CALL] = part.call_id
        opened.span.attributes[names.TOOL_TYPE] = "function"
        return opened

    def _end_call(self, opened: _Open, state: ToolCompleted | ToolFailed) -> None:
        if self._content:
            result = state.output if isinstance(state, ToolCompleted) else state.error
            opened.span.attributes |= {names.TOOL_ARGUMENTS: _shown(state.input), names.TOOL_RESULT: _shown(result)}
        self._end(opened, None if isinstance(state, ToolCompleted) else "tool_error", names.TOOL_DURATION)

    def _open(self, name: str, kind: SpanKind, measured: Attributes, turn: _Turn | None = None) -> _Open:
        span = self._spans.start(name, kind, measured, None if turn is None else turn.opened.span.context)
        self._spans.enter(span)
        return _Open(span, measured, time.monotonic())

    def _end(self, opened: _Open, error: str | None, metric: str | None = None) -> None:
        measured = opened.measured
        if error is not None:
            measured = {**measured, names.ERROR_TYPE: error}
            opened.span.fail(error)
        if metric is not None:
            self._instruments.took(metric, opened.seconds, measured)
        self._spans.end(opened.span)
        self._spans.leave(opened.span)


@lru_cache(maxsize=64)
def _chat(model: str) -> tuple[str, SpanKind, Attributes]:
    """Return name, kind and measured attributes of an answer of the model."""
    attributes = {names.OPERATION: "chat", **names.model_attributes(model)}
    return f"chat {attributes[names.REQUEST_MODEL]}", SpanKind.CLIENT, attributes


@lru_cache(maxsize=64)
def _call(tool: str) -> tuple[str, SpanKind, Attributes]:
    """Return name, kind and measured attributes of a call of the tool."""
    return f"execute_tool {tool}", SpanKind.INTERNAL, {names.OPERATION: "execute_tool", names.TOOL: tool}


def _count(tokens: Tokens, attributes: dict[str, Attribute]) -> None:
    """Write the counts by the names of the conventions; a part of the input or output is left out at zero."""
    attributes[names.INPUT_TOKENS] = tokens.input + tokens.cache_read + tokens.cache_write
    attributes[names.OUTPUT_TOKENS] = tokens.output
    if tokens.cache_read:
        attributes[names.CACHE_READ_TOKENS] = tokens.cache_read
    if tokens.cache_write:
        attributes[names.CACHE_WRITE_TOKENS] = tokens.cache_write
    if tokens.reasoning:
        attributes[names.REASONING_TOKENS] = tokens.reasoning


def _shown(value: object) -> str:
    """Return the value as JSON (a text unchanged), cut to the largest size, with each key of a known shape blotted
    out.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _SECRETS.sub("[secret]", text)[:LONGEST_CHARACTERS]


def _message_attribute(role: str, parts: Sequence[JsonObject], finish: str | None = None) -> str:
    """Return the attribute for the contents of a single message, in the form of the conventions."""
    written: JsonObject = {"role": role, "parts": list(parts)}
    if finish is not None:
        written["finish_reason"] = finish
    return _shown([written])


def _text_parts(parts: Iterable[Part]) -> list[JsonObject]:
    """Return the texts among the parts of a message."""
    return [{"type": "text", "content": part.text} for part in parts if isinstance(part, TextPart)]
