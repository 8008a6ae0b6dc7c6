"""Replace a piece of a file that was read before, found as exactly as the text allows."""

from pathlib import Path

from pydantic import Field

from placet.changes.report import describe, metadata
from placet.edits.lines import to_lf
from placet.edits.locate import replace_text
from placet.edits.plan import EditPlan, PlannedFile
from placet.errors import DocumentMissing, EditError
from placet.project.executor import in_thread
from placet.tools.define import Arguments, Definition, ToolContext, ToolResult, define_tool
from placet.tools.texts import text_for


class EditArguments(Arguments):
    file_path: str = Field(min_length=1, description="The file to change: absolute, or relative to the root.")
    old_string: str = Field(description="The text to replace, as it stands in the file.")
    new_string: str = Field(description="The text to put in its place; it must differ.")
    replace_all: bool = Field(default=False, description="Replace every occurrence rather than the only one.")


async def execute(arguments: EditArguments, context: ToolContext) -> ToolResult:
    path = context.workspace.resolve(arguments.file_path)
    title = context.workspace.relative(path)
    old, new = to_lf(arguments.old_string), to_lf(arguments.new_string)
    if old == new:
        raise EditError("oldString and newString are the same, so there is nothing to change.")
    plan = EditPlan(f"Edit {title}", (await _planned(context, path, old, new, arguments),))
    result = await context.changes.propose(plan)
    return ToolResult(title, describe(result, context.workspace), metadata(result))


async def _planned(context: ToolContext, path: Path, old: str, new: str, arguments: EditArguments) -> PlannedFile:
    try:
        base = await context.changes.base(path)
    except DocumentMissing:
        if old:
            raise
        return PlannedFile("create", path, None, new)
    if old:
        changed = await in_thread(lambda: replace_text(base, old, new, replace_all=arguments.replace_all))
    elif base:
        raise EditError(f"{path} is not empty, so an empty oldString says nothing. Name the text to replace.")
    else:
        changed = new
    return PlannedFile("modify", path, base, changed)


TOOL = define_tool("edit", Definition(text_for("edit"), EditArguments, execute))
