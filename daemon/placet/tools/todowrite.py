"""Write the session's list of things to do: the whole of it, each time."""

from typing import Literal

from pydantic import Field

from placet.core.events import PlanEntry
from placet.permissions.ask import Ask
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.planning.todos import todo_result
from placet.tools.texts import text_for


class Todo(Arguments):
    content: str = Field(min_length=1, description="What is to be done, in one line.")
    status: Literal["pending", "in_progress", "completed", "cancelled"] = Field(description="Where it stands.")
    priority: Literal["high", "medium", "low"] = Field(default="medium", description="How much it matters.")


class TodoWriteArguments(Arguments):
    todos: tuple[Todo, ...] = Field(description="The whole list; it replaces the earlier one.")


async def execute(arguments: TodoWriteArguments, context: ToolContext) -> ToolResult:
    await context.ask(Ask("todowrite", ("*",), always=("*",), title="Write the list of things to do"))
    entries = tuple(
        PlanEntry(content=todo.content, status=todo.status, priority=todo.priority) for todo in arguments.todos
    )
    context.session.show_plan(entries)
    return todo_result(entries)


FACTS = ToolFacts(
    "todowrite", order=140, kind="think", rule="allow", aliases=("todo",), for_subagents=False, has_own_view=True
)
TOOL = define_tool(FACTS.name, Definition(text_for("todowrite"), TodoWriteArguments, execute))
