"""The tools that an agent has, of the built-in tools and all others."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from placet.core.messages import JsonObject
from placet.permissions.patterns import matches
from placet.permissions.rules import permission_named
from placet.tools.framework.builtin import BUILTIN, tool_specs
from placet.tools.framework.define import AgentView, ReadyTool, Tool

ALIASES = {alias: spec.name for spec in tool_specs() for alias in spec.aliases}
"""Other names by which settings and models may mean a tool."""

Denied = Callable[[str], bool]
"""Function that returns whether the rules refuse a permission for every pattern."""


class ListedTool(Struct, frozen=True):
    """Tool in a list of tools; `reason` explains why the agent does not have the tool, empty when the agent has the
    tool.
    """

    id: str
    description: str
    schema: JsonObject
    source: str
    reason: str

    @property
    def enabled(self) -> bool:
        return not self.reason


async def ready_tools(agent: AgentView, denied: Denied, tools: Sequence[Tool] = BUILTIN) -> dict[str, ReadyTool]:
    """Return the agent's tools by id, in alphabetical order, so that the request's beginning stays the same for caches.

    Hidden tools are among the tools: not offered to the model, but calls are routed to hidden tools.
    """
    chosen = [tool for tool in tools if not why_absent(tool, agent, denied)]
    return {tool.id: await tool.init(agent) for tool in sorted(chosen, key=lambda tool: tool.id)}


async def list_tools(agent: AgentView, denied: Denied, tools: Sequence[Tool] = BUILTIN) -> list[ListedTool]:
    """Return every tool, with the tools that the agent does not have, in the order of `tools`."""
    listed: list[ListedTool] = []
    for tool in tools:
        ready = await tool.init(agent)
        reason = why_absent(tool, agent, denied)
        listed.append(ListedTool(tool.id, ready.description, ready.schema, tool.source, reason))
    return listed


def why_absent(tool: Tool, agent: AgentView, denied: Denied) -> str:
    """Return why the agent does not have the tool; empty when the agent has the tool.

    A model that was trained on patches (`gpt-…`) gets apply_patch instead of edit and write. The setting `tools`
    outweighs flags, keys and models, but not the permission rules.
    """
    if tool.hidden:
        return ""
    switch = next((name for name in reversed(agent.settings.tools) if matches(ALIASES.get(name, name), tool.id)), None)
    if switch is None:
        if lacking := tool.lacks(agent):
            return lacking
    elif not agent.settings.tools[switch]:
        return f"The setting `tools.{switch}` is false."
    permission = permission_named(tool.id)
    return f"The permission rules of the agent `{agent.name}` deny `{permission}`." if denied(permission) else ""
