"""Messages about the inline completion beside `textDocument/inlineCompletion`."""

from pydantic import Field

from placet.core.messages import Value


class SetInlineCompletion(Value):
    """Return the state of the inline completion, after a change of the state if the params name a change."""

    snooze_minutes: float | None = Field(default=None, ge=0, le=1440)
    """Minutes from now in which suggestions come only on the user's key; 0 ends the snooze."""
    dismissed_uri: str | None = None
    """Document in which the user has dismissed the suggestion on the screen: the text does not come again there until
    the line changes.
    """


class InlineCompletionState(Value):
    status: str
    """State in words, with the reason for silence; `off` at the front: no request is made."""
