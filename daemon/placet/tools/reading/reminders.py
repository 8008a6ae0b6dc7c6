"""Project instructions for a file, told to the model once a session beside the file."""

from collections.abc import Callable, Sequence
from pathlib import Path

from placet.core.errors import DocumentError
from placet.core.ports import Document, Documents
from placet.project.instructions import bounded, instruction_files
from placet.project.paths import Workspace
from placet.text.lines import to_lf
from placet.tools.framework.access import names_of
from placet.tools.framework.context import Judge, ToolContext


def files_above(path: Path, workspace: Workspace) -> Sequence[Path]:
    """The instruction files above `path`, the nearest first; none for what lies outside the workspace. Blocks."""
    return instruction_files(path, workspace.root_of(path)) if workspace.contains(path) else ()


async def instructions_for(files: Sequence[Path], context: ToolContext) -> dict[Path, str]:
    """`instructions_in` for a tool call."""
    return await instructions_in(files, context.workspace, context.documents, context.judge, context.changes.shown)


async def instructions_in(
    files: Sequence[Path],
    workspace: Workspace,
    documents: Documents,
    judge: Judge,
    shown: Callable[[Document], bool],
) -> dict[Path, str]:
    """Return the unseen texts of `files_above` a path, in order.

    Seen texts are in the session's ledger, which `shown` asks: read files, and files in the system prompt. Files
    outside the workspace and files that may not be read without asking are left out.
    """
    texts: dict[Path, str] = {}
    for file in files:
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
    """Return the instructions as the model reads them; empty without instructions."""
    if not texts:
        return ""
    instructions = "\n\n".join(f"Instructions from {file}:\n{bounded(text)}" for file, text in texts.items())
    return f"\n\n<system-reminder>\n{instructions}\n</system-reminder>"
