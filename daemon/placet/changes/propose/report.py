"""Report of a change in words for the model, and as data and events for the screen."""

from collections.abc import Sequence
from pathlib import Path

from placet.changes.journal.records import ChangeRecord
from placet.changes.propose.diagnostics_report import describe_diagnosis
from placet.changes.propose.proposal import Proposal
from placet.changes.propose.result import ChangeResult, FileResult
from placet.core.events import ChangeApplied, ChangedFile, ChangeProposed, HunkOfChange, RefusedFile
from placet.core.messages import JsonObject
from placet.core.ports import Hunk
from placet.permissions.gate import Caller
from placet.project.paths import Workspace
from placet.text.diff import count_lines, make_hunks
from placet.text.lines import to_lf


def describe(result: ChangeResult, workspace: Workspace) -> str:
    """Return the text for the model: the applied change, and each difference from the proposed change."""
    bullet = "- " if len(result.files) > 1 else ""
    lines = [bullet + _described(file, workspace) for file in result.files]
    if result.feedback:
        lines += ["", f"The user said: {result.feedback}"]
    if result.diagnosis is not None:
        lines += ["", describe_diagnosis(result.diagnosis, workspace)]
    return "\n".join(lines)


def metadata(result: ChangeResult) -> JsonObject:
    """Return the data for the screen: the change's id, a diff of everything applied, each file's part, the user's
    comments.
    """
    applied = result.applied
    said = {"said": list(result.said)} if result.said else {}
    return said | {
        "changeId": result.id,
        "diff": "".join(file.diff for file in applied),
        "additions": sum(file.additions for file in applied),
        "deletions": sum(file.deletions for file in applied),
        "files": [_data(file) for file in result.files],
    }


def proposed_event(change_id: str, proposals: Sequence[Proposal], caller: Caller) -> ChangeProposed:
    """Return the event of the change as put to the rules or the user."""
    files: list[ChangedFile] = []
    for proposal in proposals:
        additions, deletions = count_lines(proposal.hunks)
        files.append(
            ChangedFile(
                uri=proposal.path.as_uri(),
                kind=proposal.kind,
                new_uri=_uri(proposal.new_path),
                additions=additions,
                deletions=deletions,
                diff=proposal.diff,
            )
        )
    return ChangeProposed(message_id=caller.message_id, change_id=change_id, call_id=caller.call_id, files=tuple(files))


def applied_event(result: ChangeResult, caller: Caller) -> ChangeApplied:
    """Return the event of the change as now in the documents."""
    files = tuple(
        ChangedFile(
            uri=file.path.as_uri(),
            kind=file.kind,
            new_uri=_uri(file.new_path),
            additions=file.additions,
            deletions=file.deletions,
            diff=file.diff,
            edited=bool(file.edited) or None,
        )
        for file in result.applied
    )
    return ChangeApplied(
        message_id=caller.message_id,
        change_id=result.id,
        call_id=caller.call_id,
        files=files,
        refused=tuple(refused_file(file) for file in result.files if file.is_rejected) or None,
    )


def refused_file(file: FileResult) -> RefusedFile:
    """Return the rejected part of a file."""
    return RefusedFile(
        uri=file.path.as_uri(),
        kind=file.kind,
        new_uri=_uri(file.new_path),
        whole=file.status == "refused",
        hunks=tuple(map(hunk_value, file.rejected_hunks)),
    )


def hunk_value(hunk: Hunk) -> HunkOfChange:
    return HunkOfChange(
        id=hunk.id,
        old_start=hunk.old_start,
        old_lines=hunk.old_lines,
        new_start=hunk.new_start,
        new_lines=hunk.new_lines,
    )


def reapplied_event(change: ChangeRecord) -> ChangeApplied:
    """Return the event for an undone change standing again."""
    files: list[ChangedFile] = []
    for file in change.files:
        old, new = to_lf(file.before or ""), to_lf(file.after or "")
        additions, deletions = count_lines(make_hunks(old, new))
        uri, new_uri = file.path.as_uri(), _uri(file.new_path)
        files.append(ChangedFile(uri=uri, kind=file.kind, new_uri=new_uri, additions=additions, deletions=deletions))
    return ChangeApplied(message_id=change.message_id, change_id=change.id, call_id=change.call_id, files=tuple(files))


def _uri(path: Path | None) -> str | None:
    return None if path is None else path.as_uri()


def _described(file: FileResult, workspace: Workspace) -> str:
    lines = [_headline(file, workspace)]
    if file.refused and file.status == "applied":
        lines += ["The user refused a part of it. These lines were NOT applied:", _fenced(file.refused)]
    if file.edited:
        lines += ["The user changed your proposal before allowing it. The user's version was applied:"]
        lines += [_fenced(file.edited)]
    if file.merged:
        lines += ["The user had changed the file since you read it. These changes were kept:", _fenced(file.merged)]
    if file.formatted:
        lines += ["The editor changed the text while saving (formatter). It now reads:", _fenced(file.formatted)]
    if file.unsaved:
        lines.append(
            "It is changed in the editor but not saved, as the user had unsaved changes in it: "
            "what runs from the disk does not see the change yet."
        )
    return "\n".join(lines)


def _headline(file: FileResult, workspace: Workspace) -> str:
    name = workspace.name(file.path)
    if file.status == "unchanged":
        return f"{name}: already as you want it; nothing was changed."
    if file.status == "refused":
        return f"{name}: the user refused the change to this file; it is as it was."
    count = f"(+{file.additions} -{file.deletions})"
    match file.kind:
        case "create":
            return f"Created {name} {count}."
        case "modify":
            return f"Changed {name} {count}."
        case "delete":
            return f"Deleted {name}."
        case "rename":
            target = workspace.name(file.new_path or file.path)
            return f"Renamed {name} to {target}{f' {count}' if file.diff else ''}."


def _fenced(diff: str) -> str:
    return f"```diff\n{diff.rstrip()}\n```"


def _data(file: FileResult) -> JsonObject:
    data: JsonObject = {
        "uri": file.path.as_uri(),
        "kind": file.kind,
        "status": file.status,
        "additions": file.additions,
        "deletions": file.deletions,
        "diff": file.diff,
        "unsaved": file.unsaved,
    }
    if file.new_path is not None:
        data["newUri"] = file.new_path.as_uri()
    for name in ("refused", "edited", "merged", "formatted"):
        if diff := getattr(file, name):
            data[name] = diff
    if file.is_rejected:
        data["refusedHunks"] = [hunk_value(hunk).dump() for hunk in file.rejected_hunks]
    return data
