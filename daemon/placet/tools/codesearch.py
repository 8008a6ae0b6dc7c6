"""Search public code and documentation for examples, through the search service of the settings."""

from pydantic import Field

from placet.core.messages import JsonObject
from placet.permissions.ask import Ask
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.texts import text_for
from placet.tools.web.search_service import SEARCH_KEY, search

TIMEOUT_SECONDS = 30.0


class CodeSearchArguments(Arguments):
    query: str = Field(min_length=1, description="What to find: a library, a function, a way to do something.")
    tokens_num: int = Field(default=5000, ge=1000, le=50_000, description="How many tokens of text to give, about.")


async def init(agent: AgentView) -> Definition[CodeSearchArguments]:
    async def execute(arguments: CodeSearchArguments, context: ToolContext) -> ToolResult:
        title = f"Code search: {arguments.query}"
        context.metadata(title=title, metadata={"query": arguments.query})
        await context.ask(Ask("codesearch", (arguments.query,), always=("*",), title=title))
        query: JsonObject = arguments.model_dump(by_alias=True)
        text = await search(agent.settings.search, "get_code_context_exa", query, seconds=TIMEOUT_SECONDS)
        output = text or "Nothing was found. Name the library or the function more exactly."
        return ToolResult(title, output, {"query": arguments.query, "provider": agent.settings.search.provider})

    return Definition(text_for("codesearch"), CodeSearchArguments, execute, concurrent=True)


FACTS = ToolFacts("codesearch", order=180, kind="search", rule="ask", needs=(SEARCH_KEY,), reads_web=True)
TOOL = define_tool(FACTS.name, init)
