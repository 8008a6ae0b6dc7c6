"""The session's list of things to do. Its store is the transcript: the last list that todowrite was given."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from placet.events import PlanEntry
from placet.messages import AssistantMessage, JsonObject, Message, ToolCompleted, ToolPart

METADATA = "todos"

_ENTRIES: TypeAdapter[tuple[PlanEntry, ...]] = TypeAdapter(tuple[PlanEntry, ...])


def todos_of(messages: Sequence[Message]) -> tuple[PlanEntry, ...]:
    """The list as the last call left it; empty if there was none."""
    for message in reversed(messages):
        parts = message.parts if isinstance(message, AssistantMessage) else ()
        for part in reversed(parts):
            if isinstance(part, ToolPart) and part.tool == "todowrite" and isinstance(part.state, ToolCompleted):
                return _ENTRIES.validate_python(part.state.metadata.get(METADATA, ()))
    return ()


def as_metadata(entries: Sequence[PlanEntry]) -> JsonObject:
    return {METADATA: [entry.dump() for entry in entries]}


def as_text(entries: Sequence[PlanEntry]) -> str:
    """One line an entry, for the model: `[x]` done, `[>]` in work, `[ ]` to do, `[-]` dropped."""
    marks = {"completed": "x", "in_progress": ">", "pending": " ", "cancelled": "-"}
    lines = [f"{number}. [{marks[entry.status]}] {entry.content}" for number, entry in enumerate(entries, start=1)]
    return "\n".join(lines) or "The list is empty."


def title_of(entries: Sequence[PlanEntry]) -> str:
    left = sum(entry.status in ("pending", "in_progress") for entry in entries)
    return f"{left} todo{'s' * (left != 1)}"
