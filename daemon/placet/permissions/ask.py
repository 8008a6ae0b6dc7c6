"""Who asks for permission, and for what."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from placet.permissions.rules import Roots, Rule
from placet.ports import ProposedChange


@dataclass(frozen=True, slots=True)
class Caller:
    """Who wants something, and by which rules they are judged."""

    session_id: str
    message_id: str
    call_id: str
    tool: str
    origin: tuple[str, ...]
    """The agents from the session's own down to the one that calls; empty when it is the session's own."""
    rules: tuple[Rule, ...]
    roots: Roots = ()
    """The workspace, to which names of files are relative."""

    @property
    def turn(self) -> tuple[str, tuple[str, ...]]:
        """What a rejection without a word ends: everything of this session that stems from the same agent."""
        return self.session_id, self.origin[:1]


@dataclass(frozen=True, slots=True)
class Condition:
    """A further permission that an ask depends on: the command that is asked for also writes a file, for example."""

    permission: str
    pattern: str
    demand: Literal["allowed", "not denied", "not denied by name"]
    """"not denied by name" disregards a rule whose pattern is `*`, as such a rule denies a tool and not a file."""
    reason: str = ""
    """Why the permission is needed, for the question on the screen."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What is wanted. Every one of `patterns` must be allowed; `always` is what "always" would grant."""

    permission: str
    patterns: tuple[str, ...]
    always: tuple[str, ...]
    title: str
    change: ProposedChange | None = None
    command: str | None = None
    directory: Path | None = None
    """Where the command would run."""
    url: str | None = None
    description: str = ""
    """As PermissionRequest has it, as are `note` and `arguments`."""
    note: str = ""
    arguments: str = ""
    conditions: tuple[Condition, ...] = ()
    """Judged with the patterns, each by the rules of its own permission."""
