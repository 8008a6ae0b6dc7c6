"""API for tools of the user: the decorator, the context, the result. A tool runs in a process of its own."""

import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar, overload

F = TypeVar("F", bound=Callable[..., Any])

MARK = "__placet_tool__"
"""Attribute that makes a function a tool; the value is the description."""


class Refused(Exception):
    """The user or a rule said no. Let it pass, and the call ends as the user's refusal."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """File given to the model with the result: images and PDF as such, for models that take images and PDF."""

    mime: str
    data: bytes
    name: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    output: str
    """Text for the model; a long text is kept in a file and shown in part, like the output of any tool."""
    title: str = ""
    """Single line for the screen."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Data for the screen: any JSON."""
    attachments: Sequence[Attachment] = ()


@dataclass(frozen=True, slots=True)
class CallFacts:
    """Facts about a call, known when the call begins."""

    session_id: str
    message_id: str
    call_id: str
    agent: str
    directory: Path
    """The folder the session works in."""
    worktree: Path
    """Top of the repository around the directory, or the directory outside of a repository."""
    model: str = ""
    """Name of the model that makes the call, such as `provider/model`."""


class Link(Protocol):
    """The way back to the daemon."""

    def __call__(self, request: str, arguments: Mapping[str, Any]) -> Awaitable[Any]: ...


class BlockingLink(Protocol):
    def __call__(self, request: str, arguments: Mapping[str, Any]) -> Any: ...


@dataclass(frozen=True, slots=True)
class _CallContext:
    facts: CallFacts
    abort: threading.Event
    """Set when the user stops the call. An `async def` tool is cancelled as well."""
    tell: Callable[[str, Mapping[str, Any]], None]

    @property
    def session_id(self) -> str:
        return self.facts.session_id

    @property
    def message_id(self) -> str:
        return self.facts.message_id

    @property
    def call_id(self) -> str:
        return self.facts.call_id

    @property
    def agent(self) -> str:
        return self.facts.agent

    @property
    def model(self) -> str:
        return self.facts.model

    @property
    def directory(self) -> Path:
        return self.facts.directory

    @property
    def worktree(self) -> Path:
        return self.facts.worktree

    def metadata(self, title: str | None = None, **metadata: Any) -> None:
        """Show where the call stands: a new title, and metadata that replaces the earlier."""
        self.tell("metadata", {"title": title, "metadata": metadata or None})


@dataclass(frozen=True, slots=True)
class ToolContext(_CallContext):
    """Context of an `async def` tool: the parameter of this type, or the parameter named `context`."""

    link: Link

    async def ask(
        self, *patterns: str, permission: str | None = None, title: str = "", always: Sequence[str] = ()
    ) -> None:
        """Return when it may be done. `permission`: the tool's own id, if not given. Raises Refused."""
        await self.link("ask", _ask(patterns, permission, title, always))

    async def read(self, path: str | Path) -> str:
        """Return the file's text as in the editor, or else as on disk. Raises Refused, and OSError without a file."""
        return await self.link("read", {"path": str(path)})

    async def write(self, path: str | Path, text: str) -> str:
        """Propose a whole text for the file, and return the outcome in words. An existing file must have been read.

        The user sees the difference and decides. Raises Refused, and OSError with nothing changed.
        """
        return await self.link("write", {"path": str(path), "text": text})

    async def edit(self, path: str | Path, old: str, new: str) -> str:
        """Propose a replacement of a piece of a file, which must have been read. Returns and raises like `write`."""
        return await self.link("edit", {"path": str(path), "old": old, "new": new})


@dataclass(frozen=True, slots=True)
class BlockingToolContext(_CallContext):
    """The same for a `def` tool, which runs in a thread: each method returns when it is done."""

    link: BlockingLink

    def ask(self, *patterns: str, permission: str | None = None, title: str = "", always: Sequence[str] = ()) -> None:
        """Ask for permission, like ToolContext.ask."""
        self.link("ask", _ask(patterns, permission, title, always))

    def read(self, path: str | Path) -> str:
        """Return the file's text, like ToolContext.read."""
        return self.link("read", {"path": str(path)})

    def write(self, path: str | Path, text: str) -> str:
        """Propose a whole text, like ToolContext.write."""
        return self.link("write", {"path": str(path), "text": text})

    def edit(self, path: str | Path, old: str, new: str) -> str:
        """Propose a replacement, like ToolContext.edit."""
        return self.link("edit", {"path": str(path), "old": old, "new": new})


def _ask(patterns: Sequence[str], permission: str | None, title: str, always: Sequence[str]) -> dict[str, Any]:
    return {"permission": permission, "patterns": list(patterns or ("*",)), "title": title, "always": list(always)}


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(*, description: str) -> Callable[[F], F]: ...
def tool(function: Any = None, /, *, description: str = "") -> Any:
    """Make a function a tool for the agent: the parameters are the arguments, the docstring is the description."""

    def marked(function: Any) -> Any:
        setattr(function, MARK, description)
        return function

    return marked if function is None else marked(function)
