"""What the user can set: one tree, with what is built in as its defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, PlainValidator, PrivateAttr, SecretStr, model_validator
from pydantic.alias_generators import to_camel

from placet.settings.lines import KeyLines
from placet.settings.permission import Action, PermissionSetting, WrittenPermissions, read_permission


class Section(BaseModel):
    """A group of settings, camelCase in files; a name that does not exist is an error."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")


class EditSettings(Section):
    files_through_editor: int = 20
    """A change to more files than this is written to disk for those that are not open, instead of loading them."""


class DiagnosticsSettings(Section):
    """What the agent is told of errors and warnings after an edit of its."""

    after_edits: bool = True
    min_severity: Literal["error", "warning", "information", "hint"] = "warning"
    """The least that is told."""
    ignore_sources: tuple[str, ...] = ()
    """Sources that are left out, for example `cSpell`."""
    timeout_seconds: float = Field(default=3.0, gt=0)
    """How long fresh results are waited for; after that it is told that they may be outdated."""
    other_files: int = Field(default=5, ge=0)
    """Files that the edit did not touch, but in which it changed something, are told up to this number."""


class ServerSettings(Section):
    """A language server of your own, or what is other about a common one of that name."""

    enabled: bool = True
    command: tuple[str, ...] = ()
    """The program and its arguments; it speaks LSP on stdin and stdout."""
    suffixes: tuple[str, ...] = ()
    """Of the files it serves, for example `.py`; or whole names of files."""
    language_id: str = ""
    """LSP's; the suffix without its dot, if not set."""
    root_markers: tuple[str, ...] = ()
    initialization_options: dict[str, Any] = Field(default_factory=dict[str, Any])
    settings: dict[str, Any] = Field(default_factory=dict[str, Any])
    """What it is told that asks for its configuration."""


class LanguageSettings(Section):
    """Language servers that Placet starts itself, where the editor has none for a file.

    When one of these settings changes, the servers that run are ended, and start anew when they are asked.
    """

    own: bool = False
    """Start them, but none in a project that you have not trusted: many run what they find there (compilers, plugins).

    That is one that brings things for Placet which you did not let it use, or which your editor does not trust. A
    server is a program of yours; nothing is downloaded.
    """
    servers: dict[str, ServerSettings] = Field(default_factory=dict[str, ServerSettings])
    max_servers: int = Field(default=6, ge=1)
    """At once; the one longest unused ends for another."""
    max_memory_mb: int = Field(default=2048, ge=64)
    """A server that takes more is ended, and started again when it is needed."""
    idle_seconds: float = Field(default=600.0, gt=0)
    """A server that was not asked for so long ends."""


class ModelSettings(Section):
    api_base: str | None = None
    """Address of an OpenAI-compatible server, for a model that is not at its provider's own.

    It holds for `model` and for others of the same provider.
    """
    temperature: float | None = None
    max_output_tokens: int | None = None
    idle_timeout_seconds: float = 120.0
    """A stream that is silent for longer counts as lost."""
    host_idle_seconds: float = Field(default=600.0, ge=0)
    """The model host ends when nothing was asked of it for so long, and starts again by itself; 0: never.

    Another value counts from the next call on.
    """
    first_byte_timeout_seconds: float | None = None
    """How long an answer may take to begin; as long as it may be silent later, if not set."""
    connect_timeout_seconds: float = 20.0
    """How long it may take to get a connection to the provider."""
    max_retry_wait_seconds: float = Field(default=60.0, ge=0)
    """A provider that asks to wait for longer before another try is not waited for; 0: nothing is tried again."""
    tools: Literal["auto", "native", "prompted"] = "auto"
    """`prompted` describes tools in the prompt and reads calls from the text of the answer, for a model that has no
    calls of its own; `auto` does so where that is known of the model, or its server says so."""
    transport: Literal["auto", "compatible"] = "auto"
    """`compatible` leaves the reading of answers to litellm, for a provider whose answers we misread."""
    cache: Literal["auto", "off"] = "auto"
    """`off` marks nothing for the cache of a provider that has to be told what to keep."""


