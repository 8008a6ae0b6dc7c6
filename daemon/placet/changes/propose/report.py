"""Report of a change in words for the model, and as data and events for the screen."""

from collections.abc import Sequence
from pathlib import Path

from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.changes.propose.diagnostics_report import describe_diagnosis
from placet.changes.propose.result import ChangeResult, FileResult, FileStatus
from placet.core.events import ChangeApplied, ChangedFile, ChangeProposed, RefusedFile
from placet.core.hunks import Hunk, hunk_data
from placet.core.messages import JsonObject
from placet.core.ports import FileEditKind, ProposedChange, ProposedFile
from placet.permissions.gate import Caller
from placet.project.paths import Workspace
from placet.text.counted import first_lines
from placet.text.diff import count_lines, make_hunks
from placet.text.lines import to_lf

MOST_SUMMARY_LINES = 20
STAGED = (
    "Staged means: your tools see the change from now on, but nothing is written yet. The user reviews the change "
    "later, and you are told what becomes of it. Go on."
)
TAKEN_BACK = "takes the staged change back: nothing of the file is staged any more."
UNREVIEWED = "The user reviews the written change later, and you are told if a part of it is undone. Go on."


def describe(result: ChangeResult, workspace: Workspace) -> str:
    """Return the text for the model: the applied change, and each difference from the proposed change."""
    bullet = "- " if len(result.files) > 1 else ""
    lines = [bullet + _described(file, workspace) for file in result.files]
    if any(file.status == "staged" and not file.is_taken_back for file in result.files):
        lines.append(STAGED)
    if result.is_unreviewed:
        lines.append(UNREVIEWED)
    if result.feedback:
        lines += ["", f"The user said: {result.feedback}"]
    if result.diagnosis is not None:
        lines += ["", describe_diagnosis(result.diagnosis, workspace)]
    return "\n".join(lines)


def metadata(result: ChangeResult) -> JsonObject:
    """Return the data for the screen: the change's id, a diff of everything applied, each file's part, the user's
    comments.
    """
    counts = [file.line_counts for file in result.files]
    feedback = {"said": list(result.feedback_data)} if result.feedback_data else {}
    return feedback | {
        "summary": _summary(result),
        "changeId": result.id,
        "diff": "".join(file.diff for file in result.files),
        "additions": sum(additions for additions, _ in counts),
        "deletions": sum(deletions for _, deletions in counts),
        "files": [_data(file) for file in result.files],
    }


def _summary(result: ChangeResult) -> str:
    """Return the outcome of each file in words for the user, for a screen that shows the result as text."""
    words: dict[FileStatus, str] = {
        "applied": "written, and not reviewed yet" if result.is_unreviewed else "written",
        "staged": "proposed; nothing is written before you accept",
        "refused": "rejected by you",
        "conflict": "left as it is, as the same lines were changed meanwhile",
        "unchanged": "already as the agent wants it",
    }
    lines = (f"{file.file.new_name or file.file.name}: {words[file.status]}." for file in result.files)
    return "\n".join(first_lines(lines, MOST_SUMMARY_LINES))


def proposed_event(change: ProposedChange, caller: Caller) -> ChangeProposed:
    """Return the event of the change as put to the rules or the user."""
    files = tuple(map(_changed_file, change.files))
    return ChangeProposed(message_id=caller.message_id, change_id=change.id, call_id=caller.call_id, files=files)


def applied_event(result: ChangeResult, caller: Caller) -> ChangeApplied:
    """Return the event of the change as now in the documents."""
    return ChangeApplied(
        message_id=caller.message_id,
        change_id=result.id,
        call_id=caller.call_id,
        files=tuple(
            _changed_file(applied.file).model_copy(update={"edited": bool(applied.file.edited_diff) or None})
            for applied in result.applied
        ),
        refused=tuple(_refused_file(file) for file in result.files if file.has_rejection) or None,
    )


def _changed_file(file: ProposedFile) -> ChangedFile:
    return _with_counts(file, file.hunks, file.diff)


def _with_counts(file: ProposedFile | FileRecord, hunks: Sequence[Hunk], diff: str) -> ChangedFile:
    additions, deletions = count_lines(hunks)
    return ChangedFile(
        uri=file.path.as_uri(),
        kind=file.kind,
        new_uri=_uri(file.new_path),
        additions=additions,
        deletions=deletions,
        diff=diff,
    )


