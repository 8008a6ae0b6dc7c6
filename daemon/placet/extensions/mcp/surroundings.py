"""What a server may have of the house around it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from placet.errors import ToolError
from placet.messages import FilePart, TextPart


@dataclass(frozen=True, slots=True)
class SamplingMessage:
    role: Literal["user", "assistant"]
    parts: tuple[TextPart | FilePart, ...]


@dataclass(frozen=True, slots=True)
class SamplingRequest:
    """What a server wants a model to answer."""

    session_id: str
    """Whose model, and at whose cost."""
    system: str
    messages: Sequence[SamplingMessage]
    max_output_tokens: int
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class SamplingAnswer:
    model: str
    text: str


Sample = Callable[[SamplingRequest], Awaitable[SamplingAnswer]]
"""Raises PlacetError."""


async def _no_model(request: SamplingRequest) -> SamplingAnswer:
    raise ToolError("There is no model here for servers.")


@dataclass(slots=True)
class Surroundings:
    """What servers may have of a house; all of them hold the same object."""

    roots: tuple[Path, ...]
    """The folders that the user has opened, which may become others."""
    tokens: Path
    """Where it is written down which servers the user has signed in to."""
    sample: Sample = _no_model
    begin_after_seconds: float = 0.5
    """Loading the SDK takes a while of this process's time, and a prompt that comes with the session goes first."""
    first_wait_seconds: float = 1.0
    """Before a lost server is started again; each time in a row twice as long."""
