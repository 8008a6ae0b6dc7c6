"""Model of the settings: one tree, with the built-in values as defaults."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from msgspec import Struct, field
from pydantic import AfterValidator, AliasChoices, Field, PlainValidator, PrivateAttr, SecretStr

from placet.settings.completion import CompletionSettings
from placet.settings.hooks import WrittenHooks
from placet.settings.lines import KeyLines
from placet.settings.mcp import McpSettings
from placet.settings.model_options import EffortSetting, ModelSettings
from placet.settings.permission import PermissionSetting, WrittenPermissions, read_permission
from placet.settings.profile import ProfileChoice
from placet.settings.providers import ProviderSettings, checked
from placet.settings.review_modes import ReviewMode
from placet.settings.section import Section
from placet.settings.telemetry import TelemetrySettings


class EditSettings(Section):
    files_through_editor: int = 20
    """Largest number of files for which a change opens closed files in the editor. A larger change writes closed files
    to disk.
    """


class DiagnosticsSettings(Section):
    """Diagnostics (errors and warnings) told to the agent after an edit."""

    after_edits: bool = True
    """Tell the agent the diagnostics that an edit adds or fixes."""
    min_severity: Literal["error", "warning", "information", "hint"] = "warning"
    """Weakest severity told to the agent."""
    ignore_sources: tuple[str, ...] = ()
    """Sources to leave out, for example `cSpell`."""
    timeout_seconds: float = Field(default=3.0, gt=0)
    """Longest wait for fresh diagnostics; afterwards the agent is told that the diagnostics may be outdated."""
    other_files: int = Field(default=5, ge=0)
    """Number of untouched files whose changed diagnostics the agent is told."""


class ServerSettings(Section):
    """Language server of your own, or your changes to a common server of the same name."""

    enabled: bool = True
    """Use the server; false: never start the server."""
    command: tuple[str, ...] = ()
    """Program and arguments; the server speaks LSP on stdin and stdout."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of the server's files, for example `.py`, or whole names of files."""
    language_id: str = ""
    """Language id in LSP; the suffix without the dot, if not set."""
    language_ids: dict[str, str] = Field(default_factory=dict[str, str])
    """Language id in LSP by suffix, for a server of several languages; such a suffix need not be in `suffixes`."""
    root_markers: tuple[str, ...] = ()
    """Names or globs of files that mark the root folder of a project, for example `pyproject.toml`."""
    initialization_options: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Initialization options of LSP, sent to the server at the start."""
    settings: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Configuration for a server that asks for its configuration."""


class LanguageSettings(Section):
    """Language servers that Placet starts, for files without a language server in the editor.

    After a change of these settings the running servers end, and start again at the next request.
    """

    own: bool = False
    """Start own language servers. Placet starts no server in an untrusted project: many servers run programs of the
    project (compilers, plugins).

    A project is untrusted while you have not let Placet use the project's own files, or while the editor does not trust
    the project. A server is a program of yours; Placet downloads none.
    """
    servers: dict[str, ServerSettings] = Field(default_factory=dict[str, ServerSettings])
    """Language servers by name."""
    max_servers: int = Field(default=6, ge=1)
    """Largest number of running servers; for a further server, the longest unused server ends."""
    max_memory_mb: int = Field(default=2048, ge=64)
    """Memory in MB above which a server is ended; the next request starts the server again."""
    idle_seconds: float = Field(default=600.0, gt=0)
    """Seconds without a request after which a server ends."""
    sandbox: bool = True
    """Run the servers in the sandbox: a server writes in the project and in private caches, and reaches no host.
    Servers run code of the project, such as `node_modules/typescript`, which commands can change. A project's file can
    only switch the sandbox on.
    """


