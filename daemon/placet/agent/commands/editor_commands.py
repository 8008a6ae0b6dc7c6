"""Commands by `/name` at the start of a prompt which the editor itself sends as requests of the wire."""

from msgspec import Struct


class EditorCommand(Struct, frozen=True):
    name: str
    description: str
    argument: str = ""
    """Argument which may follow the name, in a word; empty if no argument may follow."""


EDITOR_COMMANDS = (
    EditorCommand("agent", "Choose the agent for the next prompts", "agent"),
    EditorCommand("compact", "Summarize the conversation to free space in the context"),
    EditorCommand("export", "Export the conversation as text"),
    EditorCommand("fork", "Continue in a copy of the conversation"),
    EditorCommand("model", "Choose the model for the next prompts", "model"),
    EditorCommand("redo", "Redo the changes of the last undo"),
    EditorCommand("sessions", "Show all sessions, or continue a session", "session"),
    EditorCommand("undo", "Undo the file changes of the last turn"),
)
"""Commands of the editor, named after the methods of docs/PROTOCOL.md."""
