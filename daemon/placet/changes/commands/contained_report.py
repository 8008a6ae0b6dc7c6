"""Report of a command's proposed changes: sentences for the model, and data for the screen."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from placet.changes.commands.command_report import MOST_NAMED, MOST_TOLD_CHARACTERS
from placet.changes.propose.proposal import MOST_DIFF_LINES
from placet.changes.propose.raw_proposal import CommandPlan
from placet.changes.propose.report import STAGED, UNREVIEWED, metadata
from placet.changes.propose.result import ChangeResult
from placet.core.errors import Rejected
from placet.core.messages import JsonObject
from placet.core.visible_text import spelled_out
from placet.project.paths import Workspace
from placet.text.counted import first_lines


def proposal_notes(result: ChangeResult, workspace: Workspace) -> list[str]:
    """Return the sentences for the model about staged, written and rejected parts."""
    notes: list[str] = []
    if staged := [file.file.path for file in result.files if file.status == "staged"]:
        notes.append(f"Its changes to these files are staged: {_names(staged, workspace)}. {STAGED}")
    if result.applied:
        applied = _names((file.file.path for file in result.applied), workspace)
        if result.is_unreviewed:
            notes.append(f"Its changes to these files are in place: {applied}. {UNREVIEWED}")
        else:
            notes.append(f"Its changes to these files were accepted and are in place: {applied}.")
    rejected = [file.file.path for file in result.files if file.status == "refused"]
    if rejected:
        notes.append(f"The user rejected its changes to {_names(rejected, workspace)}; these files are as before.")
    for file in result.files:
        if file.status == "applied" and file.file.rejected_diff:
            lines = first_lines(file.file.rejected_diff.rstrip("\n").split("\n"), MOST_DIFF_LINES)
            name = spelled_out(workspace.name(file.file.path))
            notes.append(f"The user rejected a part of its change to {name}. These lines were NOT applied:")
            notes += ["```diff", *lines, "```"]
    return notes + _feedback(result.feedback)


def rejection_notes(rejection: Rejected, plan: CommandPlan, workspace: Workspace) -> list[str]:
    """Return the sentences for the model about a change rejected as a whole."""
    names = _names(_paths(plan), workspace)
    return [f"The user rejected its changes to {names}; these files are as before.", *_feedback(rejection.feedback)]


def not_kept_note(plan: CommandPlan, error: Exception, workspace: Workspace, *, is_rest: bool) -> str:
    """Return the sentence for the model about a change that could not be asked or applied; `is_rest`: the other part of
    the command's changes is staged.
    """
    names = _names(_paths(plan), workspace)
    return f"{f'Its changes to {names} were not kept' if is_rest else 'None of its changes to files was kept'}: {error}"


def merged_data(data: JsonObject, more: Mapping[str, Any]) -> JsonObject:
    """Return the data for the screen about two parts of a command's changes; the later part has the change's id."""
    if not data:
        return dict(more)
    counts = {name: data.get(name, 0) + more.get(name, 0) for name in ("additions", "deletions")}
    lists = {name: [*data.get(name, ()), *more.get(name, ())] for name in ("files", "changedFiles")}
    return {**data, **more, **counts, **lists}


def proposal_data(result: ChangeResult) -> JsonObject:
    """Return the data for the screen, with diffs up to a limit."""
    data = metadata(result)
    del data["diff"]
    left = MOST_TOLD_CHARACTERS
    files: list[dict[str, Any]] = []
    for file in data["files"]:
        left -= len(file["diff"])
        files.append(file if left >= 0 else {**file, "diff": ""})
    return {**data, "files": files, "changedFiles": [file.file.path.as_uri() for file in result.applied]}


def _paths(plan: CommandPlan) -> Iterable[Path]:
    return dict.fromkeys((*(file.path for file in plan.files), *plan.raw))


def _names(paths: Iterable[Path], workspace: Workspace) -> str:
    names = [spelled_out(workspace.name(path)) for path in paths]
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" * (len(names) > MOST_NAMED))


def _feedback(text: str) -> list[str]:
    return [f"The user said: {text}"] if text else []