def _refused_file(result: FileResult) -> RefusedFile:
    """Return the rejected part of a file."""
    file = result.file
    return RefusedFile(
        uri=file.path.as_uri(),
        kind=file.kind,
        new_uri=_uri(file.new_path),
        whole=result.status == "refused",
        hunks=file.rejected_hunks,
    )


def reapplied_event(change: ChangeRecord) -> ChangeApplied:
    """Return the event for an undone change standing again."""
    files = tuple(map(recorded_file, change.files))
    return ChangeApplied(message_id=change.message_id, change_id=change.id, call_id=change.call_id, files=files)


def recorded_file(file: FileRecord, diff: str = "") -> ChangedFile:
    """Return the file of a record with the counts of lines, for an event."""
    return _with_counts(file, make_hunks(to_lf(file.before or ""), to_lf(file.after or "")), diff)


def _uri(path: Path | None) -> str | None:
    return None if path is None else path.as_uri()


def _described(result: FileResult, workspace: Workspace) -> str:
    file = result.file
    lines = [_headline(result, workspace)]
    if file.conflict and result.status == "applied":
        lines.append(f"The rest is NOT changed: {file.conflict}")
    if file.rejected_diff and result.status in ("applied", "conflict"):
        lines += ["The user refused a part of it. These lines were NOT applied:", _fenced(file.rejected_diff)]
    if file.edited_diff:
        lines += ["The user changed your proposal before allowing it. The user's version was applied:"]
        lines += [_fenced(file.edited_diff)]
    if file.was_removed:
        lines.append("The user or another program had removed or renamed the file since you read it.")
    if file.merged_diff:
        lines += ["The user had changed the file since you read it. These changes were kept:"]
        lines += [_fenced(file.merged_diff)]
    if result.formatted_diff:
        lines += ["The editor changed the text while saving (formatter). It now reads:"]
        lines += [_fenced(result.formatted_diff)]
    if result.is_unsaved:
        lines.append(
            "It is changed in the editor but not saved, as the user had unsaved changes in it: "
            "what runs from the disk does not see the change yet."
        )
    return "\n".join(lines)


def _headline(result: FileResult, workspace: Workspace) -> str:
    file = result.file
    name = workspace.name(file.path)
    if result.status == "unchanged":
        return f"{name}: already as you want it; nothing was changed."
    if result.status == "conflict":
        return f"NOT changed: {file.conflict}"
    if result.status == "refused":
        return f"{name}: the user refused the change to this file; it is as it was."
    additions, deletions = result.line_counts
    count = f"(+{additions} -{deletions})"
    if result.status == "staged":
        subject = f"{_STAGED[file.kind]} of {_arrow(name, result, workspace)}"
        return f"{subject} {TAKEN_BACK}" if result.is_taken_back else f"{subject} {count} is staged."
    match file.kind:
        case "create":
            return f"Created {name} {count}."
        case "modify":
            return f"Changed {name} {count}."
        case "delete":
            return f"Deleted {name}."
        case "rename":
            target = workspace.name(file.new_path or file.path)
            return f"Renamed {name} to {target}{f' {count}' if result.diff else ''}."


_STAGED: dict[FileEditKind, str] = {
    "create": "The creation",
    "modify": "The change",
    "delete": "The deletion",
    "rename": "The renaming",
}


def _arrow(name: str, result: FileResult, workspace: Workspace) -> str:
    target = result.file.new_path
    return name if target is None else f"{name} to {workspace.name(target)}"


def _fenced(diff: str) -> str:
    return f"```diff\n{diff.rstrip()}\n```"


def _data(result: FileResult) -> JsonObject:
    file = result.file
    additions, deletions = result.line_counts
    data: JsonObject = {
        "uri": file.path.as_uri(),
        "kind": file.kind,
        "status": result.status,
        "additions": additions,
        "deletions": deletions,
        "diff": result.diff,
        "unsaved": result.is_unsaved,
    }
    if (after := result.after) is not None:
        data["sha256"] = after.sha256
    if file.new_path is not None:
        data["newUri"] = file.new_path.as_uri()
    diffs = {
        "refused": file.rejected_diff,
        "edited": file.edited_diff,
        "merged": file.merged_diff,
        "formatted": result.formatted_diff,
    }
    if result.status != "conflict":  # Nothing of the user's version was applied.
        data |= {name: diff for name, diff in diffs.items() if diff}
    if result.has_rejection:
        data["refusedHunks"] = [hunk_data(hunk) for hunk in file.rejected_hunks]
    return data
