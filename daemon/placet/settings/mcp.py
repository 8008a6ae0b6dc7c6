"""Settings of MCP servers."""

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import AliasChoices, ConfigDict, Field, SecretStr, model_validator

from placet.settings.permission import Action
from placet.settings.section import Section
from placet.settings.substitution import INPUT


class McpAuthorization(Section):
    """Registration of Placet at a server's authorization server."""

    client_id: str | None = None
    """Client id of a manual registration; without a client id Placet registers itself."""
    client_secret: SecretStr | None = None
    scope: str | None = None
    callback_port: int = Field(default=0, ge=0, le=65535)
    """Port on 127.0.0.1 to which the browser returns; 0: any free port."""


class ProgramSandbox(Section):
    """Sandbox around a program, with the directories and hosts that the program needs beside the project."""

    write: tuple[str, ...] = ()
    """Directories beside the project in which the program may write: absolute, or `~/`."""
    domains: tuple[str, ...] = ()
    """Hosts that the program reaches, in the grammar of `sandbox.domains`; no other host is reached."""


class McpChoice(Section):
    """A choice of an input."""

    label: str
    """Text that you choose."""
    value: str
    """Value for the server."""


class McpInput(Section):
    """A value that you give, in VS Code's form: Placet asks for the value before the server starts."""

    id: str = Field(min_length=1)
    """Name of the input in the references `${input:ID}`."""
    type: Literal["promptString", "pickString"] = "promptString"
    """`promptString`: you type the value. `pickString`: you choose one of `options`."""
    description: str = ""
    """Text of the question."""
    default: str | None = None
    """Value that Placet proposes; not for a password."""
    password: bool = False
    """Hide the value while you type, and everywhere else."""
    options: tuple[str | McpChoice, ...] = ()
    """Choices of a `pickString`: texts, or labels with values."""

    @property
    def choices(self) -> tuple[McpChoice, ...]:
        return tuple(
            McpChoice(label=choice, value=choice) if isinstance(choice, str) else choice for choice in self.options
        )

    @model_validator(mode="after")
    def _has_options(self) -> Self:
        if (self.type == "pickString") != bool(self.options):
            raise ValueError("expected `options` for a `pickString`, and only for a `pickString`")
        return self


class McpServerSettings(Section):
    """An MCP server: a program (`command`), or an address (`url`)."""

    type: Literal["local", "remote", "http", "sse"] | None = None
    """Transport of the server. `remote` is the default for a `url`: `http` (streamable HTTP) first, then `sse`."""
    command: str | tuple[str, ...] = ()
    """Program, with or without arguments; the server speaks MCP on stdin and stdout."""
    args: tuple[str, ...] = ()
    """Further arguments of the program."""
    env: dict[str, str] = Field(
        default_factory=dict[str, str],
        validation_alias=AliasChoices("env", "environment"),
        repr=False,
    )
    """Environment variables beside yours; Placet withholds variables of yours that look like secrets."""
    cwd: str | None = None
    """Working directory, relative to the project; the project itself, if not set."""
    url: str | None = None
    """Address of a remote server."""
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """HTTP headers that Placet sends to the address with each request."""
    oauth: bool | McpAuthorization = True
    """Allow a sign-in to the server (`placet mcp auth`), and say how Placet registers."""
    enabled: bool = True
    """Start or connect to the server; false: ignore the server."""
    timeout_seconds: float = Field(default=30.0, gt=0)
    """Seconds for the start, and for every answer but results of tools."""
    call_timeout_seconds: float = Field(default=300.0, gt=0)
    """Seconds of silence after which a tool call fails; progress ends the silence."""
    permission: Action | None = None
    """Action for all tools of the server, below the rules of `permission`; without an action Placet asks for each tool.
    """
    sandbox: bool | ProgramSandbox | None = None
    """Run the program of the server in the sandbox: true, or the directories and hosts that the program needs beside
    the project. If not set, the sandbox is on for a server from a project's file, and off for a server of your own. A
    project's file can only switch the sandbox on.
    """
    inputs: tuple[McpInput, ...] = ()
    """Values that you give before the server starts, for the references `${input:ID}` in `command`, `args`, `env`,
    `cwd`, `url` and `headers`.
    """

    @property
    def used_inputs(self) -> tuple[McpInput, ...]:
        """Return the inputs to which the settings refer."""
        if not self.inputs:
            return ()
        used = self._named_inputs()
        return tuple(entry for entry in self.inputs if entry.id in used)

    def _named_inputs(self) -> set[str]:
        """Return the ids of the inputs to which the settings refer, defined or not."""
        return {name for text in self._texts() for name in INPUT.findall(text)}

    def _texts(self) -> Iterator[str]:
        """Yield the texts that may refer to inputs."""
        yield from (self.command,) if isinstance(self.command, str) else self.command
        yield from self.args
        yield from self.env.values()
        yield from self.headers.values()
        yield self.cwd or ""
        yield self.url or ""

    @model_validator(mode="after")
    def _defines_its_inputs(self) -> Self:
        known = {entry.id: entry for entry in self.inputs}
        names = self._named_inputs()
        if unknown := sorted(names - known.keys()):
            raise ValueError(f"`inputs` has no input `{unknown[0]}`, to which `${{input:{unknown[0]}}}` refers")
        if any(known[name].password for name in INPUT.findall(self.url or "")):
            raise ValueError(
                "a password cannot stand in `url`, as addresses are shown; write the password to `headers`"
            )
        return self

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("expected either `command` or `url`")
        if self.url and not self.url.startswith(("http://", "https://", "${input:")):
            raise ValueError("expected `url` to begin with http:// or https://")
        if self.type is not None and (self.type == "local") != bool(self.command):
            raise ValueError(f"`type` is {self.type}, which does not go with `{'command' if self.command else 'url'}`")
        return self


class McpSettings(Section):
    """MCP servers by name, the wait for starting servers, and the room for their tools."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, McpServerSettings] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    wait_seconds: float = Field(default=5.0, ge=0)
    """Seconds that a prompt waits for starting servers; 0: no wait."""
    tool_budget: float = Field(default=0.1, ge=0, le=1)
    """Share of the model's context for the tools of all servers; beyond this share, the model finds the tools by
    `tool_search`. 0: always by `tool_search`.
    """

    @property
    def servers(self) -> dict[str, McpServerSettings]:
        return dict(self.__pydantic_extra__)
