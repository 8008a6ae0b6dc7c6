"""Resources of a turn from its agent; a call may switch the agent."""

from collections.abc import Mapping
from typing import TypedDict

from placet.agent.agents import Agent
from placet.agent.compaction_plan import CompactionOptions
from placet.agent.fallback import Succession
from placet.agent.hook_points import shaped_tools
from placet.errors import SettingsError
from placet.model.base import Model
from placet.model.select import ready_model
from placet.sessions.calls import CallContexts
from placet.sessions.house import House
from placet.sessions.room import Room
from placet.sessions.substitutes import substitutes
from placet.tools.define import ReadyTool
from placet.tools.registry import ready_tools


class Equipment(TypedDict):
    """Fields of agent.loop.Turn."""

    agent: Agent
    model: Model
    succession: Succession
    compaction: CompactionOptions
    tools: Mapping[str, ReadyTool]
    max_steps: int | None
    temperature: float | None


async def equipment(contexts: CallContexts, model: Model, house: House, room: Room) -> Equipment:
    """Return the fields as the contexts' agent sets them, or else as the settings do.

    Raises SettingsError for an impossible model.
    """
    agent, settings = contexts.agent, house.settings
    contexts.equipped = house.extensions.mcp.revision
    tools = await ready_tools(contexts.view(), contexts.is_denied, await house.extensions.tools())
    if house.extensions.hooks.has("tool.definition"):
        tools = await shaped_tools(house.extensions.hooks, tools)
    return Equipment(
        agent=agent,
        model=model,
        succession=Succession(await substitutes(house)),
        compaction=await room.options(model),
        tools=tools,
        max_steps=agent.max_steps or settings.max_steps,
        temperature=settings.model_options.temperature if agent.temperature is None else agent.temperature,
    )


async def opened_model(name: str, opened: dict[str, Model], agent: Agent, house: House) -> Model:
    """Return the model of that name, opened if not open yet.

    Raises SettingsError, with the agent's name if the model is the agent's own.
    """
    if name not in opened:
        try:
            opened[name] = await ready_model(name, house.settings, house.host)
        except SettingsError as error:
            if name != agent.model:
                raise
            raise SettingsError(f"The agent `{agent.name}` cannot answer with its model `{name}`: {error}") from error
    return opened[name]
