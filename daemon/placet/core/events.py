"""Events of a session: one closed union, with ACP's names where ACP has a name.

The agent loop emits these events and nothing else. A transcript is the fold of the events (transcript.py), the store
keeps the fold, and the screens draw the fold; live, stored and replayed conversations are therefore the same. Every
event outside a session is a `SessionEvent` with a `seq`; a returning client asks for all events after the last known
`seq`.
"""

from typing import Annotated, Literal

from pydantic import Field

from placet.core.effort import Effort
from placet.core.hunks import Hunk
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
    """Id of the user message that opened the turn."""


class TurnEnded(Value):
    kind: Literal["turn_ended"] = "turn_ended"
    turn_id: str
    stop_reason: StopReason
    error: TurnError | None = None


class UserMessageAdded(Value):
    kind: Literal["user_message"] = "user_message"
    message: UserMessage


class AgentMessageChanged(Value):
    """An answer began or ended. `message.parts` is empty, as parts have events of their own."""

    kind: Literal["agent_message"] = "agent_message"
    message: AssistantMessage


class AgentMessageChunk(Value):
    """Text of the answer. `offset` is the place of the text in the part, in code points; a repeated chunk does no harm
    to a client.
    """

    kind: Literal["agent_message_chunk"] = "agent_message_chunk"
    message_id: str
    part_id: str
    offset: int
    text: str


class AgentThoughtChunk(Value):
    """Thinking of the model, with the fields of an answer's text."""

    kind: Literal["agent_thought_chunk"] = "agent_thought_chunk"
    message_id: str
    part_id: str
    offset: int
    text: str
    signature: str | None = None
    redacted: str | None = None


class ToolCall(Value):
    """A tool call appeared; `part.state` is the present state."""

    kind: Literal["tool_call"] = "tool_call"
    message_id: str
    part: ToolPart


class ToolCallUpdate(Value):
    """A tool call changed; `part` replaces the earlier part."""

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
    """Tokens and cost (US dollars) of a finished model call, and the used share of the context.

    Loading a session repeats the last update; the session's own `usage` already includes the cost.
    """

    kind: Literal["usage_update"] = "usage_update"
    message_id: str
    tokens: Tokens
    cost: float = 0.0
    context_used: int = 0
    context_size: int | None = None
    subscription: bool | None = None
    """True if a subscription of the user covers the answer, which then has no price; absent otherwise."""


class SessionInfoUpdate(Value):
    kind: Literal["session_info_update"] = "session_info_update"
    title: str


class CurrentModeUpdate(Value):
    """Another agent took over the session, or the user chose another model."""

    kind: Literal["current_mode_update"] = "current_mode_update"
    agent: str
    model: str | None = None
    """Model of the session from now on."""


class ReviewModeUpdate(Value):
    """The user chose another way of reviewing the session's changes, which holds at once."""

    kind: Literal["review_mode_update"] = "review_mode_update"
    review: Literal["ask", "stage", "apply"]


class CautionUpdate(Value):
    """The user chose how careful the session is, which holds for the next call on."""

    kind: Literal["caution_update"] = "caution_update"
    caution: Literal["more", "default", "less"]


class EffortUpdate(Value):
    """The user chose how much the model thinks, which holds for the model's next call on."""

    kind: Literal["effort_update"] = "effort_update"
    effort: Effort | None = None
    """Level or budget in tokens; absent: the agent's, or that of the settings."""


class ProfileUpdate(Value):
    """The user chose how much is asked of the session's model, which holds from the next turn on."""

    kind: Literal["profile_update"] = "profile_update"
    profile: Literal["auto", "full", "small", "smallest"] | None = None
    """Absent: as the settings say."""


class QueuedPrompt(Value):
    """Prompt that waits for the end of earlier work of its session."""

    id: str
    text: str
    """Words of the user; empty for a prompt of attachments alone."""


class QueueUpdate(Value):
    """Another prompt waits, or a prompt waits no longer. The answer to `agent/session/load` holds the same list."""

    kind: Literal["queue_update"] = "queue_update"
    prompts: tuple[QueuedPrompt, ...]
    """Waiting prompts of all clients of this Placet, in order."""


class AvailableCommand(Value):
    name: str
    description: str
    argument_hint: str | None = None
    """Hint about the arguments behind the name."""
    source: str = ""
    """Source of the command: `built in`, a file, the settings, a skill, an MCP server."""


