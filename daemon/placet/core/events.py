"""What happens in a session: one closed union, with ACP's names where ACP has one.

The loop emits these and nothing else. A transcript is the fold of them (transcript.py), the store keeps
that fold, and the screens draw it; so what is live, what is stored and what is replayed are one thing.
Every event that leaves a session is a `SessionEvent` and has a `seq`; a client that comes back asks for
all since its last.
"""

from typing import Annotated, Literal

from pydantic import Field

from placet.core.messages import (
    AssistantMessage,
    CompactionPart,
    JsonObject,
    StopReason,
    Tokens,
    ToolPart,
    TurnError,
    UserMessage,
    Value,
)


class TurnStarted(Value):
    kind: Literal["turn_started"] = "turn_started"
    turn_id: str
    """The id of the user message that opened it."""


class TurnEnded(Value):
    kind: Literal["turn_ended"] = "turn_ended"
    turn_id: str
    stop_reason: StopReason
    error: TurnError | None = None


class UserMessageAdded(Value):
    kind: Literal["user_message"] = "user_message"
    message: UserMessage


class AgentMessageChanged(Value):
    """An answer began or ended; its parts come in events of their own, so `message.parts` is empty here."""

    kind: Literal["agent_message"] = "agent_message"
    message: AssistantMessage


class AgentMessageChunk(Value):
    """Text of the answer. `offset` is where in the part it stands (in code points), so that a replay does no harm."""

    kind: Literal["agent_message_chunk"] = "agent_message_chunk"
    message_id: str
    part_id: str
    offset: int
    text: str


class AgentThoughtChunk(Value):
    """Thinking, in the same manner."""

    kind: Literal["agent_thought_chunk"] = "agent_thought_chunk"
    message_id: str
    part_id: str
    offset: int
    text: str
    signature: str | None = None
    redacted: str | None = None


class ToolCall(Value):
    """A tool call appeared; `part.state` is as of now."""

    kind: Literal["tool_call"] = "tool_call"
    message_id: str
    part: ToolPart


class ToolCallUpdate(Value):
    """The same call, later; `part` replaces what was known of it."""

    kind: Literal["tool_call_update"] = "tool_call_update"
    message_id: str
    part: ToolPart


class PlanEntry(Value):
    content: str
    status: Literal["pending", "in_progress", "completed", "cancelled"]
    priority: Literal["high", "medium", "low"] = "medium"


class Plan(Value):
    kind: Literal["plan"] = "plan"
    entries: tuple[PlanEntry, ...]


class UsageUpdate(Value):
    """After each model call: its tokens and cost (US dollars), and how full the context is.

    When a session is loaded, the last one is told again; the session's own `usage` has its cost already.
    """

    kind: Literal["usage_update"] = "usage_update"
    message_id: str
    tokens: Tokens
    cost: float = 0.0
    context_used: int = 0
    context_size: int | None = None


class SessionInfoUpdate(Value):
    kind: Literal["session_info_update"] = "session_info_update"
    title: str


class CurrentModeUpdate(Value):
    """Another agent is in charge."""

    kind: Literal["current_mode_update"] = "current_mode_update"
    agent: str
    model: str | None = None
    """What answers now."""


class AvailableCommand(Value):
    name: str
    description: str
    argument_hint: str | None = None
    """What may be written behind the name."""
    source: str = ""
    """Whose it is: `built in`, a file, the settings, a skill, an MCP server."""


class AvailableCommandsUpdate(Value):
    kind: Literal["available_commands_update"] = "available_commands_update"
    commands: tuple[AvailableCommand, ...]


class HunkOfChange(Value):
    """A run of changed lines, with their ends; line numbers are 0-based."""

    id: int
    """Counts from 1 within its file."""
    old_start: int
    old_lines: tuple[str, ...]
    new_start: int
    new_lines: tuple[str, ...]


class ChangedFile(Value):
    uri: str
    kind: Literal["create", "modify", "delete", "rename"]
    new_uri: str | None = None
    additions: int = 0
    deletions: int = 0
    diff: str = ""
    """Unified, always appliable."""
    edited: bool | None = None
    """True where the user put another text in place of the proposed one."""


class RefusedFile(Value):
    """What the user did not allow of a proposed file."""

    uri: str
    kind: Literal["create", "modify", "delete", "rename"]
    new_uri: str | None = None
    whole: bool
    """Nothing of it was allowed."""
    hunks: tuple[HunkOfChange, ...]
    """With the ids of the proposal, and the lines of the file as it was when the user was asked."""


class ChangeProposed(Value):
    kind: Literal["change_proposed"] = "change_proposed"
    message_id: str
    change_id: str
    call_id: str | None = None
    files: tuple[ChangedFile, ...]


class ChangeApplied(Value):
    """What is now in the documents; `files` is what was really applied, which may be less than was proposed."""

    kind: Literal["change_applied"] = "change_applied"
    message_id: str
    change_id: str
    call_id: str | None = None
    files: tuple[ChangedFile, ...]
    refused: tuple[RefusedFile, ...] | None = None
    """What the user left out of what was proposed; absent when that is nothing."""
    made_in: str | None = None
    """The subagent's session whose change it is, when this tells one it was made for; that one is told as well."""


class ChangeReverted(Value):
    kind: Literal["change_reverted"] = "change_reverted"
    message_id: str
    change_id: str
    made_in: str | None = None
    """The subagent's session whose change it is, when this tells one it was made for; that one is told as well."""


class DiagnosticsDelta(Value):
    """What a change did to the diagnostics of the files it touched."""

    kind: Literal["diagnostics_delta"] = "diagnostics_delta"
    message_id: str
    change_id: str
    added: tuple[JsonObject, ...] = ()
    removed: tuple[JsonObject, ...] = ()
    fresh: bool = False


class Retry(Value):
    kind: Literal["retry"] = "retry"
    message_id: str
    attempt: int
    wait_seconds: float
    error: TurnError


class Notice(Value):
    """Something the user should know of the turn that does not end it."""

    kind: Literal["notice"] = "notice"
    turn_id: str
    code: str
    message: str
    hint: str = ""


class Compaction(Value):
    """The conversation was summed up for the model; a screen goes on showing all of it."""

    kind: Literal["compaction"] = "compaction"
    message_id: str
    part: CompactionPart


class ToolResultCleared(Value):
    """The model no longer has the result of this call, which is long past; a screen goes on showing it."""

    kind: Literal["tool_result_cleared"] = "tool_result_cleared"
    message_id: str
    part_id: str
    at: int
    """In milliseconds since the epoch."""


Update = Annotated[
    TurnStarted
    | TurnEnded
    | UserMessageAdded
    | AgentMessageChanged
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCall
    | ToolCallUpdate
    | Plan
    | UsageUpdate
    | SessionInfoUpdate
    | CurrentModeUpdate
    | AvailableCommandsUpdate
    | ChangeProposed
    | ChangeApplied
    | ChangeReverted
    | DiagnosticsDelta
    | Retry
    | Notice
    | Compaction
    | ToolResultCleared,
    Field(discriminator="kind"),
]


class SessionEvent(Value):
    """One event as it leaves its session. `seq` only grows within a session; it may have gaps."""

    session_id: str
    seq: int
    update: Update
