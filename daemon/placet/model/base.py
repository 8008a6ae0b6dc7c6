"""Interface of a model to the agent loop, for every kind of model: one request in, a stream of events out."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from msgspec import Struct

from placet.core.effort import Effort
from placet.core.messages import JsonObject, Message, Tokens


class ToolSpec(Struct, frozen=True):
    """Description of a tool for the model; `parameters` is an inlined JSON Schema of type object."""

    name: str
    description: str
    parameters: JsonObject
    server: str = ""
    """Name of the MCP server that offers the tool, if any; for the user alone."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    system: tuple[str, ...]
    messages: tuple[Message, ...]
    """Messages of the conversation so far; every tool part in the messages is completed or failed."""
    tools: tuple[ToolSpec, ...]
    session_id: str
    temperature: float | None = None
    max_output_tokens: int | None = None
    options: JsonObject = field(default_factory=dict[str, Any])
    """Further arguments of litellm's `completion`, for example `top_p`."""
    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    """HTTP headers beside the provider's own."""
    effort: Effort | None = None
    """Effort of thinking; None: the model's own default."""


class TextDelta(Struct, frozen=True):
    text: str


class ThoughtDelta(Struct, frozen=True):
    """Piece of thinking; a signature or redacted thinking closes the block of thinking."""

    text: str = ""
    signature: str | None = None
    redacted: str | None = None


class CallStarted(Struct, frozen=True):
    """Start of a tool call; a new `call_id` is a new call, even if the provider gives the same number again."""

    call_id: str
    name: str


class CallDelta(Struct, frozen=True):
    """Piece of the arguments of a call, as JSON text."""

    call_id: str
    text: str


class UsageReport(Struct, frozen=True):
    """Figures of the provider for the whole call; the cost is in US dollars, 0 when the price is unknown."""

    tokens: Tokens
    cost: float = 0.0
    is_covered: bool = False
    """True if a subscription of the user covers the answer, which then has no price."""


class Finished(Struct, frozen=True):
    """End of a complete answer. `reason` is stop, tool_calls, length, content_filter, or the provider's own word."""

    reason: str


class Remark(Struct, frozen=True):
    """Notice for the user about how this model answers; the model gives each notice once."""

    code: str
    message: str
    hint: str = ""


ModelEvent = Remark | TextDelta | ThoughtDelta | CallStarted | CallDelta | UsageReport | Finished


class Model(Protocol):
    """Model to ask for answers. Closing the iterator early cancels the call."""

    @property
    def id(self) -> str: ...

    @property
    def context_size(self) -> int | None:
        """Return the size of the model's input in tokens, or None if the size is not known."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask the model. The last event is Finished. Raises ModelError, also in mid-answer."""
        ...
