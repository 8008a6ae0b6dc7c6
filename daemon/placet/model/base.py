"""What the loop asks of a model, whoever serves it: one request in, a stream of events out."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from placet.messages import JsonObject, Message, Tokens


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON Schema of type object, inlined."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ModelRequest:
    system: tuple[str, ...]
    messages: tuple[Message, ...]
    """The conversation so far; every tool part in it is completed or failed."""
    tools: tuple[ToolSpec, ...]
    session_id: str
    temperature: float | None = None
    max_output_tokens: int | None = None
    options: JsonObject = field(default_factory=dict[str, Any])
    """More of what litellm's `completion` takes, for example `top_p`."""
    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    """HTTP headers beside the provider's own."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """Thinking; a signature or redacted thinking closes the block it belongs to."""

    text: str = ""
    signature: str | None = None
    redacted: str | None = None


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool call begins; a new `call_id` is a new call, whatever the provider numbers it."""

    call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """More of a call's arguments, as JSON text."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class UsageReport:
    """The provider's figures for the whole call; cost in US dollars, 0 when the price is unknown."""

    tokens: Tokens
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is complete. `reason` is one of stop, tool_calls, length, content_filter, or the provider's own."""

    reason: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the user should know of how this model answers; said once."""

    code: str
    message: str
    hint: str = ""


ModelEvent = Remark | TextDelta | ThoughtDelta | CallStarted | CallDelta | UsageReport | Finished


class Model(Protocol):
    """A model that can be asked. Closing the iterator early cancels the call."""

    @property
    def id(self) -> str: ...

    @property
    def context_size(self) -> int | None:
        """Tokens it can take in, None when not known."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask. The last event is Finished. Raises ModelError, also in mid-answer."""
        ...