class AvailableCommandsUpdate(Value):
    kind: Literal["available_commands_update"] = "available_commands_update"
    commands: tuple[AvailableCommand, ...]


class ChangedFile(Value):
    uri: str
    kind: Literal["create", "modify", "delete", "rename"]
    new_uri: str | None = None
    additions: int = 0
    deletions: int = 0
    diff: str = ""
    """Unified diff, always appliable."""
    edited: bool | None = None
    """True for a file with the user's own text in place of the proposed text."""


class RefusedFile(Value):
    """Rejected part of a proposed file."""

    uri: str
    kind: Literal["create", "modify", "delete", "rename"]
    new_uri: str | None = None
    whole: bool
    """True if the user rejected the whole file."""
    hunks: tuple[Hunk, ...]
    """Rejected hunks, with the ids of the proposal and the lines of the file at the time of the request."""


class ChangeProposed(Value):
    kind: Literal["change_proposed"] = "change_proposed"
    message_id: str
    change_id: str
    call_id: str | None = None
    files: tuple[ChangedFile, ...]


class ChangeApplied(Value):
    """A change is in the documents. `files` holds the applied files, which may be fewer than the proposed files."""

    kind: Literal["change_applied"] = "change_applied"
    message_id: str
    change_id: str
    call_id: str | None = None
    files: tuple[ChangedFile, ...]
    refused: tuple[RefusedFile, ...] | None = None
    """Rejected part of the proposal; absent if the user rejected nothing."""
    made_in: str | None = None
    """Subagent's session that made the change. The event goes to the subagent's session and to the session for which
    the subagent worked.
    """


class ChangeReverted(Value):
    kind: Literal["change_reverted"] = "change_reverted"
    message_id: str
    change_id: str
    made_in: str | None = None
    """Subagent's session that made the change. The event goes to the subagent's session and to the session for which
    the subagent worked.
    """


class ChangeSetUpdate(Value):
    """The change set of the session changed: `agent/review/list` returns the files of the set."""

    kind: Literal["change_set_update"] = "change_set_update"
    session_id: str
    """Session that the user prompted; the event may come from a subagent's session."""
    files: int
    """Number of files of the set, staged and unreviewed."""


class SessionBack(Value):
    """The user went back to an earlier prompt, or the way back has ended."""

    kind: Literal["session_back"] = "session_back"
    message_id: str | None = None
    """Prompt to which the user went back: this message and all messages with a greater id are hidden. Absent: nothing
    is hidden any more; after a redo the events of the restored messages follow.
    """
    files_back: bool | None = None
    """True while a redo would bring forth the files alone, as `filesBack` of the session."""


class DiagnosticsDelta(Value):
    """Difference in the diagnostics of the changed files, before and after a change."""

    kind: Literal["diagnostics_delta"] = "diagnostics_delta"
    message_id: str
    change_id: str
    added: tuple[JsonObject, ...] = ()
    removed: tuple[JsonObject, ...] = ()
    fresh: bool = False
    proposed: bool | None = None
    """True if the diagnostics are of a staged change: of the proposed text, by language servers of Placet."""


class Retry(Value):
    kind: Literal["retry"] = "retry"
    message_id: str
    attempt: int
    wait_seconds: float
    error: TurnError


class Notice(Value):
    """Message for the user about the turn; the turn goes on."""

    kind: Literal["notice"] = "notice"
    turn_id: str
    code: str
    message: str
    hint: str = ""


class Compaction(Value):
    """The conversation was summarized for the model; a screen goes on showing the whole conversation."""

    kind: Literal["compaction"] = "compaction"
    message_id: str
    part: CompactionPart


class ToolResultCleared(Value):
    """An old result of a tool call was cleared for the model; a screen goes on showing the result."""

    kind: Literal["tool_result_cleared"] = "tool_result_cleared"
    message_id: str
    part_id: str
    at: int
    """Time in milliseconds since the epoch."""


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
    | ReviewModeUpdate
    | CautionUpdate
    | EffortUpdate
    | ProfileUpdate
    | QueueUpdate
    | AvailableCommandsUpdate
    | ChangeProposed
    | ChangeApplied
    | ChangeReverted
    | ChangeSetUpdate
    | SessionBack
    | DiagnosticsDelta
    | Retry
    | Notice
    | Compaction
    | ToolResultCleared,
    Field(discriminator="kind"),
]


class SessionEvent(Value):
    """Event of a session on its way to clients. `seq` only grows within a session, possibly with gaps."""

    session_id: str
    seq: int
    update: Update
