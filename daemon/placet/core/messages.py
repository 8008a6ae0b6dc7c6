"""The conversation: a message is a list of parts. What is stored is what is sent.

Shapes and names are OpenCode's (../shared seeds; its message-v2), camelCase on the wire.
Every value here is frozen: a part changes by being replaced.
"""

import json
import os
import string
import time
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticSerializationError

_DIGITS = string.digits + string.ascii_letters
_last_moment = 0


def new_id(prefix: str) -> str:
    """An identifier that sorts by its making: `msg_`, 13 hex digits of time, 10 random characters."""
    global _last_moment
    _last_moment = max(_last_moment + 1, int(time.time() * 1000) << 8)
    chance = "".join(_DIGITS[byte % len(_DIGITS)] for byte in os.urandom(10))
    return f"{prefix}_{_last_moment:013x}{chance}"


def now() -> int:
    """The time in milliseconds since the epoch, as every `created`, `start` and `end` holds it."""
    return int(time.time() * 1000)


def whole_characters(text: str) -> str:
    """Return the text with U+FFFD for each unpaired surrogate, half a character that no encoding of a wire carries."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _whole(data: Any) -> Any:
    """Return JSON-ready data with whole characters in all its texts."""
    match data:
        case str():
            return whole_characters(data)
        case dict():
            entries = cast("dict[str, Any]", data).items()
            return {whole_characters(name): _whole(value) for name, value in entries}
        case list():
            return [_whole(item) for item in cast("list[Any]", data)]
        case _:
            return data


class Value(BaseModel):
    """A frozen value, camelCase outside and snake_case inside; unknown fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")

    def dump(self) -> dict[str, Any]:
        """As JSON-ready data with wire names, without the fields that are None."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def model_dump_json(self, **options: Any) -> str:
        """Return JSON as pydantic does, but with U+FFFD for half characters, which neither UTF-8 nor pydantic takes."""
        try:
            return super().model_dump_json(**options)
        except PydanticSerializationError:
            return json.dumps(_whole(self.model_dump(mode="json", **options)), ensure_ascii=False)

    def with_whole_characters(self) -> Self:
        """Return the value itself, or one with U+FFFD for the half characters in its texts."""
        try:
            super().model_dump_json()
        except PydanticSerializationError:
            return self.model_validate_json(self.model_dump_json(by_alias=True))
        return self


JsonObject = dict[str, Any]


class Tokens(Value):
    """Tokens of one model call, from the provider's own figures; `input` excludes the cached ones."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            input=self.input + other.input,
            output=self.output + other.output,
            reasoning=self.reasoning + other.reasoning,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )


class TurnError(Value):
    """Why a turn or a model call failed, for the user: what happened, and what to do."""

    code: str
    message: str
    hint: str = ""


# ---------------------------------------------------------------- parts


class PartBase(Value):
    id: str = Field(default_factory=lambda: new_id("prt"))


class TextPart(PartBase):
    type: Literal["text"] = "text"
    text: str
    synthetic: bool = False
    """Written by Placet rather than by the user or the model (an attached file, an interruption note)."""


class ReasoningPart(PartBase):
    type: Literal["reasoning"] = "reasoning"
    text: str
    signature: str | None = None
    """The provider's seal on its own thinking; it must come back to it unchanged."""
    redacted: str | None = None
    """Thinking the provider sent only encrypted."""


class LineRange(Value):
    """Lines of a file, 1-based, both ends included."""

    start: int
    end: int


class FilePart(PartBase):
    type: Literal["file"] = "file"
    uri: str
    """`file:` for a file of the project, `data:` for content carried along."""
    mime: str = "text/plain"
    name: str | None = None
    range: LineRange | None = None


class AgentPart(PartBase):
    type: Literal["agent"] = "agent"
    name: str


class DiagnosticsPart(PartBase):
    type: Literal["diagnostics"] = "diagnostics"
    uri: str | None = None
    """The file whose diagnostics are meant; None: all that the editor has."""


class ToolPending(Value):
    """The model is still writing the call; `raw` is its JSON so far."""

    status: Literal["pending"] = "pending"
    input: JsonObject = Field(default_factory=dict)
    raw: str = ""


class ToolRunning(Value):
    status: Literal["running"] = "running"
    input: JsonObject
    title: str = ""
    metadata: JsonObject = Field(default_factory=dict)
    start: int