class AgentSettings(Section):
    """Settings of an agent: under `agent.NAME` here, or in the front matter of the agent's Markdown file.

    Unset fields stay as they are; a new agent answers to the user and to other agents.
    """

    description: str | None = None
    """Description for the user who picks an agent, and for the agent that hands over work."""
    mode: Literal["primary", "subagent", "all"] | None = None
    """`primary`: the user talks to the agent. `subagent`: other agents hand over work. `all`: both."""
    model: str | None = Field(default=None, min_length=1)
    """Model of the agent, in place of the session's model."""
    prompt: str | None = Field(default=None, min_length=1)
    """Beginning of the system prompt; in a Markdown file the text below the front matter."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Sampling temperature for the agent."""
    effort: EffortSetting | None = None
    """How much the model thinks for the agent: a level, or a budget in tokens."""
    steps: int | None = Field(default=None, ge=1, validation_alias=AliasChoices("steps", "maxSteps", "max_steps"))
    """Largest number of model calls in a turn of the agent."""
    permission: Annotated[PermissionSetting, PlainValidator(read_permission)] = Field(default_factory=dict[str, Any])
    """Rules over the rules for all agents."""
    tools: dict[str, bool] = Field(default_factory=dict[str, bool])
    """Tools switched on or off by id; `*` stands for any text, and the last matching entry decides. Prefer
    `permission`."""
    disable: bool | None = None
    """Remove the agent."""
    hidden: bool | None = None
    """Leave the agent out of every list and choice; other agents can still hand over work."""
    isolation: Literal["worktree", "none"] | None = None
    """`worktree`: as a subagent the agent works in a git worktree of its own, and its changes come back for review."""


class CommandSettings(Section):
    """A slash command of your own: under `command.NAME` here, or in a Markdown file, where the text is the template."""

    template: str = Field(min_length=1)
    """Text for the model, with `$ARGUMENTS`, `$1` to `$9`, `@file` and shell parts: docs/COMMANDS.md."""
    description: str = ""
    """Description for the list of commands."""
    agent: str | None = Field(default=None, min_length=1)
    """Agent for this turn."""
    model: str | None = Field(default=None, min_length=1)
    """Model for this turn."""
    effort: EffortSetting | None = None
    """How much the model thinks in this turn: a level, or a budget in tokens."""
    subtask: bool | None = None
    """Run the command in a subagent; if not set, do so for an agent with the mode `subagent`."""
    argument_hint: str = ""
    """Hint about the arguments behind the name."""


class SearchSettings(Section):
    """Provider of websearch and codesearch."""

    provider: Literal["exa"] = "exa"
    """Name of the search provider."""
    address: str = "https://mcp.exa.ai/mcp"
    """Address of the provider's MCP endpoint."""
    api_key: SecretStr | None = None
    """Key for the provider; the environment variable `EXA_API_KEY` sets the same."""


class CostCaps(Section):
    """Cost in US dollars at which a turn stops before its next model call; no cap, if not set.

    Subagents count for the turn and the session for which the subagents work. Calls of unknown price cost nothing here.
    Parallel answers do not know each other's cost: each can pass a cap by one call.
    """

    turn: float | None = Field(default=None, ge=0)
    """Cost of one turn, its subagents included."""
    session: float | None = Field(default=None, ge=0)
    """Cost of one session, its subagents included."""
    day: float | None = Field(default=None, ge=0)
    """Cost of all sessions together, since midnight."""


class CompactionSettings(Section):
    """Compaction: the treatment of a conversation that grows too long for the model."""

    auto: bool = True
    """Summarize the conversation when the model's context is full; otherwise the turn fails."""
    prune: bool = True
    """Between turns, clear old results of tools for the model."""
    reserved_tokens: int | None = Field(default=None, ge=0)
    """Tokens of the context that are kept free for the answer; 20,000 or the model's largest answer, if not set."""
    keep_tokens: int | None = Field(default=None, ge=0)
    """Tokens of the last two turns that are kept word for word; a quarter of the context, between 2,000 and 8,000, if
    not set.
    """


class ContextSettings(Section):
    """Context of a prompt that Placet adds by itself."""

    editor: bool = False
    """Add the name of the file at the cursor, the line and the selected lines, and the names of the visible files."""


class PluginSettings(Section):
    """Custom tools and plugins, of the user and of trusted projects."""

    timeout_seconds: float = Field(default=5.0, gt=0)
    """Seconds for a hook of a plugin; afterwards the call continues without the hook."""
    load_seconds: float = Field(default=10.0, gt=0)
    """Seconds for importing a file; afterwards the file is ignored."""
    wait_seconds: float = Field(default=2.0, ge=0)
    """Longest wait of a prompt for tools and plugins that are still being imported, in seconds."""
    sandbox: bool | None = None
    """Run tools, plugins and hooks in the sandbox: in the project, with private caches and without a host. If not set,
    the sandbox is on for tools and plugins of a project and for all hooks, and off for tools and plugins of your own
    and for your hooks with `sandbox: false`. A project's file can only switch the sandbox on.
    """


