"""Session updates, tool calls and permission requests, as Placet sends these to the client."""

from typing import Any, Literal

from msgspec import Struct, field

from placet.frontends.acp.protocol.requests import ConfigOption, Message, Meta

ToolKind = Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"]
ToolStatus = Literal["pending", "in_progress", "completed", "failed"]
OptionKind = Literal["allow_once", "allow_always", "reject_once", "reject_always"]


class Text(Message, frozen=True, tag_field="type", tag="text"):
    text: str


class Image(Message, frozen=True, tag_field="type", tag="image"):
    data: str
    mime_type: str


class Link(Message, frozen=True, tag_field="type", tag="resource_link"):
    uri: str
    name: str
    mime_type: str | None = None


Block = Text | Image | Link


class Content(Message, frozen=True, tag_field="type", tag="content"):
    content: Block


class Diff(Message, frozen=True, tag_field="type", tag="diff"):
    """Texts of a file, whole or an excerpt; `old_text` is None for a new file."""

    path: str
    new_text: str
    old_text: str | None = None


class Terminal(Message, frozen=True, tag_field="type", tag="terminal"):
    """Terminal of the client, which shows the growing output by itself."""

    terminal_id: str


ToolContent = Content | Diff | Terminal


class Location(Message, frozen=True):
    path: str
    line: int | None = None
    """Line, from 1 on."""


class ToolCallFields(Message, frozen=True):
    """Fields of a tool call; an update replaces each present field."""

    tool_call_id: str
    title: str
    kind: ToolKind
    status: ToolStatus
    content: tuple[ToolContent, ...] = ()
    locations: tuple[Location, ...] = ()
    raw_input: Any = None
    raw_output: Any = None
    meta: Meta | None = field(default=None, name="_meta")


class ToolCall(ToolCallFields, frozen=True, tag_field="sessionUpdate", tag="tool_call"):
    """First appearance of a tool call."""


class ToolCallUpdate(ToolCallFields, frozen=True, tag_field="sessionUpdate", tag="tool_call_update"):
    """New state of a tool call."""


class UserChunk(Message, frozen=True, tag_field="sessionUpdate", tag="user_message_chunk"):
    content: Block
    message_id: str | None = None


class AgentChunk(Message, frozen=True, tag_field="sessionUpdate", tag="agent_message_chunk"):
    content: Block
    message_id: str | None = None


class ThoughtChunk(Message, frozen=True, tag_field="sessionUpdate", tag="agent_thought_chunk"):
    content: Block
    message_id: str | None = None


class PlanEntry(Struct, frozen=True):
    content: str
    priority: Literal["high", "medium", "low"]
    status: Literal["pending", "in_progress", "completed"]


class Plan(Struct, frozen=True, tag_field="sessionUpdate", tag="plan"):
    entries: tuple[PlanEntry, ...]


class CommandInput(Struct, frozen=True):
    hint: str


class Command(Message, frozen=True):
    name: str
    description: str
    input: CommandInput | None = None


class Commands(Struct, frozen=True, rename="camel", tag_field="sessionUpdate", tag="available_commands_update"):
    available_commands: tuple[Command, ...]


class CurrentMode(Message, frozen=True, tag_field="sessionUpdate", tag="current_mode_update"):
    current_mode_id: str


class ConfigOptionUpdate(Message, frozen=True, tag_field="sessionUpdate", tag="config_option_update"):
    config_options: tuple[ConfigOption, ...]


class SessionInfo(Message, frozen=True, tag_field="sessionUpdate", tag="session_info_update"):
    title: str | None = None
    updated_at: str | None = None


class Cost(Struct, frozen=True):
    amount: float
    currency: str = "USD"


class Notice(Message, frozen=True, tag_field="sessionUpdate", tag="notice"):
    severity: Literal["info", "warning", "error"]
    title: str
    description: str | None = None


class CompactionUpdate(Message, frozen=True, tag_field="sessionUpdate", tag="compaction_update"):
    compaction_id: str
    status: Literal["in_progress", "completed", "failed", "cancelled"]
    summary: tuple[Text, ...] = ()
    error: str | None = None


class Usage(Message, frozen=True, tag_field="sessionUpdate", tag="usage_update"):
    used: int
    size: int
    cost: Cost | None = None


Chunk = UserChunk | AgentChunk | ThoughtChunk
Change = ToolCall | ToolCallUpdate | Plan | Commands | CurrentMode | ConfigOptionUpdate | SessionInfo | Usage
SessionUpdate = Chunk | Change | Notice | CompactionUpdate


class Notification(Message, frozen=True):
    """Params of `session/update`."""

    session_id: str
    update: SessionUpdate


class PermissionOption(Message, frozen=True):
    option_id: str
    name: str
    kind: OptionKind


class AskByForm(Message, frozen=True):
    """Params of `elicitation/create` with a form."""

    mode: Literal["form"]
    session_id: str
    message: str
    requested_schema: dict[str, Any]
    tool_call_id: str | None = None


class RequestPermission(Message, frozen=True):
    """Params of `session/request_permission`."""

    session_id: str
    tool_call: ToolCallFields
    options: tuple[PermissionOption, ...]