class AgentSettings(Section):
    """What can be set of one agent: under `agent.NAME` here, or in the front matter of its Markdown file.

    What is not set stays as it is; an agent that is new answers to the user and to other agents.
    """

    description: str | None = None
    """For the user who picks an agent, and for the agent that hands work to it."""
    mode: Literal["primary", "subagent", "all"] | None = None
    """Whether the user talks to it, or other agents hand it work, or both."""
    model: str | None = Field(default=None, min_length=1)
    """What it answers with, instead of the session's model."""
    prompt: str | None = Field(default=None, min_length=1)
    """What opens its system prompt; in a Markdown file the text below the front matter."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    steps: int | None = Field(default=None, ge=1, validation_alias=AliasChoices("steps", "maxSteps", "max_steps"))
    """Model calls in one turn of its before it stops."""
    permission: Annotated[PermissionSetting, PlainValidator(read_permission)] = Field(default_factory=dict[str, Any])
    """Rules over those for all agents."""
    tools: dict[str, bool] = Field(default_factory=dict[str, bool])
    """Tools it has or has not, by id; `*` stands for any text, the last that fits decides. An older form."""
    disable: bool | None = None
    """Whether it is as good as not there."""
    hidden: bool | None = None
    """In no list, and not to be chosen; other agents can still hand it work."""


class CommandSettings(Section):
    """A slash command of your own: under `command.NAME` here, or in a Markdown file, where the text is the template."""

    template: str = Field(min_length=1)
    """What is said to the model, with `$ARGUMENTS`, `$1` to `$9`, `@file` and shell parts: docs/COMMANDS.md."""
    description: str = ""
    agent: str | None = Field(default=None, min_length=1)
    """Who answers, in this one turn."""
    model: str | None = Field(default=None, min_length=1)
    """What answers, in this one turn."""
    subtask: bool | None = None
    """Have a subagent do it; when its agent is one, if not set."""
    argument_hint: str = ""
    """What may be written behind the name."""


class SearchSettings(Section):
    """Where websearch and codesearch ask."""

    provider: Literal["exa"] = "exa"
    address: str = "https://mcp.exa.ai/mcp"
    """Of the provider's MCP endpoint."""
    api_key: SecretStr | None = None


class CostCaps(Section):
    """US dollars at which a turn stops before its next model call; None for no cap.

    Subagents count for the turn and the session that they work for. Calls of unknown price cost nothing here. Answers
    under way side by side know nothing of each other's cost: a cap can be passed by one call for each of them.
    """

    turn: float | None = Field(default=None, ge=0)
    session: float | None = Field(default=None, ge=0)
    day: float | None = Field(default=None, ge=0)
    """By all sessions together, since midnight."""


class CompactionSettings(Section):
    """What becomes of a conversation that grows too long for the model."""

    auto: bool = True
    """Sum it up when the model has no more room; otherwise the turn fails then."""
    prune: bool = True
    """Between turns, clear old results of tools for the model."""
    reserved_tokens: int | None = Field(default=None, ge=0)
    """Kept free of the model's context, for its answer: 20,000, or all that it can answer with, if not set."""
    keep_tokens: int | None = Field(default=None, ge=0)
    """Of the last two turns, word for word: a quarter of the context, but 2,000 to 8,000, if not set."""


class McpAuthorization(Section):
    """How Placet makes itself known to a server's authorization server."""

    client_id: str | None = None
    """One registered by hand; without it Placet registers itself."""
    client_secret: SecretStr | None = None
    scope: str | None = None
    callback_port: int = Field(default=0, ge=0, le=65535)
    """On 127.0.0.1, where the browser comes back to; 0: any that is free."""


class McpServerSettings(Section):
    """An MCP server: a program (`command`), or an address (`url`)."""

    type: Literal["local", "remote", "http", "sse"] | None = None
    """`remote`, which is what a `url` is by default, is tried as `http` (streamable HTTP) and then as `sse`."""
    command: str | tuple[str, ...] = ()
    """The program, with or without its arguments; it speaks MCP on stdin and stdout."""
    args: tuple[str, ...] = ()
    """More arguments."""
    env: dict[str, str] = Field(
        default_factory=dict[str, str],
        validation_alias=AliasChoices("env", "environment"),
        repr=False,
    )
    """Variables it has beside yours; of yours it does not have those that look like secrets."""
    cwd: str | None = None
    """Where it runs: relative to the project, which it is by default."""
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """Sent to the address with each request."""
    oauth: bool | McpAuthorization = True
    """Whether you may sign in to it (`placet mcp auth`), and how."""
    enabled: bool = True
    timeout_seconds: float = Field(default=30.0, gt=0)
    """To start, and to answer all but calls of tools."""
    call_timeout_seconds: float = Field(default=300.0, gt=0)
    """How long a call of a tool may be silent: neither progress nor a result."""
    permission: Action | None = None
    """For all of its tools, below what `permission` says of them; without it each is asked for."""

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("expected either `command` or `url`")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise ValueError("expected `url` to begin with http:// or https://")
        if self.type is not None and (self.type == "local") != bool(self.command):
            raise ValueError(f"`type` is {self.type}, which does not go with `{'command' if self.command else 'url'}`")
        return self