class DaemonSettings(Section):
    """Shared daemon of several editors. These settings count in your own files, not in a project's files or an editor's
    options.
    """

    shared: bool = False
    """Connect `placet --stdio` to the running daemon, and start a daemon if none runs."""
    idle_seconds: float = Field(default=600.0, gt=0)
    """Seconds without an editor and without work after which the daemon ends."""
    answer_seconds: float = Field(default=600.0, ge=0)
    """Seconds that a permission request or a question waits for an editor after the last editor has left."""


class LocalModelsSettings(Section):
    """Engine that runs the models `local/NAME` on this machine: docs/MODELS.md. A project cannot set these settings."""

    idle_seconds: float = Field(default=600.0, ge=0)
    """Seconds without a request after which the engine ends and its memory is free; 0: when the model host ends."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """Number of threads; if not set, one fewer than the cores that are free when the engine starts."""


class SandboxSettings(Section):
    """Sandbox around the commands of the agent: docs/SANDBOX.md. A project's file can only narrow these settings."""

    mode: Literal["auto", "require", "off"] = "auto"
    """`auto`: commands run in a sandbox where the system has one, and otherwise as without a sandbox. `require`: a
    command that cannot be contained is refused. `off`: no sandbox.
    """
    unasked: bool = True
    """Run contained commands without a question; your own rules are asked all the same."""
    overlay: Literal["auto", "off"] = "auto"
    """`auto`: changes that an unasked command makes to files are proposed like edits, where the system can lay an
    overlay. `off`: such changes are made at once, and can be undone.
    """
    write: tuple[str, ...] = ()
    """Directories beside the project in which commands may write: absolute, or `~/`."""
    caches: Literal["private", "shared"] = "private"
    """`private`: caches of build tools are kept for each project apart. `shared`: commands write to your own caches."""
    deny_read: tuple[str, ...] = ()
    """Files and directories that commands cannot read, beside the built-in list of secrets."""
    allow_read: tuple[str, ...] = ()
    """Secrets of the built-in list, and hidden files of the project, that commands can read."""
    network: Literal["off", "ask", "allow"] = "ask"
    """`off`: commands reach no host. `ask`: Placet asks about each host that is not in `domains`. `allow`: commands use
    your network without limits.
    """
    domains: tuple[str, ...] = ()
    """Hosts that commands reach without a question: `example.com`, `*.example.com` for subdomains, `example.com:8080`.
    `!` at the front denies a host.
    """
    sockets: tuple[str, ...] = ()
    """Unix sockets that commands reach, by path; `ssh-agent` stands for your agent's socket."""
    excluded: tuple[str, ...] = ()
    """Commands that run outside of the sandbox and are asked by the rules of `bash`, in the grammar of these rules."""
    leaving: Literal["ask", "deny"] = "ask"
    """`ask`: the model can ask you to run a command outside of the sandbox. `deny`: the model cannot."""


class JudgeSettings(Section):
    """Automatic judge: a small model that may allow a command that is not contained, in your place.

    The judge never allows what a rule denies, what a rule of your own asks about, what undo cannot cover, or leaving
    the sandbox. If the judge is unsure or fails, you are asked. A project cannot set these settings.
    """

    enabled: bool = False
    """Let the judge answer requests of the built-in rules."""
    model: str | None = Field(default=None, min_length=1)
    """Model of the judge; `small_model`, if not set. Without either, you are asked."""
    timeout_seconds: float = Field(default=10.0, gt=0)
    """Seconds that the judge may take before you are asked."""


class AcpSettings(Section):
    """Clients of the Agent Client Protocol (`placet --acp`). A project cannot set these settings."""

    commands_in_terminal: bool = False
    """Run the agent's commands in a terminal of the client, where the client has terminals, in place of Placet's own
    runner. You lose the sandbox: each such command is asked by the rules of `bash`, changes by the command are made at
    once and never proposed, and a stop ends only the processes that the client ends. The command has the environment
    of the client, keys included. Undo still works, by comparing the files before and after. Background jobs, and all
    commands with `sandbox.mode` `require`, stay in Placet's own runner.
    """


