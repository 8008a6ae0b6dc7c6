"""Commands called by `/name` at the start of a prompt, and the interface for an extension that brings more commands."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from placet.core.effort import Effort
from placet.core.messages import PromptPart

GiveParts = Callable[[Sequence[str], Path], Awaitable[Sequence[PromptPart]]]
"""Function that returns parts for the words behind the name, in place of a template.

The directory receives content too large for a prompt. Raises RequestError in words for the user.
"""


class Command(Struct, frozen=True):
    name: str
    """Name without the slash."""
    description: str
    source: str
    """Origin of the command, in the user's words: a file, the settings, an MCP server."""
    argument_hint: str = ""
    """Hint about the words behind the name; empty if no hint was given."""
    template: str = ""
    """Text for the model: Markdown with placeholders, `@` references and shell parts."""
    parts: GiveParts | None = None
    """Function that gives the parts for the model, in place of `template`.

    The parts are not searched for placeholders, `@` references or shell parts.
    """
    agent: str | None = None
    """Agent for this single turn."""
    model: str | None = None
    """Model for this single turn."""
    effort: Effort | None = None
    """Effort of thinking for this single turn."""
    subtask: bool | None = None
    """True if a subagent does the work; None: when the command's agent is a subagent."""


class CommandSource(Protocol):
    """Source of commands beside files and settings."""

    def commands(self) -> Sequence[Command]:
        """Return the present commands, in a steady order. Never waits and never raises."""
        ...
