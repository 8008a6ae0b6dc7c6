"""What the model is told beside a file it reads: the project's instructions that hold there, once a session."""

from collections.abc import Callable
from pathlib import Path

from placet.edits.lines import to_lf
from placet.errors import DocumentError
from placet.ports import Document, Documents
from placet.project.executor import in_thread
from placet.project.instructions import bounded, instruction_files
from placet.project.paths import Workspace
from placet.tools.access import names_of
from placet.tools.define import Judge, ToolContext


async def instructions_for(path: Path, context: ToolContext) -> dict[Path, str]:
    """`instructions_above` for a tool call."""
    return await instructions_above(path, context.workspace, context.documents, context.judge, context.changes.shown)


async def instructions_above(
    path: Path, workspace: Workspace, documents: Documents, judge: Judge, shown: Callable[[Document], bool]
) -> dict[Path, str]:
    """The texts of the instruction files above `path` that the session has not seen, the nearest first.

    Seen is what its ledger holds, which `shown` asks: files it has read, and those that stand in its system prompt.
    What may not be read without asking is left out, and so is what lies outside the workspace.
    """
    if not workspace.contains(path):
        return {}
    texts: dict[Path, str] = {}
    for file in await in_thread(instruction_files, path, workspace.root_of(path)):
        names = names_of(workspace, file)
        if not workspace.contains(file) or any(judge("read", name) != "allow" for name in names):
            continue
        try:
            document = await documents.read(file)
        except DocumentError:
            continue
        if shown(document):
            texts[file] = to_lf(document.text)
    return texts


def reminder(texts: dict[Path, str]) -> str:
    """The instructions as the model reads them; nothing for none."""
    if not texts:
        return ""
    said = "\n\n".join(f"Instructions from {file}:\n{bounded(text)}" for file, text in texts.items())
    return f"\n\n<system-reminder>\n{said}\n</system-reminder>"
