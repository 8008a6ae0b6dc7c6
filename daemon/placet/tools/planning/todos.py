"""List of things to do of a session. The store is the transcript: the list of the last call of todowrite."""

import json
from collections.abc import Sequence

from placet.core.events import PlanEntry
from placet.core.messages import JsonObject, Message
from placet.core.transcript import todo_list
from placet.text.counted import counted
from placet.tools.framework.define import ToolResult


def todos_of(messages: Sequence[Message]) -> tuple[PlanEntry, ...]:
    """Return the list of the last call; empty without a call."""
    lists = (todo_list(part) for message in reversed(messages) for part in reversed(message.parts))
    return next((entries for entries in lists if entries is not None), ())


def todo_result(entries: Sequence[PlanEntry]) -> ToolResult:
    """The list for the model as JSON, its title for the screen, and itself to be kept."""
    todos: list[JsonObject] = [entry.dump() for entry in entries]
    left = sum(entry.status in ("pending", "in_progress") for entry in entries)
    return ToolResult(
        title=counted(left, "todo"),
        output=json.dumps(todos, ensure_ascii=False, indent=2),
        metadata={"todos": todos},
    )