class ToolCompleted(Value):
    status: Literal["completed"] = "completed"
    input: JsonObject
    title: str
    output: str
    """What the model is told."""
    metadata: JsonObject = Field(default_factory=dict)
    """What the screen shows."""
    attachments: tuple[FilePart, ...] = ()
    start: int
    end: int
    compacted: int | None = None
    """When it was cleared for the model, to save room; the screen still has it."""


class ToolFailed(Value):
    status: Literal["error"] = "error"
    input: JsonObject
    title: str = ""
    error: str
    """What the model is told."""
    metadata: JsonObject = Field(default_factory=dict)
    start: int
    end: int


ToolState = Annotated[ToolPending | ToolRunning | ToolCompleted | ToolFailed, Field(discriminator="status")]


class ToolPart(PartBase):
    type: Literal["tool"] = "tool"
    call_id: str
    """The model's own name for the call; unique within its message."""
    tool: str
    state: ToolState


class StepStartPart(PartBase):
    type: Literal["step-start"] = "step-start"


class StepFinishPart(PartBase):
    type: Literal["step-finish"] = "step-finish"
    reason: str
    tokens: Tokens
    cost: float = 0.0
    """In US dollars, 0 where the price is not known."""


class PatchPart(PartBase):
    """A change that was applied to files."""

    type: Literal["patch"] = "patch"
    change_id: str
    call_id: str | None = None
    uris: tuple[str, ...]
    additions: int = 0
    deletions: int = 0
    reverted: bool = False


class SubtaskPart(PartBase):
    type: Literal["subtask"] = "subtask"
    agent: str
    prompt: str
    description: str = ""


class RetryPart(PartBase):
    type: Literal["retry"] = "retry"
    attempt: int
    wait_seconds: float = 0.0
    error: TurnError


class CompactionPart(PartBase):
    """From here on the model has the summary in place of what came before; the screen still has all of it."""

    type: Literal["compaction"] = "compaction"
    auto: bool = True
    """Done because the model had no more room, rather than because the user asked for it."""
    summary: str = ""
    kept_from: str | None = None
    """The first message that the model still has word for word; None: it has none of those before."""
    tokens_before: int = 0
    """What the model was given, by estimate, and what it is given now."""
    tokens_after: int = 0


Part = Annotated[
    TextPart
    | ReasoningPart
    | FilePart
    | AgentPart
    | DiagnosticsPart
    | ToolPart
    | StepStartPart
    | StepFinishPart
    | PatchPart
    | SubtaskPart
    | RetryPart
    | CompactionPart,
    Field(discriminator="type"),
]

PromptPart = Annotated[TextPart | FilePart | AgentPart | DiagnosticsPart, Field(discriminator="type")]
"""What a user can put into a prompt."""

# ---------------------------------------------------------------- messages

StopReason = Literal["end_turn", "cancelled", "max_steps", "refused", "rejected", "error"]


Queue = Literal["steer", "after"]
"""What becomes of a prompt while a turn runs: the turn takes it in, or it waits for the turn's end."""


class UserMessage(Value):
    """A prompt; it opens a turn, and the turn is known by its id. Or it steers a turn that runs."""

    role: Literal["user"] = "user"
    id: str = Field(default_factory=lambda: new_id("msg"))
    created: int = Field(default_factory=now)
    agent: str = "build"
    model: str = ""
    parts: tuple[Part, ...] = ()
    steers: str | None = None
    """The turn that it was taken into; None for a message that opened one."""
    stop_reason: StopReason | None = None
    """How the turn it opened ended; None while it runs, or when the daemon died in it."""
    error: TurnError | None = None


class AssistantMessage(Value):
    """One answer of the model: one step of a turn."""

    role: Literal["assistant"] = "assistant"
    id: str = Field(default_factory=lambda: new_id("msg"))
    parent_id: str
    """The user message that opened the turn."""
    created: int = Field(default_factory=now)
    completed: int | None = None
    agent: str = "build"
    model: str = ""
    summary: bool = False
    """It only sums up the conversation, in a CompactionPart, and is no answer to the user."""
    finish: str | None = None
    """The provider's reason: stop, tool_calls, length, …"""
    error: TurnError | None = None
    tokens: Tokens = Tokens()
    cost: float = 0.0
    parts: tuple[Part, ...] = ()


Message = Annotated[UserMessage | AssistantMessage, Field(discriminator="role")]
