"""Messages of a conversation: a message is a list of parts, in the same form in the store and on the wire.

Shapes and names are those of OpenCode's message-v2, camelCase on the wire. Every value is frozen: a part changes by
being replaced.
"""

import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticSerializationError

from placet.core.ids import new_id, now


def whole_characters(text: str) -> str:
    """Return the text with U+FFFD for each unpaired surrogate, half a character without a form in any encoding of a
    wire.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def whole_data(data: Any) -> Any:
    """Return JSON-ready data with whole characters in all its texts."""
    match data:
        case str():
            return whole_characters(data)
        case dict():
            entries = cast("dict[str, Any]", data).items()
            return {whole_characters(name): whole_data(value) for name, value in entries}
        case list():
            return [whole_data(item) for item in cast("list[Any]", data)]
        case _:
            return data


DEFERRED = ConfigDict(defer_build=True)
"""Config of a TypeAdapter that pydantic builds at its first use, so that no start pays for the adapter."""


class Value(BaseModel):
    """Frozen value, camelCase outside and snake_case inside; unknown fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")

    def dump(self) -> dict[str, Any]:
        """Return JSON-ready data with wire names, without fields that are None."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def model_dump_json(self, **options: Any) -> str:
        """Return JSON as pydantic does, but with U+FFFD for half characters, which neither UTF-8 nor pydantic takes."""
        try:
            return super().model_dump_json(**options)
        except PydanticSerializationError:
            return json.dumps(whole_data(self.model_dump(mode="json", **options)), ensure_ascii=False)

    def with_whole_characters(self) -> Self:
        """Return the value itself, or a copy with U+FFFD for the half characters in its texts."""
        try:
            super().model_dump_json()
        except PydanticSerializationError:
            return self.model_validate_json(self.model_dump_json(by_alias=True))
        return self


JsonObject = dict[str, Any]


class Tokens(Value):
    """Tokens of a model call, by the provider's own figures; `input` excludes cached tokens."""

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
    """Reason for a failed turn or model call: a message for the user, and a hint about the remedy."""

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
    """Provider's seal on the thinking; the seal must come back to the provider unchanged."""
    redacted: str | None = None
    """Thinking which the provider sent in encrypted form only."""


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
    """URI of the file with the diagnostics; None: all diagnostics of the editor."""


class ToolPending(Value):
    """Call which the model is still writing; `raw` is the JSON so far."""

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
    """Text for the model."""
    metadata: JsonObject = Field(default_factory=dict)
    """Data for the screen."""
    attachments: tuple[FilePart, ...] = ()
    start: int
    end: int
    compacted: int | None = None
    """Time at which the output was cleared for the model to free space; the screen still shows the output."""


class ToolFailed(Value):
    status: Literal["error"] = "error"
    input: JsonObject
    title: str = ""
    error: str
    """Text for the model."""
    metadata: JsonObject = Field(default_factory=dict)
    """Data for the screen. `failure` is the kind of the failure where the error is no text for the user: `mistake` of
    the model, `conflict` with lines changed meanwhile, `rejected` by the user; with `missing`, a file cannot be read.
    """
    start: int
    end: int

    @property
    def shown_error(self) -> str:
        """Return the words about the failure for the user: the error itself where the kind says nothing."""
        return _FAILURE_WORDS.get(str(self.metadata.get("failure")), self.error)

    @property
    def is_recovered(self) -> bool:
        """Return whether the agent itself corrects or goes around the failure, which is no news for the user."""
        return self.metadata.get("failure") in ("mistake", "conflict", "missing")


_FAILURE_WORDS = {
    "mistake": "The call did not fit, so nothing was done. The agent is told why.",
    "conflict": "The same lines were changed meanwhile, so nothing was changed. The agent is told the lines.",
    "rejected": "You rejected this call.",
}


ToolState = Annotated[ToolPending | ToolRunning | ToolCompleted | ToolFailed, Field(discriminator="status")]


class ToolPart(PartBase):
    type: Literal["tool"] = "tool"
    call_id: str
    """Model's own id of the call; unique within the message."""
    tool: str
    state: ToolState


class StepStartPart(PartBase):
    type: Literal["step-start"] = "step-start"


class StepFinishPart(PartBase):
    type: Literal["step-finish"] = "step-finish"
    reason: str
    tokens: Tokens
    cost: float = 0.0
    """Cost in US dollars; 0 for an unknown price."""


class PatchPart(PartBase):
    """Applied change of files."""

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
    """Border of a compaction: the model reads the summary in place of the earlier messages; the screen still shows all
    messages.
    """

    type: Literal["compaction"] = "compaction"
    auto: bool = True
    """True if a full context caused the compaction, false if the user did."""
    summary: str = ""
    kept_from: str | None = None
    """First message that the model still reads word for word; None: no earlier message is kept."""
    skills: tuple[str, ...] = ()
    """Earlier parts with a skill that the model still reads word for word beside the summary."""
    tokens_before: int = 0
    """Size of the conversation for the model before and after, in tokens by estimate."""
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
"""Part which a user can put into a prompt."""


def prompt_text(parts: Iterable[object]) -> str:
    """Return the words of the user in a prompt."""
    return "\n".join(part.text for part in parts if isinstance(part, TextPart) and not part.synthetic)


# ---------------------------------------------------------------- messages

StopReason = Literal["end_turn", "cancelled", "max_steps", "refused", "rejected", "error"]


Queue = Literal["steer", "after"]
"""Place of a prompt while a turn runs: `steer` joins the turn, `after` waits for the end of the turn."""


class UserMessage(Value):
    """Prompt of the user. The message opens a turn, whose id is the message's id, or steers a running turn."""

    role: Literal["user"] = "user"
    id: str = Field(default_factory=lambda: new_id("msg"))
    created: int = Field(default_factory=now)
    agent: str = "build"
    model: str = ""
    parts: tuple[Part, ...] = ()
    steers: str | None = None
    """Turn which the message steers; None for a message that opened a turn."""
    stop_reason: StopReason | None = None
    """Reason for the end of the opened turn; None for a running turn, or if the daemon died during the turn."""
    error: TurnError | None = None


class AssistantMessage(Value):
    """Answer of the model: one step of a turn."""

    role: Literal["assistant"] = "assistant"
    id: str = Field(default_factory=lambda: new_id("msg"))
    parent_id: str
    """User message that opened the turn."""
    created: int = Field(default_factory=now)
    completed: int | None = None
    agent: str = "build"
    model: str = ""
    summary: bool = False
    """True for a message with a summary of the conversation (a CompactionPart) and no answer to the user."""
    finish: str | None = None
    """Provider's reason for the end of the answer: stop, tool_calls, length, …"""
    error: TurnError | None = None
    tokens: Tokens = Tokens()
    cost: float = 0.0
    parts: tuple[Part, ...] = ()


Message = Annotated[UserMessage | AssistantMessage, Field(discriminator="role")]
