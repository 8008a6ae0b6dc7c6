"""Report of a command's change for the screen and, where undo does not cover the change, for the model."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.changes.propose.report import recorded_file
from placet.core.events import ChangeApplied, ChangedFile
from placet.core.messages import JsonObject
from placet.core.visible_text import spelled_out
from placet.project.paths import Workspace
from placet.text.diff import unified_diff
from placet.text.lines import to_lf

MOST_COMPARED_CHARACTERS = 2_000_000
"""Most characters, in all files of a change, for which lines are compared."""
MOST_TOLD_CHARACTERS = 200_000
"""Most characters of the diffs of a change; files beyond have only counts."""
MOST_NAMED = 10
"""Most files named to the model."""


@dataclass(slots=True)
class CommandChange:
    """Report of a command's changes, filled in after the command has ended."""

    change: ChangeRecord | None = None
    """Change of the command; None if the command changed no covered file."""
    files: tuple[ChangedFile, ...] = ()
    """Changed files in the form for the screen."""
    uncovered: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    """Files changed by the command and not covered by undo, each with the reason."""
    doubt: str = ""
    """Reason why more files may be uncovered."""
    is_watched: bool = False
    """True if the command may write; its changes were then watched."""
    proposed: JsonObject = field(default_factory=dict[str, Any])
    """Data for the screen about changes that were proposed to the user."""
    notes: list[str] = field(default_factory=list[str])
    """Sentences for the model about proposed changes."""


def applied_event(change: ChangeRecord, workspace: Workspace) -> ChangeApplied:
    """Return the event of the command's changed files, with diffs within the limits."""
    left, left_to_tell = MOST_COMPARED_CHARACTERS, MOST_TOLD_CHARACTERS
    files: list[ChangedFile] = []
    for file in change.files:
        left -= len(file.before or "") + len(file.after or "")
        changed_file = _compared(file, workspace) if left > 0 and file.form == "text" else _named(file)
        left_to_tell -= len(changed_file.diff)
        files.append(changed_file if left_to_tell >= 0 else changed_file.model_copy(update={"diff": ""}))
    return ChangeApplied(message_id=change.message_id, change_id=change.id, call_id=change.call_id, files=tuple(files))


def change_metadata(command_change: CommandChange) -> JsonObject:
    """Return the data shown on the screen beside the output; empty if nothing is to be shown."""
    data: JsonObject = {**command_change.proposed}
    if command_change.change is not None:
        data["changeId"] = command_change.change.id
        data["files"] = [{**file.dump(), "status": "applied"} for file in command_change.files]
        data["changedFiles"] = list(dict.fromkeys(file.path.as_uri() for file in command_change.change.files))
    if command_change.uncovered:
        data["notCoveredByUndo"] = [
            {"uri": path.as_uri(), "reason": reason} for path, reason in command_change.uncovered
        ]
    if command_change.doubt:
        data["undoDoubt"] = command_change.doubt
    return data


def not_covered(command_change: CommandChange, workspace: Workspace) -> list[str]:
    """Return the sentences for the model: about proposed changes, and a sentence for each problem."""
    sentences = [*command_change.notes, *([command_change.doubt] if command_change.doubt else [])]
    if command_change.uncovered:
        names = ", ".join(
            f"{spelled_out(workspace.name(path))} ({reason})" for path, reason in command_change.uncovered[:MOST_NAMED]
        )
        more = (
            f" and {len(command_change.uncovered) - MOST_NAMED} more"
            if len(command_change.uncovered) > MOST_NAMED
            else ""
        )
        sentences.append(f"Changed by it, and not covered by the user's undo: {names}{more}.")
    return sentences


def _compared(file: FileRecord, workspace: Workspace) -> ChangedFile:
    name = workspace.relative(file.path).lstrip("/")
    old, new = to_lf(file.before or ""), to_lf(file.after or "")
    old_name = "/dev/null" if file.kind == "create" else f"a/{name}"
    diff = unified_diff(old, new, old_name, "/dev/null" if file.kind == "delete" else f"b/{name}")
    return recorded_file(file, diff)


def _named(file: FileRecord) -> ChangedFile:
    return ChangedFile(uri=file.path.as_uri(), kind=file.kind)
