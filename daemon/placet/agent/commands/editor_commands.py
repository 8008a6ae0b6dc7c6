"""Commands by `/name` at the start of a prompt which the editor itself sends as requests of the wire."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EditorCommand:
    name: str
    description: str
    argument: str = ""
    """Argument which may follow the name, in a word; empty if no argument may follow."""


EDITOR_COMMANDS = (
    EditorCommand("agent", "Choose who answers from the next prompt on", "agent"),
    EditorCommand("compact", "Sum up the conversation, so that it takes less room"),
    EditorCommand("export", "Write the conversation down as text"),
    EditorCommand("fork", "Go on in a copy of the conversation"),
    EditorCommand("model", "Choose the model from the next prompt on", "model"),
    EditorCommand("redo", "Take back the last undo"),
    EditorCommand("sessions", "Show the conversations there are, or go on with one", "session"),
    EditorCommand("undo", "Take back what the last turn changed in files"),
)
"""Commands of the editor, named after the methods of docs/PROTOCOL.md."""
