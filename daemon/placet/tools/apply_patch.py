"""Change several files by one patch: one plan and one question to the user, all or nothing."""

from pathlib import Path

from pydantic import Field

from placet.changes.propose.report import describe, metadata
from placet.core.errors import DocumentError, DocumentMissing, EditConflict, EditError
from placet.core.executor import in_thread
from placet.text.lines import to_lf
from placet.text.patch import PatchedFile, PatchSection, apply_sections, parse_patch, patch_paths, with_paths
from placet.text.plan import EditPlan, PlannedFile
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.framework.new_text import refuse_bare_cr
from placet.tools.texts import text_for

NAMES_IN_TITLE = 3


class PatchArguments(Arguments):
    patch_text: str = Field(min_length=1, description="The patch, from `*** Begin Patch` to `*** End Patch`.")


async def execute(arguments: PatchArguments, context: ToolContext) -> ToolResult:
    workspace = context.workspace
    refuse_bare_cr("patchText", arguments.patch_text)
    sections = with_paths(parse_patch(arguments.patch_text), lambda path: str(workspace.resolve(path)))
    texts = await _texts(patch_paths(sections), context)
    try:
        patched = await in_thread(apply_sections, sections, texts)
    except EditError:
        await _refuse_unread(context, sections, texts)
        raise
    title = _title([workspace.title(Path(file.path)) for file in patched])
    result = await context.changes.propose(EditPlan(title, tuple(map(_planned, patched))))
    return ToolResult(title, describe(result, workspace), metadata(result))


async def _texts(paths: tuple[str, ...], context: ToolContext) -> dict[str, str]:
    """Return the text that the session has read of each existing file.

    Raises EditError for an unread file, and DocumentMissing for a symbolic link that leads nowhere.
    """
    texts: dict[str, str] = {}
    for path in paths:
        try:
            texts[path] = await context.changes.base(Path(path))
        except DocumentMissing:
            if await in_thread(Path(path).is_symlink):
                raise
            continue  # To be made by the patch; if not, apply_sections says so.
    return texts


async def _refuse_unread(context: ToolContext, sections: tuple[PatchSection, ...], texts: dict[str, str]) -> None:
    """Raises EditConflict where the patch fits the files as they are now, which the session has not read."""
    current: dict[str, str] = {}
    for path in texts:
        try:
            current[path] = to_lf((await context.documents.read(Path(path))).text)
        except DocumentError:
            return
    changed = [context.workspace.name(Path(path)) for path, text in current.items() if text != texts[path]]
    try:
        await in_thread(apply_sections, sections, current)
    except EditError:
        return
    if changed:
        raise EditConflict(
            f"{', '.join(changed)}: changed since you read it, and the patch fits only the text as it is now. "
            "Nothing was changed. Read again what has changed, then propose the patch on what you see."
        )


def _planned(file: PatchedFile) -> PlannedFile:
    new_path = None if file.new_path is None else Path(file.new_path)
    return PlannedFile(file.kind, Path(file.path), file.old_text, file.new_text, new_path)


def _title(names: list[str]) -> str:
    more = f" and {len(names) - NAMES_IN_TITLE} more" if len(names) > NAMES_IN_TITLE else ""
    return f"Patch {', '.join(names[:NAMES_IN_TITLE])}{more}"


FACTS = ToolFacts("apply_patch", order=110, kind="edit", permission="edit", aliases=("patch",), has_own_view=True)
TOOL = define_tool(FACTS.name, Definition(text_for("apply_patch"), PatchArguments, execute))
