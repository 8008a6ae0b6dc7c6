"""Resources of a turn from its agent; a call may switch the agent."""

from collections.abc import Mapping
from typing import TypedDict

from placet.agent.agents.agent import Agent
from placet.agent.context.compaction_plan import CompactionOptions
from placet.agent.context.small_tools import small_tools
from placet.agent.turn.fallback import FallbackChain
from placet.core.effort import Effort
from placet.core.errors import SettingsError
from placet.core.messages import JsonObject
from placet.extensions.mcp.session_servers import SessionServers
from placet.model.base import Model
from placet.model.select import ready_model
from placet.sessions.services.services import Services
from placet.sessions.turns.compactor import Compactor
from placet.sessions.turns.models.fallback_models import fallback_models
from placet.sessions.turns.tool_contexts import ToolContextFactory
from placet.settings.profile import Profile
from placet.tools.framework.define import SEARCH, ReadyTool
from placet.tools.framework.registry import ready_tools


class TurnResources(TypedDict):
    """Fields of agent.turn.turn.Turn that depend on the agent."""

    agent: Agent
    model: Model
    fallback_chain: FallbackChain
    compaction: CompactionOptions
    tools: Mapping[str, ReadyTool]
    max_steps: int | None
    temperature: float | None
    effort: Effort | None


def in_profile(model: Model, profile: Profile, contexts: ToolContextFactory, services: Services) -> Model:
    """Return the model in the form in which the model answers in the profile."""
    if profile != "smallest":
        return model
    from placet.sessions.turns.models.whole_files import whole_files_model  # Few models are as small.

    return whole_files_model(model, services, contexts.workspace, contexts.ledger, contexts.judge)


def opening_with(model: Model, turn_id: str, task: JsonObject | None) -> Model:
    """Return the model of a turn, which opens with the call of `task` if the prompt is a command for a subagent."""
    if task is None:
        return model
    from placet.agent.turn.opening_call import OpeningCall  # Few turns open with a call.

    return OpeningCall(model, turn_id, "task", task)


async def turn_resources(
    contexts: ToolContextFactory,
    model: Model,
    services: Services,
    compactor: Compactor,
    servers: SessionServers,
    profile: Profile,
) -> TurnResources:
    """Return the fields as the contexts' agent sets them, or else as the settings do; `servers` are the session's.

    Raises SettingsError for an impossible model.
    """
    agent, settings = contexts.agent, services.settings
    tools = await ready_tools(contexts.view(), contexts.is_denied, await services.extensions.tools(servers))
    if services.extensions.hooks.has("tool.definition"):
        from placet.agent.turn.plugin_hooks import tools_after_plugins

        tools = await tools_after_plugins(services.extensions.hooks, tools)
    if profile != "full":
        tools = small_tools(tools)
    if any(tool.server for tool in tools.values()) and not contexts.is_denied(SEARCH):
        from placet.agent.turn.tool_search import with_search  # Most users have no MCP servers.

        tools = with_search(tools, model.context_size, settings.mcp.tool_budget)
    return TurnResources(
        agent=agent,
        model=model,
        fallback_chain=FallbackChain(await fallback_models(services)),
        compaction=await compactor.options(model),
        tools=tools,
        max_steps=agent.max_steps or settings.max_steps,
        temperature=settings.options_of(model.id).temperature if agent.temperature is None else agent.temperature,
        effort=contexts.effort,
    )


async def opened_model(name: str, opened: dict[str, Model], agent: Agent, services: Services) -> Model:
    """Return the model of that name, opened if not open yet.

    Raises SettingsError, with the agent's name if the model is the agent's own.
    """
    if name not in opened:
        try:
            opened[name] = await ready_model(name, services.settings, services.host)
        except SettingsError as error:
            if name != agent.model:
                raise
            raise SettingsError(f"The agent `{agent.name}` cannot answer with its model `{name}`: {error}") from error
    return opened[name]
