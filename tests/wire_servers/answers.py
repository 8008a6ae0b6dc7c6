"""What a scripted server answers: a tuple of steps, the same for every wire. A step is also one JSON object.

JSON forms: {"text": "…", "pieces": 3} {"thought": "…", "signature": "…"} {"call": "read", "arguments": {…}, "id": "…"}
{"usage": {"input": 10, "output": 5}} {"finish": "length"} {"status": 429, "message": "…", "retry_after": 2}
{"stream_error": "overloaded_error", "message": "…"} {"drop": true} {"truncate": true} {"pause": 0.1}
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    pieces: int = 3
    """Deltas it is sent in."""


@dataclass(frozen=True, slots=True)
class Thought:
    text: str
    signature: str | None = None
    redacted: str | None = None
    """Thinking sent only encrypted (Anthropic wire)."""
    pieces: int = 2


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: Mapping[str, Any] | str
    id: str | None = None
    pieces: int = 4


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens; `input` excludes the cached ones, and each wire adds up its own way."""

    input: int = 10
    output: int = 5
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class Finish:
    """A finish reason in OpenAI's words; without this step it is `tool_calls` or `stop`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP error instead of an answer; must be the only step."""

    status: int
    message: str = "scripted failure"
    retry_after: float | None = None
    type: str = "scripted_error"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further fields of the error, on OpenAI's wires."""


@dataclass(frozen=True, slots=True)
class StreamError:
    """An error event in the middle of a stream that began with 200."""

    type: str
    message: str = "scripted failure"


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is reset."""


@dataclass(frozen=True, slots=True)
class Truncate:
    """The body ends properly, but before the answer does."""


@dataclass(frozen=True, slots=True)
class Wait:
    """The stream goes on when the event is set; without one, never. A table of faults has none: it outlives a loop."""

    event: asyncio.Event | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Raw:
    """One event of the wire as it is, for servers with quirks."""

    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bytes:
    """What is no event of the wire at all."""

    data: bytes


Step = Text | Thought | Call | Usage | Finish | Status | StreamError | Drop | Truncate | Wait | Pause | Raw | Bytes
Answer = tuple[Step, ...]
Effect = Drop | Truncate | Wait | Pause
"""Steps that are not sent but done."""


def pieces(text: str, count: int) -> Iterable[str]:
    """The text in `count` pieces of about the same length; fewer when it is shorter."""
    size = max(1, -(-len(text) // max(1, count)))
    return (text[start : start + size] for start in range(0, len(text), size))


_FORMS: dict[str, Any] = {
    "text": lambda step: Text(step["text"], step.get("pieces", 3)),
    "thought": lambda step: Thought(step["thought"], step.get("signature"), pieces=step.get("pieces", 2)),
    "call": lambda step: Call(step["call"], step.get("arguments", {}), step.get("id"), step.get("pieces", 4)),
    "usage": lambda step: Usage(**step["usage"]),
    "finish": lambda step: Finish(step["finish"]),
    "status": lambda step: Status(**step),
    "stream_error": lambda step: StreamError(step["stream_error"], step.get("message", "scripted failure")),
    "drop": lambda _: Drop(),
    "truncate": lambda _: Truncate(),
    "pause": lambda step: Pause(step["pause"]),
    "raw": lambda step: Raw(step["raw"]),
}


def from_json(steps: Iterable[Mapping[str, Any]]) -> Answer:
    """An answer from its JSON form. Raises ValueError that names the step it does not know."""
    return tuple(_step(step) for step in steps)


def _step(step: Mapping[str, Any]) -> Step:
    for name, make in _FORMS.items():
        if name in step:
            return make(step)
    raise ValueError(f"no such step: {dict(step)}; known are {', '.join(_FORMS)}")
