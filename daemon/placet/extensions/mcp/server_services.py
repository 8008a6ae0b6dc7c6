"""Services that Placet gives to MCP servers: the open folders, stored sign-ins, and answers by a model."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.core.errors import ToolError
from placet.core.messages import FilePart, TextPart
from placet.sandbox.programs import ContainProgram, without_sandbox


class SamplingMessage(Struct, frozen=True):
    role: Literal["user", "assistant"]
    parts: tuple[TextPart | FilePart, ...]


class SamplingRequest(Struct, frozen=True):
    """Request from a server for an answer by a model."""

    session_id: str
    """Session with the model to use; the session also bears the cost."""
    system: str
    messages: Sequence[SamplingMessage]
    max_output_tokens: int
    temperature: float | None = None


class SamplingAnswer(Struct, frozen=True):
    model: str
    text: str


Sample = Callable[[SamplingRequest], Awaitable[SamplingAnswer]]
"""Function that answers a sampling request. Raises PlacetError."""


async def _no_model(request: SamplingRequest) -> SamplingAnswer:
    raise ToolError("There is no model here for servers.")


class ServerServices(Struct):
    """Services of one front end for its MCP servers; the servers share the object, which lives as long as they do."""

    roots: tuple[Path, ...]
    """Folders that the user has opened; the value may change."""
    tokens: Path
    """Path of the file with the sign-ins of the user to servers, and with the user's values for inputs of servers."""
    worktrees: Path | None = None
    """Directory of Placet's worktrees, in which servers have the values that the user gave for the project."""
    sample: Sample = _no_model
    contain: ContainProgram = without_sandbox
    """Function that returns the sandbox of a server that is a program."""
    begin_after_seconds: float = 0.5
    """Delay before the start: loading the SDK takes this process's time, and a prompt sent with the session goes first.
    """
    first_wait_seconds: float = 1.0
    """Delay before a lost server is started again; each further delay in a row is twice as long."""

    @property
    def folder(self) -> Path:
        """Return the folder of the project, to which the user's values for inputs belong."""
        return self.roots[0] if self.roots else Path()

    def open_in(self, roots: tuple[Path, ...]) -> None:
        """Take over the folders that the user has open."""
        self.roots = roots
