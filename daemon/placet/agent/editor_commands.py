"""What a user can have done by `/name` at the start of a prompt: requests of the wire, which the editor sends."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EditorCommand:
    name: str
    description: str
    argument: str = ""
    """What may follow it, in a word; empty for nothing."""


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
"""Named after the methods of docs/PROTOCOL.md."""