class WorktreeSettings(Section):
    """Git worktrees in which sessions work apart: docs/WORKTREES.md."""

    setup: str = ""
    """Command that prepares a new worktree, for example `npm ci`. Placet shows the whole command and asks once; a
    changed command is asked again. The command runs in the worktree, in the sandbox of the agent's commands.
    """
    setup_seconds: float = Field(default=900.0, gt=0)
    """Seconds after which the command is ended."""


class ExperimentalSettings(Section):
    """Experimental tools."""

    batch_tool: bool = False
    """Offer the tool `batch`, which runs several tool calls at once."""
    plan_mode: bool = False
    """Offer the tools `plan_enter` and `plan_exit`, with which the agent changes between planning and building."""


class WrittenAgents(Struct, frozen=True):
    """Agents in a source of settings, by name and not yet validated."""

    source: str
    """Name of the source for the user: a file, the environment, …"""
    agents: Mapping[str, Any]
    lines: KeyLines = field(default_factory=dict[tuple[str, ...], int])
    """Line of each key, for a file."""


class Settings(Section):
    model: str = "builtin/rules"
    """Name of the model: `provider/name` as in litellm, `builtin/rules` for the built-in planner, or `scripted/FILE`
    for a script.
    """
    model_options: ModelSettings = ModelSettings()
    profile: ProfileChoice = "auto"
    """How much is asked of the model: docs/MODELS.md. `full`: all tools. `small`: six tools and a short prompt.
    `smallest`: no tools; Placet finds the files, and the model answers with whole files. `auto`: by the size, the
    context and the speed of a model on a server of your own; `full` for any other model.
    """
    providers: Annotated[dict[str, ProviderSettings], AfterValidator(checked)] = Field(
        default_factory=dict[str, ProviderSettings]
    )
    """Providers by name: servers of your own, and changes to known providers. A project cannot set this setting."""
    small_model: str | None = Field(default=None, min_length=1)
    """Model for small tasks such as a session's title, in place of `model`."""
    fallback_models: tuple[str, ...] = ()
    """Models that answer, in this order, while `model` cannot: its server is missing, overloaded, or out of quota."""
    permission: Annotated[PermissionSetting, PlainValidator(read_permission)] = Field(default_factory=dict[str, Any])
    """Rules over the built-in rules, in OpenCode's form: permission -> action, or permission -> pattern -> action.

    The value merges all sources; `written` keeps the sources apart, each with the lines of its keys.
    """
    instructions: list[str] = Field(default_factory=list[str])
    """Rules for agents beside AGENTS.md and similar files: globs (absolute, `~/`, or looked for upward) and web
    addresses.
    """
    agent: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Agents by name: settings for agents of your own, and changes to existing agents.

    The agents are validated separately (agent/agents/definitions.py), as a faulty agent is left out; `written_agents`
    keeps the sources apart, each with the lines of its keys.
    """
    command: dict[str, CommandSettings] = Field(default_factory=dict[str, CommandSettings])
    """Slash commands by name, over the commands in Markdown files."""
    default_agent: str | None = None
    """Agent of sessions that name no agent; `build`, if not set."""
    max_steps: int | None = None
    """Largest number of model calls in a turn; no limit, if not set."""
    max_cost: CostCaps = CostCaps()
    compaction: CompactionSettings = CompactionSettings()
    context: ContextSettings = ContextSettings()
    review: ReviewMode | None = None
    """Way in which proposed changes are reviewed; if not set, `stage` in VS Code, Neovim, interactive sessions at a
    terminal and clients of the Agent Client Protocol, and `ask` elsewhere. `ask`: each change waits for your answer,
    and the agent waits too. `stage`: changes gather in the session's change set, the agent goes on, and you decide
    whenever you like; a change is written when you accept the change. `apply`: changes are written at once and stay
    marked as unreviewed until you keep or undo each hunk; changes of protected or sensitive files and of files outside
    the project are asked. A change that a rule or a grant allows is written at once in each way; with `stage` and
    `apply` such a change, and a change that a command writes at once, is marked as unreviewed.
    """
    edit: EditSettings = EditSettings()
    diagnostics: DiagnosticsSettings = DiagnosticsSettings()
    languages: LanguageSettings = LanguageSettings()
    tools: dict[str, bool] = Field(default_factory=dict[str, bool])
    """Tools switched on or off by id, over every other decision; `*` stands for any text.

    A tool that is off is also denied, as in OpenCode: permissions/rules.py.
    """
    search: SearchSettings = SearchSettings()
    mcp: McpSettings = McpSettings()
    """MCP servers by name. Each starts in the background when the editor has started, or with `placet run`."""
    plugin: tuple[str | tuple[str, dict[str, Any]], ...] = ()
    """Plugins beside the plugins in `plugin/`: names of installed packages, or paths of files (from the folder of your
    settings); `[name, options]` adds options.
    """
    plugins: PluginSettings = PluginSettings()
    bundles: dict[str, str] = Field(default_factory=dict[str, str])
    """Bundles that a project asks its users to add: name -> directory, or address with a commit. Placet fetches none of
    these bundles: `placet doctor` names the command that adds a missing bundle.
    """
    hooks: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Commands that run at points of a session, in Claude Code's form: event -> list of `matcher` and `hooks`.

    The hooks of all sources run. The hooks are validated separately (extensions/command_hooks/table.py), as a faulty
    hook is left out; `written_hooks` keeps the sources apart.
    """
    disable_all_hooks: bool = False
    """Run no command hooks, whichever file has the hooks. A project cannot set this setting."""
    sandbox: SandboxSettings = SandboxSettings()
    judge: JudgeSettings = JudgeSettings()
    daemon: DaemonSettings = DaemonSettings()
    acp: AcpSettings = AcpSettings()
    local_models: LocalModelsSettings = LocalModelsSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    completion: CompletionSettings = CompletionSettings()
    worktree: WorktreeSettings = WorktreeSettings()
    experimental: ExperimentalSettings = ExperimentalSettings()
    _written: tuple[WrittenPermissions, ...] = PrivateAttr(())
    _written_agents: tuple[WrittenAgents, ...] = PrivateAttr(())
    _servers: dict[str, str] = PrivateAttr(default_factory=dict[str, str])
    _written_hooks: tuple[WrittenHooks, ...] = PrivateAttr(())
    _problems: tuple[str, ...] = PrivateAttr(())

    def options_of(self, model: str) -> ModelSettings:
        """Return the options for the model: the options of its provider over the options for all models."""
        provider = self.providers.get(model.partition("/")[0])
        if provider is None:
            return self.model_options
        own = provider.model_options
        return self.model_options.model_copy(update={name: getattr(own, name) for name in own.model_fields_set})

    def profile_of(self, model: str) -> ProfileChoice:
        """Return the profile for the model: the choice for the model itself over the choice for all models."""
        provider, _, name = model.partition("/")
        own = self.providers[provider].models.get(name) if provider in self.providers else None
        return self.profile if own is None or own.profile is None else own.profile

    @property
    def written(self) -> tuple[WrittenPermissions, ...]:
        """Return the permissions of each source, the weightiest source last."""
        return self._written or (WrittenPermissions("your settings", self.permission, self.tools),)

    @property
    def written_agents(self) -> tuple[WrittenAgents, ...]:
        """Return the agents of each source, the weightiest source last."""
        return self._written_agents or (WrittenAgents("your settings", self.agent),)

    def source_of_server(self, name: str) -> str:
        """Return the weightiest source that sets up the MCP server, in words for the user."""
        return self._servers.get(name, "your settings")

    @property
    def written_hooks(self) -> tuple[WrittenHooks, ...]:
        """Return the command hooks of each source, the weightiest source last."""
        return self._written_hooks or ((WrittenHooks("your settings", self.hooks),) if self.hooks else ())

    @property
    def problems(self) -> tuple[str, ...]:
        """Return the problems in the sources, each with file and line, in words for the user."""
        return self._problems

    def with_sources(
        self,
        *,
        permissions: tuple[WrittenPermissions, ...] = (),
        agents: tuple[WrittenAgents, ...] = (),
        servers: Mapping[str, str] | None = None,
        hooks: tuple[WrittenHooks, ...] = (),
        problems: tuple[str, ...] = (),
    ) -> Self:
        """Return the same settings with the sources."""
        settings = self.model_copy()
        settings._written, settings._written_agents, settings._problems = permissions, agents, problems
        settings._servers = dict(servers or {})
        settings._written_hooks = hooks
        return settings
