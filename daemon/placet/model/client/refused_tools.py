"""Name of the tool about which a provider complains by the tool's place in the request. Pure."""

import re
from collections.abc import Sequence

from placet.core.errors import ModelError
from placet.model.base import ToolSpec

_PLACE = re.compile(r"\b(?:tools|functions|function_declarations)(?:\.|\[)(\d{1,5})\b")
"""Place as Anthropic (`tools.12.custom`), OpenAI (`tools[12].function`) and Gemini
(`tools[0].function_declarations[12]`) write the place."""


def name_refused_tool(error: ModelError, tools: Sequence[ToolSpec]) -> None:
    """Add the name of the tool, and of the tool's MCP server, to the error's message."""
    places = list(_PLACE.finditer(error.message)) if error.code == "bad_request" else []
    if not places or (number := int(places[-1][1])) >= len(tools):
        return
    tool = tools[number]
    owner = f" of the MCP server {tool.server}" if tool.server else ""
    error.message += f" (Tool {number} is {tool.name}{owner}.)"
    error.args = (error.message,)
