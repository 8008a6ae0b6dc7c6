"""Read the session's list of things to do."""

from placet.permissions.ask import Ask
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.planning.todos import todo_result, todos_of
from placet.tools.texts import text_for


class TodoReadArguments(Arguments):
    pass


async def execute(arguments: TodoReadArguments, context: ToolContext) -> ToolResult:
    await context.ask(Ask("todoread", ("*",), always=("*",), title="Read the list of things to do"))
    return todo_result(todos_of(context.messages))


FACTS = ToolFacts("todoread", order=150, kind="think", rule="allow", has_own_view=True)
TOOL = define_tool(FACTS.name, Definition(text_for("todoread"), TodoReadArguments, execute, concurrent=True))
