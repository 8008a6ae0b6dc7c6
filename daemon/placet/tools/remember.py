"""Propose a note for later sessions: an edit of MEMORY.md, the user's own or the project's, in the ordinary review."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import Field

from placet.changes.propose.report import describe, metadata
from placet.core.errors import DocumentMissing, EditError, ToolError
from placet.core.executor import in_thread
from placet.project.instructions import MOST_CHARACTERS, memory_of_project
from placet.project.protected_names import MEMORY
from placet.text.lines import to_lf
from placet.text.plan import EditPlan, PlannedFile
from placet.tools.framework.access import reading
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.texts import text_for

LONGEST_NOTE = 2_000
_HEADING = "# Memory\n\n"


class RememberArguments(Arguments):
    note: str = Field(default="", max_length=LONGEST_NOTE, description="The note; empty to forget `replaces`.")
    replaces: str = Field(
        default="", description="A note of the same memory, word for word, in whose place the new note comes."
    )
    scope: Literal["project", "user"] = Field(
        default="project", description="Whose memory: this project's, or the user's own for every project."
    )


async def init(agent: AgentView) -> Definition[RememberArguments]:
    async def execute(arguments: RememberArguments, context: ToolContext) -> ToolResult:
        path = memory_of_project(context.workspace.root) if arguments.scope == "project" else agent.memory_file
        if path is None:
            raise ToolError("There is no place for the user's own memory here. Use the scope `project`.")
        return await _remember(arguments, path, context)

    return Definition(text_for("remember"), RememberArguments, execute)


async def _remember(arguments: RememberArguments, path: Path, context: ToolContext) -> ToolResult:
    title = context.workspace.title(path)
    if await in_thread(reading, context.workspace, path, context.judge) == "deny":
        raise ToolError(f"The permission rules deny reading {title}. Do without the memory.")
    before = await _text(path, context)
    after = remembered(before or "", arguments.note, arguments.replaces)
    if after == (before or ""):
        return ToolResult(title, f"{title} has this note already. Nothing was changed.")
    if len(after) > MOST_CHARACTERS:
        raise ToolError(
            f"{title} would have more than {MOST_CHARACTERS} characters, and sessions read no more. Ask the user which "
            "notes to forget."
        )
    if before is None:
        plan = EditPlan(f"Remember in {title}", (PlannedFile("create", path, None, after),))
    else:
        plan = EditPlan(f"Remember in {title}", (PlannedFile("modify", path, before, after),))
    result = await context.changes.propose(plan)
    return ToolResult(title, describe(result, context.workspace), metadata(result))


async def _text(path: Path, context: ToolContext) -> str | None:
    """Return the memory as the session sees the memory, or None without one."""
    try:
        with suppress(EditError):  # The session need not have read the file; a place outside has been asked about.
            await context.changes.base(path)
        return to_lf((await context.changes.read(path)).text)
    except DocumentMissing:
        return None


def remembered(text: str, note: str, replaces: str) -> str:
    """Return the memory with the note at its end, or in place of the note `replaces`. Raises ToolError. Pure."""
    if not note.strip() and not replaces.strip():
        raise ToolError("Give a note, or the note to forget in `replaces`.")
    memory = text if text.endswith("\n") or not text else f"{text}\n"
    item = _item(note)
    if replaces.strip():
        return _in_place(memory, _item(replaces), item)
    if _places(item, memory):
        return text
    return f"{memory or _HEADING}{item}"


def _in_place(memory: str, old: str, new: str) -> str:
    places = _places(old, memory)
    if len(places) != 1:
        how_often = f"this note {len(places)} times" if places else "no such note"
        raise ToolError(
            f"The memory has {how_often}, so nothing was changed. Give `replaces` word for word, or edit the file."
        )
    return memory[: places[0]] + new + memory[places[0] + len(old) :]


def _places(item: str, memory: str) -> list[int]:
    """Return where the item stands as a whole: at the beginning of a line, and without further lines of its own."""
    whole_item = re.compile(rf"^{re.escape(item)}(?![ \t]+\S)", re.MULTILINE)
    return [match.start() for match in whole_item.finditer(memory)]


def _item(note: str) -> str:
    """Return the note as an item of a Markdown list, with its line's end; empty for an empty note."""
    lines = [line.strip() for line in to_lf(note).strip().split("\n")]
    words = "\n  ".join(line for line in lines if line).removeprefix("- ")
    return f"- {words}\n" if words else ""


FACTS = ToolFacts("remember", order=160, kind="edit", writes=MEMORY, has_own_view=True)
TOOL = define_tool(FACTS.name, init)
