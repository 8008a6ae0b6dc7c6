"""Requests to a model, and what came of them."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from placet.core.errors import ModelError
from placet.core.messages import (
    AssistantMessage,
    FilePart,
    Message,
    Part,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    UserMessage,
)
from placet.model.base import (
    CallDelta,
    CallStarted,
    Finished,
    Model,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ThoughtDelta,
    ToolSpec,
    UsageReport,
)

READ = ToolSpec("read", "Reads a file.", {"type": "object", "properties": {"filePath": {"type": "string"}}})


def user(*parts: str | Part) -> UserMessage:
    return UserMessage(parts=tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def assistant(*parts: str | Part, model: str = "", parent_id: str = "msg_0") -> AssistantMessage:
    made = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return AssistantMessage(parent_id=parent_id, model=model, parts=made)


def completed(
    tool: str, arguments: dict[str, Any], output: str, *, call_id: str, attachments: tuple[FilePart, ...] = ()
) -> ToolPart:
    state = ToolCompleted(input=arguments, title=tool, output=output, attachments=attachments, start=1, end=2)
    return ToolPart(call_id=call_id, tool=tool, state=state)


def failed(tool: str, arguments: dict[str, Any], error: str, *, call_id: str) -> ToolPart:
    return ToolPart(call_id=call_id, tool=tool, state=ToolFailed(input=arguments, error=error, start=1, end=2))


def request(*messages: str | Message, tools: Sequence[ToolSpec] = (READ,)) -> ModelRequest:
    made = tuple(user(message) if isinstance(message, str) else message for message in messages)
    return ModelRequest(system=("You are a test.",), messages=made, tools=tuple(tools), session_id="ses_test")


async def answer(model: Model, asked: ModelRequest | str = "hello") -> list[ModelEvent]:
    """The whole answer."""
    return [event async for event in model.stream(request(asked) if isinstance(asked, str) else asked)]


async def failure(model: Model, asked: ModelRequest | str = "hello") -> tuple[list[ModelEvent], ModelError]:
    """What came before the failure, and the failure."""
    events: list[ModelEvent] = []
    stream: Any = model.stream(request(asked) if isinstance(asked, str) else asked)
    try:
        async with aclosing(stream):
            async for event in stream:
                events.append(event)
    except ModelError as error:
        return events, error
    raise AssertionError(f"the call did not fail: {events}")


def text_of(events: Sequence[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def thoughts_of(events: Sequence[ModelEvent]) -> tuple[str, list[str]]:
    """The thinking, and the signatures and redacted blocks in it."""
    thoughts = [event for event in events if isinstance(event, ThoughtDelta)]
    seals = [seal for event in thoughts for seal in (event.signature, event.redacted) if seal is not None]
    return "".join(event.text for event in thoughts), seals


def calls_of(events: Sequence[ModelEvent]) -> list[tuple[str, str, str]]:
    """(id, name, arguments) of each call, in the order they began."""
    names = {event.call_id: event.name for event in events if isinstance(event, CallStarted)}
    texts = dict.fromkeys(names, "")
    for event in events:
        if isinstance(event, CallDelta):
            texts[event.call_id] += event.text
    return [(call_id, name, texts[call_id]) for call_id, name in names.items()]


def usage_of(events: Sequence[ModelEvent]) -> UsageReport:
    (report,) = (event for event in events if isinstance(event, UsageReport))
    return report


def reason_of(events: Sequence[ModelEvent]) -> str:
    assert isinstance(events[-1], Finished)
    return events[-1].reason
