"""Stand in for a call of an unknown tool: the call fails, and the error lists the known tools."""

from pydantic import Field

from placet.core.errors import InvalidArguments
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.texts import text_for


class InvalidCall(Arguments):
    tool: str = Field(description="The tool that was called.")
    error: str = Field(description="Why the call cannot be run.")


async def execute(arguments: InvalidCall, context: ToolContext) -> ToolResult:
    context.metadata(title=f"{arguments.tool}: no such tool")
    raise InvalidArguments(arguments.error)


FACTS = ToolFacts("invalid", order=10, hidden=True)
TOOL = define_tool(FACTS.name, Definition(text_for("invalid"), InvalidCall, execute))
