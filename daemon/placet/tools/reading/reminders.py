"""What the model is told beside a file it reads: the project's instructions that hold there, once a session."""

from collections.abc import Callable, Sequence
from pathlib import Path

from placet.core.errors import DocumentError
from placet.core.ports import Document, Documents
from placet.project.instructions import bounded, instruction_files
from placet.project.paths import Workspace
from placet.text.lines import to_lf
from placet.tools.framework.access import names_of
from placet.tools.framework.define import Judge, ToolContext


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
    """The texts of those `files_above` a path that the session has not seen, in their order.

    Seen is what its ledger holds, which `shown` asks: files it has read, and those that stand in its system prompt.
    What may not be read without asking is left out, and so is what lies outside the workspace.
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
    """The instructions as the model reads them; nothing for none."""
    if not texts:
        return ""
    said = "\n\n".join(f"Instructions from {file}:\n{bounded(text)}" for file, text in texts.items())
    return f"\n\n<system-reminder>\n{said}\n</system-reminder>"
