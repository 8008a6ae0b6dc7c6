"""The session's list of things to do. Its store is the transcript: the last list that todowrite was given."""

import json
from collections.abc import Sequence

from placet.core.events import PlanEntry
from placet.core.messages import JsonObject, Message
from placet.core.transcript import todo_list
from placet.tools.framework.define import ToolResult


def todos_of(messages: Sequence[Message]) -> tuple[PlanEntry, ...]:
    """The list as the last call left it; empty if there was none."""
    lists = (todo_list(part) for message in reversed(messages) for part in reversed(message.parts))
    return next((entries for entries in lists if entries is not None), ())


def todo_result(entries: Sequence[PlanEntry]) -> ToolResult:
    """The list for the model as JSON, its title for the screen, and itself to be kept."""
    todos: list[JsonObject] = [entry.dump() for entry in entries]
    left = sum(entry.status in ("pending", "in_progress") for entry in entries)
    return ToolResult(
        title=f"{left} todo{'s' * (left != 1)}",
        output=json.dumps(todos, ensure_ascii=False, indent=2),
        metadata={"todos": todos},
    )