class McpSettings(Section):
    """The MCP servers by name, and how long prompts wait for them."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, McpServerSettings] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    wait_seconds: float = Field(default=5.0, ge=0)
    """How long a prompt waits for servers that are still starting; 0: not at all."""

    @property
    def servers(self) -> dict[str, McpServerSettings]:
        return dict(self.__pydantic_extra__)


class ContextSettings(Section):
    """What the model is told beside a prompt, unasked."""

    editor: bool = False
    """The name of the file that you are in, the line and the selected lines, and the names of the files you see."""


class PluginSettings(Section):
    """Custom tools and plugins, of the user and of trusted projects."""

    timeout_seconds: float = Field(default=5.0, gt=0)
    """What one hook of a plugin has for one call; after that it goes on without it."""
    load_seconds: float = Field(default=10.0, gt=0)
    """What one file has to be imported; after that it is left out."""
    wait_seconds: float = Field(default=2.0, ge=0)
    """How long a prompt waits at most for tools and plugins that are still being imported."""


class DaemonSettings(Section):
    """One daemon for several editors. Counts in your own files of settings, not in a project's or an editor's."""

    shared: bool = False
    """Have `placet --stdio` hand the editor on to the daemon that runs; one is started when there is none."""
    idle_seconds: float = Field(default=600.0, gt=0)
    """It ends when for so long no editor was there and nothing ran."""
    answer_seconds: float = Field(default=600.0, ge=0)
    """How long what needs your answer waits for an editor, once the last one has left."""


class ExperimentalSettings(Section):
    """Tools that are not for everyone yet."""

    batch_tool: bool = False
    plan_mode: bool = False


@dataclass(frozen=True, slots=True)
class WrittenAgents:
    """What one source of settings says of agents, by name and not looked at yet."""

    source: str
    """In the user's words: a file, the environment, …"""
    agents: Mapping[str, Any]
    lines: KeyLines = field(default_factory=dict[tuple[str, ...], int])
    """Where in the source each key stands, for a file."""


class Settings(Section):
    model: str = "builtin/rules"
    """`provider/name` as litellm knows it; `builtin/rules` needs no model; `scripted/FILE` plays a script."""
    model_options: ModelSettings = ModelSettings()
    small_model: str | None = Field(default=None, min_length=1)
    """For small things such as a session's title, instead of `model`."""
    fallback_models: tuple[str, ...] = ()
    """What answers, in this order, when the model cannot: its server is not there, overloaded, or out of quota."""
    permission: Annotated[PermissionSetting, PlainValidator(read_permission)] = Field(default_factory=dict[str, Any])
    """Rules over the built-in ones, in OpenCode's form: permission -> action, or permission -> pattern -> action.

    All sources merged; `written` has them apart, each with its place.
    """
    instructions: list[str] = Field(default_factory=list[str])
    """Rules for agents beside AGENTS.md and its kin: globs (absolute, `~/`, or looked for upward) and web addresses."""
    agent: dict[str, Any] = Field(default_factory=dict[str, Any])
    """AgentSettings by name, for agents of the user's own and over those there are.

    Looked at one by one where the agents are made (agent/agent_definitions.py), as a wrong one is left out;
    `written_agents` has the sources apart, each with its place.
    """
    command: dict[str, CommandSettings] = Field(default_factory=dict[str, CommandSettings])
    """Slash commands by name, over those in Markdown files."""
    default_agent: str | None = None
    """Who answers in a session that names no agent; `build` if it is not set."""
    max_steps: int | None = None
    """Model calls in one turn before it stops; None for no limit."""
    max_cost: CostCaps = CostCaps()
    compaction: CompactionSettings = CompactionSettings()
    context: ContextSettings = ContextSettings()
    edit: EditSettings = EditSettings()
    diagnostics: DiagnosticsSettings = DiagnosticsSettings()
    languages: LanguageSettings = LanguageSettings()
    tools: dict[str, bool] = Field(default_factory=dict[str, bool])
    """Tools switched on or off by id, whatever else decides about them; `*` stands for any text.

    One that is off is denied too, as in OpenCode: permissions/rules.py.
    """
    search: SearchSettings = SearchSettings()
    mcp: McpSettings = McpSettings()
    """MCP servers by name. Each starts in the background when the editor has started, or with `placet run`."""
    plugin: tuple[str | tuple[str, dict[str, Any]], ...] = ()
    """Plugins beside those in `plugin/`: names of installed packages, or paths of files (from the folder of your
    settings); `[name, options]` hands it options."""
    plugins: PluginSettings = PluginSettings()
    daemon: DaemonSettings = DaemonSettings()
    experimental: ExperimentalSettings = ExperimentalSettings()
    _written: tuple[WrittenPermissions, ...] = PrivateAttr(())
    _written_agents: tuple[WrittenAgents, ...] = PrivateAttr(())
    _problems: tuple[str, ...] = PrivateAttr(())

    @property
    def written(self) -> tuple[WrittenPermissions, ...]:
        """What each source says of permissions, the one that outweighs the others last."""
        return self._written or (WrittenPermissions("your settings", self.permission, self.tools),)

    @property
    def written_agents(self) -> tuple[WrittenAgents, ...]:
        """What each source says of agents, the one that outweighs the others last."""
        return self._written_agents or (WrittenAgents("your settings", self.agent),)

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be used of the sources, each with its place, in words for the user."""
        return self._problems

    def with_sources(
        self,
        *,
        permissions: tuple[WrittenPermissions, ...] = (),
        agents: tuple[WrittenAgents, ...] = (),
        problems: tuple[str, ...] = (),
    ) -> Self:
        """The same, knowing where it is from."""
        settings = self.model_copy()
        settings._written, settings._written_agents, settings._problems = permissions, agents, problems
        return settings
