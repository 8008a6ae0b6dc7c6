"""The built-in tools, and those of them that one agent has."""

from collections.abc import Callable

from placet.tools import apply_patch, bash, edit, glob, grep, read, write
from placet.tools.define import AgentView, ReadyTool, Tool

BUILTIN: tuple[Tool, ...] = tuple(module.TOOL for module in (apply_patch, bash, edit, glob, grep, read, write))

_EDITING = ("apply_patch", "edit", "write")


def permission_of(tool_id: str) -> str:
    """The permission that governs the tool: its own name, but `edit` for each that changes files."""
    return "edit" if tool_id in _EDITING else tool_id


async def ready_tools(
    agent: AgentView, denied: Callable[[str], bool], tools: tuple[Tool, ...] = BUILTIN
) -> dict[str, ReadyTool]:
    """The agent's tools by id, in alphabetical order, so that the request's beginning stays the same for caches.

    `denied(permission)` says whether the rules refuse a permission whatever the pattern; such a tool is left
    out. A model that was trained on patches (`gpt-…`) gets apply_patch instead of edit and write.
    """
    hidden = {"edit", "write"} if _patches_only(agent.model) else set[str]()
    chosen = [tool for tool in tools if tool.id not in hidden and not denied(permission_of(tool.id))]
    return {tool.id: await tool.init(agent) for tool in sorted(chosen, key=lambda tool: tool.id)}


def _patches_only(model: str) -> bool:
    return "gpt-" in model and "oss" not in model and "gpt-4" not in model
