"""What the model is told beside a file it reads: the project's instructions that hold there, once a session."""

from pathlib import Path

from placet.edits.lines import to_lf
from placet.errors import DocumentError
from placet.project.executor import in_thread
from placet.project.instructions import instruction_files
from placet.tools.access import names_of
from placet.tools.define import ToolContext

MOST_CHARACTERS = 20_000


async def instructions_for(path: Path, context: ToolContext) -> dict[Path, str]:
    """The texts of the instruction files above `path` that the session has not seen, the nearest first.

    Seen is what its ledger holds: files it has read, and those that stand in its system prompt. What may not be
    read without asking is left out, and so is what lies outside the workspace.
    """
    workspace = context.workspace
    if not workspace.contains(path):
        return {}
    texts: dict[Path, str] = {}
    for file in await in_thread(instruction_files, path, workspace.root_of(path)):
        names = names_of(workspace, file)
        if not workspace.contains(file) or any(context.judge("read", name) != "allow" for name in names):
            continue
        try:
            document = await context.documents.read(file)
        except DocumentError:
            continue
        if context.changes.shown(document):
            texts[file] = to_lf(document.text)
    return texts


def reminder(texts: dict[Path, str]) -> str:
    """The instructions as the model reads them; nothing for none."""
    if not texts:
        return ""
    said = "\n\n".join(f"Instructions from {file}:\n{_bounded(text)}" for file, text in texts.items())
    return f"\n\n<system-reminder>\n{said}\n</system-reminder>"


def _bounded(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text.rstrip()
    return f"{text[:MOST_CHARACTERS]}\n... ({len(text)} characters in all; read the file for the rest)"
