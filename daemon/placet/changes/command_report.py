"""A command's change for the screen and, where undo does not cover it, for the model."""

from dataclasses import dataclass, field
from pathlib import Path

from placet.changes.record import ChangeRecord, FileRecord
from placet.edits.diff import count_lines, make_hunks, unified_diff
from placet.edits.lines import to_lf
from placet.events import ChangeApplied, ChangedFile
from placet.messages import JsonObject
from placet.project.paths import Workspace

MOST_COMPARED_CHARACTERS = 2_000_000
"""Of so much text, in all the files of a change, the lines are compared."""
MOST_TOLD_CHARACTERS = 200_000
"""Of the diffs of a change; the files beyond have their counts alone."""
MOST_NAMED = 10
"""Files that the model is told of by name."""


@dataclass(slots=True)
class CommandChange:
    """What became known of a command's changes once it had ended."""

    change: ChangeRecord | None = None
    """None if it changed nothing that is covered."""
    files: tuple[ChangedFile, ...] = ()
    """The same as the screen is told it."""
    uncovered: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    """Files that it changed and undo does not cover, and why not."""
    doubt: str = ""
    """Why there may be more of those."""
    is_watched: bool = False
    """It is not one that only reads, so it was looked at what it changes."""


def applied_event(change: ChangeRecord, workspace: Workspace) -> ChangeApplied:
    """What the command has made of the files, with diffs as far as they are not too much."""
    left, left_to_tell = MOST_COMPARED_CHARACTERS, MOST_TOLD_CHARACTERS
    files: list[ChangedFile] = []
    for file in change.files:
        left -= len(file.before or "") + len(file.after or "")
        told = _compared(file, workspace) if left > 0 and file.form == "text" else _named(file)
        left_to_tell -= len(told.diff)
        files.append(told if left_to_tell >= 0 else told.model_copy(update={"diff": ""}))
    return ChangeApplied(message_id=change.message_id, change_id=change.id, call_id=change.call_id, files=tuple(files))


def change_metadata(found: CommandChange) -> JsonObject:
    """What the screen shows beside the output; empty where there is nothing to show."""
    data: JsonObject = {}
    if found.change is not None:
        data["changeId"] = found.change.id
        data["files"] = [{**file.dump(), "status": "applied"} for file in found.files]
        data["changedFiles"] = list(dict.fromkeys(file.path.as_uri() for file in found.change.files))
    if found.uncovered:
        data["notCoveredByUndo"] = [{"uri": path.as_uri(), "reason": reason} for path, reason in found.uncovered]
    if found.doubt:
        data["undoDoubt"] = found.doubt
    return data


def not_covered(found: CommandChange, workspace: Workspace) -> list[str]:
    """What the model is told, one sentence each."""
    sentences = [found.doubt] if found.doubt else []
    if found.uncovered:
        names = ", ".join(f"{workspace.name(path)} ({reason})" for path, reason in found.uncovered[:MOST_NAMED])
        more = f" and {len(found.uncovered) - MOST_NAMED} more" if len(found.uncovered) > MOST_NAMED else ""
        sentences.append(f"Changed by it, and not covered by the user's undo: {names}{more}.")
    return sentences


def _compared(file: FileRecord, workspace: Workspace) -> ChangedFile:
    name = workspace.relative(file.path).lstrip("/")
    old, new = to_lf(file.before or ""), to_lf(file.after or "")
    additions, deletions = count_lines(make_hunks(old, new))
    old_name = "/dev/null" if file.kind == "create" else f"a/{name}"
    diff = unified_diff(old, new, old_name, "/dev/null" if file.kind == "delete" else f"b/{name}")
    uri = file.path.as_uri()
    return ChangedFile(uri=uri, kind=file.kind, additions=additions, deletions=deletions, diff=diff)


def _named(file: FileRecord) -> ChangedFile:
    return ChangedFile(uri=file.path.as_uri(), kind=file.kind)
