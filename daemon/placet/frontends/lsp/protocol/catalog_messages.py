"""What there is to choose from: models, agents, commands, tools. As messages."""

from typing import Literal

from pydantic import Field

from placet.core.messages import Value


class ListModels(Value):
    """The models that can be chosen without further ado. Any other `provider/name` can be set as well.

    These are the settings' and the built-in one, then those of servers that listen on this machine where Ollama, vLLM,
    LM Studio and llama-server usually do, then those of each provider whose key is there.
    """

    query: str = ""
    """Only those whose name holds all of its words."""
    limit: int = Field(default=100, ge=1, le=10_000)


class ModelInfo(Value):
    """What is known of a model without asking anyone beyond this machine; absent what is not known."""

    id: str
    default: bool = False
    """Used by a session that names none."""
    context_size: int | None = None
    """Tokens it can take in."""
    output_limit: int | None = None
    """Tokens it can answer with."""
    vision: bool | None = None
    """Whether it takes images."""
    tools: bool | Literal["prompted"] | None = None
    """Whether it can call tools; `prompted`: it cannot, so it writes calls as text, which works less well."""
    input_price: float | None = None
    """US dollars for a million tokens it takes in."""
    output_price: float | None = None
    """US dollars for a million tokens it answers with."""
    transport: Literal["fast", "compatible"] | None = None
    """How its answers are carried, once that is known: read by Placet itself, or by litellm, which costs more."""
    server: str | None = None
    """What on the user's machine offers it, for example `Ollama at http://127.0.0.1:11434`; it needs no key."""


class ModelList(Value):
    models: tuple[ModelInfo, ...]
    total: int
    """How many there are, also beyond `limit`."""
    missing: str | None = None
    """Why the providers' models are not in the list, when that is so."""


class ListAgents(Value):
    """The agents there are: those a session can be given to, and those that can only be named in a prompt."""


class AgentInfo(Value):
    name: str
    description: str
    mode: Literal["primary", "subagent", "all"] = "primary"
    """`primary`: a session can be given to it. `subagent`: other agents hand it work. `all`: both."""
    model: str | None = None
    """What it answers with, if it has a model of its own."""
    source: str = ""
    """Where it is defined: `built in`, and the files and settings that say more of it."""


class AgentList(Value):
    agents: tuple[AgentInfo, ...]
    default: str = ""
    """Who answers in a session that names no agent."""
    problems: tuple[str, ...] = ()
    """What could not be used of the user's files and settings, each with its place."""


class ListCommands(Value):
    """The slash commands: a prompt that begins with `/name` is carried out as the command says.

    The prompt stays as the user has typed it; what the command says is a synthetic part beside it.
    """


class CommandInfo(Value):
    name: str
    """Without the slash."""
    description: str
    argument_hint: str | None = None
    """What may be written behind the name, in the words of who wrote the command; absent where nothing is said."""
    source: str = ""
    """Whose it is: `built in`, a file, the settings, a skill, an MCP server."""


class CommandList(Value):
    commands: tuple[CommandInfo, ...]
    problems: tuple[str, ...] = ()
    """What could not be used of commands and skills, each with its place."""


class ListTools(Value):
    """The tools there are: built in, of MCP servers, of the user's and trusted projects' files and plugins."""


class ToolInfo(Value):
    id: str
    description: str
    """As the model reads it; empty for one whose file is left out."""
    source: str = "built in"
    """Whose it is: `built in`, a file, a package, an MCP server."""
    reason: str = ""
    """Why the default agent is not offered it; empty when it is."""


class ToolList(Value):
    tools: tuple[ToolInfo, ...]
