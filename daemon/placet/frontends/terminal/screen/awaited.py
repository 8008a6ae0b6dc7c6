"""What a session waits for, in words for the sign of life. Pure."""

from placet.core.events import (
    AgentMessageChanged,
    AgentMessageChunk,
    AgentThoughtChunk,
    Retry,
    ToolCall,
    ToolCallUpdate,
    TurnEnded,
    TurnStarted,
    Update,
)
from placet.core.messages import ToolPart

MODEL = "waiting for the model"


def awaited_after(update: Update) -> str | None:
    """Return what is awaited after the update, "" for nothing; None if the update says nothing about that."""
    match update:
        case TurnStarted():
            return MODEL
        case AgentMessageChanged(message=message) if message.completed is None:
            return f"waiting for {message.model}"
        case AgentThoughtChunk():
            return "the model thinks"
        case AgentMessageChunk():
            return "the model writes"
        case ToolCall(part=part) | ToolCallUpdate(part=part):
            return _awaited(part)
        case Retry(error=error):
            return f"waiting to ask again: {error.message}"
        case TurnEnded():
            return ""
        case _:
            return None


def _awaited(part: ToolPart) -> str:
    """Return the words about a call; the model is asked again after the call."""
    if part.state.status in ("completed", "error"):
        return MODEL
    if part.state.status == "pending":
        return "the model writes a call"
    command = part.state.input.get("command")
    return f"$ {command}" if isinstance(command, str) else f"{part.tool} runs"
