"""Permission asks: the caller, the permission and further conditions."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.core.ports import ProposedChange
from placet.permissions.rules import Roots, Rule


class Caller(Struct, frozen=True):
    """Caller of a tool, with the rules that judge the caller."""

    session_id: str
    message_id: str
    call_id: str
    tool: str
    origin: tuple[str, ...]
    """Agents from the session's own agent down to the calling agent; empty when the session's own agent calls."""
    rules: tuple[Rule, ...]
    roots: Roots = ()
    """Folders of the workspace, to which names of files are relative."""

    @property
    def turn(self) -> tuple[str, tuple[str, ...]]:
        """Key of the calls that end with a rejection without a word: this session's calls under the same first
        agent."""
        return self.session_id, self.origin[:1]


class Condition(Struct, frozen=True):
    """Further permission that an ask depends on: for example, the command of the ask also writes a file."""

    permission: str
    pattern: str
    demand: Literal["allowed", "not denied", "not denied by name", "not denied to programs"]
    """"not denied by name" disregards a rule whose pattern is `*`, as such a rule denies a tool and not a file. "not
    denied to programs" does so for an agent that only reads, whose commands are asked about."""
    reason: str = ""
    """Reason why the permission is needed, for the question on the screen."""


Vouched = Literal["", "reading", "sandbox", "leaving", "answer"]
"""Fact that takes the place of a built-in question about commands.

`reading`: the line only reads; `sandbox`: the sandbox contains the line; `leaving`: a rule or a grant lets the line
leave the sandbox; `answer`: the user has just let the line leave, which answers the user's own rules with `ask` too.
"""


class Ask(Struct, frozen=True):
    """Ask for a permission: all `patterns` must be allowed; `always` holds the patterns that "always" would grant."""

    permission: str
    patterns: tuple[str, ...]
    always: tuple[str, ...]
    title: str
    change: ProposedChange | None = None
    command: str | None = None
    directory: Path | None = None
    """Directory in which the command would run."""
    url: str | None = None
    description: str = ""
    """Same meaning as in PermissionRequest, like `note` and `arguments`."""
    note: str = ""
    arguments: str = ""
    commands: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Commands of the line: the text for rules, and the words by which a rule that asks or denies knows the command."""
    conditions: tuple[Condition, ...] = ()
    """Conditions that are judged with the patterns, each by the rules of the condition's own permission."""
    is_contained: bool = False
    """Whether the command would run inside the sandbox."""
    vouched: Vouched = ""
    unvouched: tuple[tuple[str, str], ...] = ()
    """Patterns that are asked whatever vouches for the command, each with the reason."""
