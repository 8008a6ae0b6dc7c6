"""Write a whole file: a new file, or a file that was read before."""

from pydantic import Field

from placet.changes.propose.report import describe, metadata
from placet.core.errors import DocumentMissing
from placet.text.lines import to_lf
from placet.text.plan import EditPlan, PlannedFile
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.framework.new_text import refuse_bare_cr
from placet.tools.texts import text_for


class WriteArguments(Arguments):
    file_path: str = Field(min_length=1, description="The file to write: absolute, or relative to the root.")
    content: str = Field(description="The whole text of the file.")


async def execute(arguments: WriteArguments, context: ToolContext) -> ToolResult:
    refuse_bare_cr("content", arguments.content, is_whole=True)
    path = context.workspace.resolve(arguments.file_path)
    title = context.workspace.title(path)
    try:
        base = await context.changes.base(path)
    except DocumentMissing:
        plan = EditPlan(f"Create {title}", (PlannedFile("create", path, None, arguments.content),))
    else:
        # The file keeps its BOM (docs/EDITS.md, rule 10); a BOM in the content would be a second BOM.
        content = to_lf(arguments.content).removeprefix("\ufeff")
        plan = EditPlan(f"Write {title}", (PlannedFile("modify", path, base, content),))
    result = await context.changes.propose(plan)
    return ToolResult(title, describe(result, context.workspace), metadata(result))


FACTS = ToolFacts(
    "write", order=100, kind="edit", permission="edit", for_patch_models=False, verb="Write", has_own_view=True
)
TOOL = define_tool(FACTS.name, Definition(text_for("write"), WriteArguments, execute))
