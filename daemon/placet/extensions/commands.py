"""What is called by `/name` at the start of a prompt, and what an extension has to offer to bring more of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from placet.messages import PromptPart

GiveParts = Callable[[Sequence[str], Path], Awaitable[Sequence[PromptPart]]]
"""What is said in place of a template, for the words behind the name. Raises RequestError in words for the user.

The directory is where what is too large for a prompt is kept.
"""


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    """Without the slash."""
    description: str
    source: str
    """Whose it is, in the user's words: a file, the settings, an MCP server."""
    argument_hint: str = ""
    """What may be written behind the name; empty where nothing is said of it."""
    template: str = ""
    """What is said to the model: Markdown with placeholders, `@` references and shell parts."""
    parts: GiveParts | None = None
    """Gives what is said, which is not looked through for any of these."""
    agent: str | None = None
    """Who answers, in this one turn."""
    model: str | None = None
    """What answers, in this one turn."""
    subtask: bool | None = None
    """Whether a subagent does it; None: when its agent is one."""


class CommandSource(Protocol):
    """Where commands come from beside files and settings."""

    def commands(self) -> Sequence[Command]:
        """Those that are there now, in a steady order. Never waits and never raises."""
        ...
