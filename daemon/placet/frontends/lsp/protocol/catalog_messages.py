"""Messages about the choices: models, agents, commands and tools."""

from typing import Literal

from pydantic import Field

from placet.core.effort import Level
from placet.core.errors import ModelErrorCode
from placet.core.messages import Value
from placet.settings.profile import Profile


class ListModels(Value):
    """List the models that can be chosen without preparation. Any other `provider/name` can be set as well.

    The list begins with the model of the settings and the built-in model. Models of servers on this machine follow, at
    the usual addresses of Ollama, vLLM, LM Studio and llama-server, then the models of the providers of the settings,
    and of each provider with a key. Favourite and recent models stand first. A provider of the settings is asked for
    its models when its list is older than a day.
    """

    query: str = ""
    """Words to look for: the name of a listed model holds every word of the query."""
    limit: int = Field(default=100, ge=1, le=10_000)
    refresh: bool = False
    """Ask all providers with a key for their present lists."""
    provider: str | None = None
    """Name of the provider whose models alone are listed."""


class ModelInfo(Value):
    """Facts about a model, from the settings, the provider's list, or litellm's table; unknown facts are absent."""

    id: str
    provider: str = ""
    """Name of the provider: the part of the id before the slash."""
    favourite: bool = False
    """True for a model that the user marked."""
    recent: bool = False
    """True for one of the models that the user chose last."""
    default: bool = False
    """True for the model of sessions that name no model."""
    context_size: int | None = None
    """Size of the context in tokens."""
    context_source: str | None = None
    """Who set the size of the context, in words that follow the number, for example `loaded in Ollama`."""
    output_limit: int | None = None
    """Largest answer in tokens."""
    vision: bool | None = None
    """True if the model takes images."""
    tools: bool | Literal["prompted"] | None = None
    """True if the model can call tools. `prompted`: the model cannot, and writes calls as text, which works less well.
    """
    input_price: float | None = None
    """Price of a million input tokens in US dollars."""
    output_price: float | None = None
    """Price of a million output tokens in US dollars."""
    subscription: bool | None = None
    """True if a subscription of the user covers the answers, which then have no price; absent otherwise."""
    transport: Literal["fast", "compatible"] | None = None
    """Transport of the model's answers, once known: read by Placet, or by litellm, which takes longer."""
    server: str | None = None
    """Server of the model on the user's machine, for example `Ollama at http://127.0.0.1:11434`; such a server needs no
    key.
    """
    efforts: tuple[Level, ...] | None = None
    """Levels of thinking that the model has, the lowest first; empty for a model without levels."""
    profile: Profile | None = None
    """How much is asked of the model in a session without a choice; absent for `full`."""
    profile_reason: str | None = None
    """Reason for the profile, in words for the user; present where `profile` is present."""


class ProviderListInfo(Value):
    name: str
    asked: int | None = None
    """Time of the provider's list in milliseconds since 1970; absent without a list."""
    problem: str | None = None
    """Reason for which the provider could not be asked now, in words for the user."""


class ModelList(Value):
    models: tuple[ModelInfo, ...]
    total: int
    """Number of fitting models, also beyond `limit`."""
    missing: str | None = None
    """Reason for which the providers' models are not in the list."""
    providers: tuple[ProviderListInfo, ...] = ()
    """Lists of the providers that were asked for their models."""


class SetFavouriteModel(Value):
    """Mark a model as a favourite of the user, or remove the mark. Favourites stand first in each list of models."""

    model: str = Field(min_length=1, max_length=300)
    favourite: bool = True


class FavouriteModels(Value):
    favourites: tuple[str, ...]
    """Names of all favourites, the first marked first."""


class CheckModel(Value):
    """Check with a single short call that a model answers, as after a sign-in. The call costs as little as possible."""

    model: str
    """`provider/name`."""


class ModelCheck(Value):
    outcome: Literal["answered", "failed"]
    code: ModelErrorCode | None = None
    """Kind of failure, for example `authentication` for a missing or rejected key."""
    message: str | None = None
    """Reason of the failure for the user, without the key."""
    hint: str | None = None


class ListAgents(Value):
    """List the agents: agents for sessions, and agents that only a prompt can name."""


class AgentInfo(Value):
    name: str
    description: str
    mode: Literal["primary", "subagent", "all"] = "primary"
    """`primary`: the agent can have a session. `subagent`: the agent works for other agents. `all`: both."""
    model: str | None = None
    """Model of the agent; absent if the agent uses the session's model."""
    source: str = ""
    """Source of the definition: `built in`, and the files and settings with further parts of the definition."""


class AgentList(Value):
    agents: tuple[AgentInfo, ...]
    default: str = ""
    """Agent of sessions that name no agent."""
    problems: tuple[str, ...] = ()
    """Problems in the user's files and settings, each with file and line."""


class ListCommands(Value):
    """List the slash commands: the agent carries out a prompt that begins with `/name` as the command says.

    The prompt keeps the user's own words; the text of the command is a synthetic part beside the prompt.
    """


class CommandInfo(Value):
    name: str
    """Name without the slash."""
    description: str
    argument_hint: str | None = None
    """Hint about the arguments, in the words of the command's author."""
    source: str = ""
    """Source of the command: `built in`, a file, the settings, a skill, an MCP server."""


class CommandList(Value):
    commands: tuple[CommandInfo, ...]
    problems: tuple[str, ...] = ()
    """Problems of commands and skills, each with file and line."""


class ListTools(Value):
    """List the tools: built-in tools, and tools of MCP servers, of plugins, and of the user's and trusted projects'
    files.
    """


class ToolInfo(Value):
    id: str
    description: str
    """Description for the model; empty for a tool whose file is left out."""
    source: str = "built in"
    """Source of the tool: `built in`, a file, a package, an MCP server."""
    reason: str = ""
    """Reason for which the default agent is not offered the tool; empty for an offered tool."""


class ToolList(Value):
    tools: tuple[ToolInfo, ...]
