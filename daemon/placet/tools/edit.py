"""Replace a piece of a file that was read before, found as exactly as the text allows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from placet.changes.propose.report import describe, metadata
from placet.core.errors import DocumentError, DocumentMissing, EditConflict, EditError
from placet.core.executor import in_thread
from placet.text.diff import make_hunks
from placet.text.lines import own_line_ending, split_lines, to_lf
from placet.text.locate import replace_text
from placet.text.plan import EditPlan, PlannedFile
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.framework.new_text import refuse_bare_cr
from placet.tools.texts import text_for

LINES_AROUND = 3
MOST_LINES_SHOWN = 30


class EditArguments(Arguments):
    file_path: str = Field(min_length=1, description="The file to change: absolute, or relative to the root.")
    old_string: str = Field(description="The text to replace, as it stands in the file.")
    new_string: str = Field(description="The text to put in its place; it must differ.")
    replace_all: bool = Field(default=False, description="Replace every occurrence rather than the only one.")


@dataclass(frozen=True, slots=True)
class Replacement:
    """One replacement in a file, with LF line ends; made for one call of a tool."""

    old: str
    new: str
    everywhere: bool = False
    line_ending: str = "\n"
    """Line ending of the new text as the model gave the text, for a new file."""

    @classmethod
    def of(cls, old: str, new: str, *, everywhere: bool) -> "Replacement":
        """Return the replacement. Raises EditError if old and new text are the same, or the new text cannot be kept."""
        refuse_bare_cr("newString", new, is_whole=not old)
        line_ending = own_line_ending(new)
        old, new = to_lf(old), to_lf(new)
        if old == new:
            raise EditError("oldString and newString are the same, so there is nothing to change.")
        return cls(old, new, everywhere, line_ending)

    def on(self, text: str) -> str:
        """Return the text with this replacement made. Raises EditError."""
        if self.old:
            return replace_text(text, self.old, self.new, replace_all=self.everywhere)
        if text:
            raise EditError("The file is not empty, so an empty oldString says nothing. Name the text to replace.")
        return self.new


async def execute(arguments: EditArguments, context: ToolContext) -> ToolResult:
    replacement = Replacement.of(arguments.old_string, arguments.new_string, everywhere=arguments.replace_all)
    return await edit_file(context, arguments.file_path, [replacement])


async def edit_file(context: ToolContext, file_path: str, replacements: Sequence[Replacement]) -> ToolResult:
    """Make the replacements in order, as one change of one file. Raises EditError with nothing changed."""
    path = context.workspace.resolve(file_path)
    title = context.workspace.title(path)
    planned, is_exact = await _planned(context, path, replacements)
    result = await context.changes.propose(EditPlan(f"Edit {title}", (planned,)))
    output = describe(result, context.workspace)
    if not is_exact and result.applied:
        diff = "".join(file.diff for file in result.applied).rstrip()
        output += f"\n\noldString was not there exactly as you quoted it. What was changed is:\n```diff\n{diff}\n```"
    return ToolResult(title, output, metadata(result))


async def _planned(context: ToolContext, path: Path, replacements: Sequence[Replacement]) -> tuple[PlannedFile, bool]:
    """Return the file's share of the plan, and whether every quotation was found to the letter."""
    try:
        base = await context.changes.base(path)
    except DocumentMissing:
        if replacements[0].old:
            raise
        text, is_exact = await in_thread(_all_on, "", replacements, context.abort.is_set)
        return PlannedFile("create", path, None, text.replace("\n", replacements[0].line_ending)), is_exact
    try:
        text, is_exact = await in_thread(_all_on, base, replacements, context.abort.is_set)
    except EditError:
        await _refuse_unread(context, path, base, replacements)
        raise
    return PlannedFile("modify", path, base, text), is_exact


def _all_on(text: str, replacements: Sequence[Replacement], is_stopped: Callable[[], bool]) -> tuple[str, bool]:
    """The text with all replacements made, and whether each found its old text to the letter. Raises EditError."""
    is_exact = True
    for number, replacement in enumerate(replacements, start=1):
        if is_stopped():
            raise EditError("The edits were stopped, and nothing was changed.")
        is_exact = is_exact and replacement.old in text
        try:
            text = replacement.on(text)
        except EditError as error:
            if len(replacements) == 1:
                raise
            raise EditError(f"Edit {number} of {len(replacements)}, so none of them was made: {error}") from error
    return text, is_exact


async def _refuse_unread(context: ToolContext, path: Path, base: str, replacements: Sequence[Replacement]) -> None:
    """Raises EditConflict where the edit fits the file as it is now, which the session has not read."""
    try:
        current = to_lf((await context.documents.read(path)).text)
        changed, _ = (
            (current, True)
            if current == base
            else await in_thread(_all_on, current, replacements, context.abort.is_set)
        )
    except (EditError, DocumentError):
        return
    if changed != current:
        name = context.workspace.name(path)
        raise EditConflict(
            f"{name} has changed since you read it, and oldString is only in the text as it is now:\n"
            f"{await in_thread(_region, current, changed)}\n"
            "Nothing was changed. Read the file again, then propose the edit on what you see."
        )


def _region(current: str, changed: str) -> str:
    """Return the numbered lines of the edit, with a few lines around."""
    lines = split_lines(current)
    hunks = make_hunks(current, changed)
    first = max(hunks[0].old_start - LINES_AROUND, 0)
    end = min(hunks[0].old_start + len(hunks[0].old_lines) + LINES_AROUND, len(lines), first + MOST_LINES_SHOWN)
    return "\n".join(f"{number + 1}: {lines[number].rstrip(chr(10))}" for number in range(first, end))


FACTS = ToolFacts("edit", order=80, kind="edit", rule="ask", for_patch_models=False, verb="Edit", has_own_view=True)
TOOL = define_tool(FACTS.name, Definition(text_for("edit"), EditArguments, execute))
