"""Requests and notifications of the client, and the results."""

from typing import Any, Literal

from msgspec import Struct, field

Meta = dict[str, Any]


class Message(Struct, rename="camel", omit_defaults=True, frozen=True):
    """Base of all shapes: names in camel case, and fields left out where equal to the default."""


class Initialize(Message, frozen=True):
    """Params of `initialize`; the profile reads the facts about the client field by field."""

    protocol_version: int
    client_info: Any = None
    client_capabilities: Any = None


class ClientInfo(Message, frozen=True):
    name: str = ""
    version: str = ""
    title: str | None = None


class FileSystem(Message, frozen=True):
    read_text_file: bool = False
    write_text_file: bool = False


class Elicitation(Message, frozen=True):
    """Kinds of forms known to the client; an empty object for a kind means yes."""

    form: Meta | None = None
    url: Meta | None = None


class ClientAuth(Message, frozen=True):
    terminal: bool = False


class ClientSessions(Message, frozen=True):
    """Session updates that the client takes; an empty object for a kind means yes."""

    compaction: Meta | None = None
    notices: Meta | None = None


class ClientCapabilities(Message, frozen=True):
    fs: FileSystem | None = None
    terminal: bool = False
    auth: ClientAuth | None = None
    session: ClientSessions | None = None
    elicitation: Elicitation | None = None


class Authenticate(Message, frozen=True):
    method_id: str


class NamedValue(Message, frozen=True):
    """Environment variable of an MCP server, or header of its requests."""

    name: str
    value: str


class McpServer(Message, frozen=True):
    """MCP server that the client hands over: a program without a `type`, else an address."""

    name: str
    type: str | None = None
    command: str = ""
    args: tuple[str, ...] | None = None
    env: tuple[NamedValue, ...] | None = None
    url: str = ""
    headers: tuple[NamedValue, ...] | None = None


class NewSession(Message, frozen=True):
    cwd: str
    mcp_servers: list[McpServer]
    additional_directories: list[str] = field(default_factory=list[str])


class LoadSession(Message, frozen=True):
    session_id: str
    cwd: str
    mcp_servers: list[McpServer] = field(default_factory=list[McpServer])
    additional_directories: list[str] = field(default_factory=list[str])


class ListSessions(Message, frozen=True):
    cwd: str | None = None
    cursor: str | None = None


class SessionRef(Message, frozen=True):
    """Params with the name of a session alone."""

    session_id: str


class SetTitle(Message, frozen=True):
    session_id: str
    title: str


class SetMode(Message, frozen=True):
    session_id: str
    mode_id: str


class SetConfigOption(Message, frozen=True):
    session_id: str
    config_id: str
    value: str | bool


class TextBlock(Message, frozen=True, tag_field="type", tag="text"):
    text: str


class ImageBlock(Message, frozen=True, tag_field="type", tag="image"):
    data: str
    mime_type: str
    uri: str | None = None


class AudioBlock(Message, frozen=True, tag_field="type", tag="audio"):
    data: str
    mime_type: str


class ResourceLink(Message, frozen=True, tag_field="type", tag="resource_link"):
    uri: str
    name: str
    mime_type: str | None = None


class EmbeddedContents(Message, frozen=True):
    """Contents of an embedded resource: either the text or base64 bytes."""

    uri: str
    text: str | None = None
    blob: str | None = None
    mime_type: str | None = None


class EmbeddedResource(Message, frozen=True, tag_field="type", tag="resource"):
    resource: EmbeddedContents


PromptBlock = TextBlock | ImageBlock | AudioBlock | ResourceLink | EmbeddedResource


class Prompt(Message, frozen=True):
    session_id: str
    prompt: list[PromptBlock]
    meta: Meta | None = field(default=None, name="_meta")


# ---------------------------------------------------------------- results

StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]


class TurnUsage(Message, frozen=True):
    """Tokens of a turn, by the provider's figures; a draft of the protocol."""

    total_tokens: int
    input_tokens: int
    output_tokens: int
    thought_tokens: int | None = None
    cached_read_tokens: int | None = None
    cached_write_tokens: int | None = None


class PromptResult(Message, frozen=True):
    stop_reason: StopReason
    usage: TurnUsage | None = None


class StoredTitle(Message, frozen=True):
    """Result of `session/set_title`."""

    title: str


class Mode(Message, frozen=True):
    id: str
    name: str
    description: str | None = None


class Modes(Message, frozen=True):
    current_mode_id: str
    available_modes: tuple[Mode, ...]


class SelectChoice(Message, frozen=True):
    """Possible value of an option."""

    value: str
    name: str
    description: str | None = None


class SelectGroup(Message, frozen=True):
    group: str
    name: str
    options: tuple[SelectChoice, ...]


class ConfigOption(Message, frozen=True, tag_field="type", tag="select"):
    """Option of a session with its choices, as a menu of the client."""

    id: str
    name: str
    current_value: str
    options: tuple[SelectChoice, ...] | tuple[SelectGroup, ...]
    description: str | None = None
    category: str | None = None


class ConfigOptions(Message, frozen=True):
    """Result of `session/set_config_option`: all options."""

    config_options: tuple[ConfigOption, ...]


class OpenedSession(Message, frozen=True):
    """Result of `session/load` and `session/resume`."""

    modes: Modes
    config_options: tuple[ConfigOption, ...]


class CreatedSession(Message, frozen=True):
    """Result of `session/new` and `session/fork`."""

    session_id: str
    modes: Modes
    config_options: tuple[ConfigOption, ...]


class ListedSession(Message, frozen=True):
    session_id: str
    cwd: str
    title: str | None = None
    updated_at: str | None = None
    additional_directories: tuple[str, ...] = ()


class SessionList(Message, frozen=True):
    sessions: tuple[ListedSession, ...]
    next_cursor: str | None = None
