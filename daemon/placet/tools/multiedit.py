"""Several edits of one file, each on the result of the edits before: one plan, one question, all or nothing."""

from pydantic import Field

from placet.core.errors import EditError
from placet.tools.edit import Replacement, edit_file
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.texts import text_for


class OneEdit(Arguments):
    old_string: str = Field(description="The text to replace, as it stands after the edits before this one.")
    new_string: str = Field(description="The text to put in its place; it must differ.")
    replace_all: bool = Field(default=False, description="Replace every occurrence rather than the only one.")


class MultieditArguments(Arguments):
    file_path: str = Field(min_length=1, description="The file to change: absolute, or relative to the root.")
    edits: list[OneEdit] = Field(min_length=1, description="The edits, in the order in which they are made.")


async def execute(arguments: MultieditArguments, context: ToolContext) -> ToolResult:
    return await edit_file(context, arguments.file_path, _replacements(arguments.edits))


def _replacements(edits: list[OneEdit]) -> list[Replacement]:
    replacements: list[Replacement] = []
    for number, edit in enumerate(edits, start=1):
        try:
            replacements.append(Replacement.of(edit.old_string, edit.new_string, everywhere=edit.replace_all))
        except EditError as error:
            raise EditError(f"Edit {number} of {len(edits)}, so none of them was made: {error}") from error
    return replacements


FACTS = ToolFacts(
    "multiedit", order=90, kind="edit", permission="edit", for_patch_models=False, verb="Edit", has_own_view=True
)
TOOL = define_tool(FACTS.name, Definition(text_for("multiedit"), MultieditArguments, execute))
