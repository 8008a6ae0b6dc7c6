"""Search the web, through the search service of the settings."""

from typing import Literal

from pydantic import Field

from placet.core.messages import JsonObject
from placet.permissions.ask import Ask
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.texts import text_for
from placet.tools.web.search_service import SEARCH_KEY, search

TIMEOUT_SECONDS = 25.0


class WebSearchArguments(Arguments):
    query: str = Field(min_length=1, description="What to search for.")
    num_results: int = Field(default=8, ge=1, le=50, description="How many results.")
    livecrawl: Literal["fallback", "preferred"] = Field(
        default="fallback", description="Whether pages are visited anew: only where no copy is kept, or if possible."
    )
    type: Literal["auto", "fast", "deep"] = Field(default="auto", description="How thoroughly to search.")
    context_max_characters: int | None = Field(
        default=None, ge=1, description="Characters of text at most (the service's default: 10000)."
    )


async def init(agent: AgentView) -> Definition[WebSearchArguments]:
    async def execute(arguments: WebSearchArguments, context: ToolContext) -> ToolResult:
        title = f"Web search: {arguments.query}"
        context.metadata(title=title, metadata={"query": arguments.query})
        await context.ask(Ask("websearch", (arguments.query,), always=("*",), title=title))
        query: JsonObject = arguments.model_dump(by_alias=True, exclude_none=True)
        text = await search(agent.settings.search, "web_search_exa", query, seconds=TIMEOUT_SECONDS)
        output = text or "Nothing was found. Try other words."
        return ToolResult(title, output, {"query": arguments.query, "provider": agent.settings.search.provider})

    return Definition(text_for("websearch"), WebSearchArguments, execute, concurrent=True)


FACTS = ToolFacts("websearch", order=170, kind="fetch", rule="ask", needs=(SEARCH_KEY,), reads_web=True, is_prose=True)
TOOL = define_tool(FACTS.name, init)
