"""Tools that a request offers to the model: a searched tool is offered once a search or a call has loaded the tool.

The loaded tools follow from the conversation alone, compacted messages included, so that the tools are the same after a
compaction and after a restart. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from placet.core.messages import Message, ToolCompleted, ToolPart
from placet.model.base import ToolSpec
from placet.tools.framework.define import SEARCH, ReadyTool


def offered_tools(tools: Mapping[str, ReadyTool], messages: Sequence[Message]) -> tuple[ToolSpec, ...]:
    """Return the tools for a request after these messages.

    The loaded tools come last, in the order of loading: a tool that is loaded later changes nothing before.
    """
    offered = [tool for tool in tools.values() if not tool.hidden and not tool.is_searched]
    if any(tool.is_searched for tool in tools.values()):
        names = dict.fromkeys(name for message in messages for name in _loaded_in(message))
        offered += [tools[name] for name in names if name in tools and tools[name].is_searched]
    return tuple(ToolSpec(tool.id, tool.description, tool.schema, tool.server) for tool in offered)


def _loaded_in(message: Message) -> Iterator[str]:
    """Yield the names of the called tools, and of the tools found by searches."""
    for part in message.parts:
        if isinstance(part, ToolPart):
            yield part.tool
            if part.tool == SEARCH and isinstance(part.state, ToolCompleted):
                names: Any = part.state.metadata.get("tools")
                if isinstance(names, list):
                    yield from (name for name in cast("list[object]", names) if isinstance(name, str))
