"""A change's result in words for the model, and as data for the screen."""

from placet.changes.result import ChangeResult, FileResult
from placet.messages import JsonObject
from placet.project.paths import Workspace


def describe(result: ChangeResult, workspace: Workspace) -> str:
    """What the model is told: what was applied, and each way in which that differs from what it proposed."""
    paragraphs = [_described(file, workspace) for file in result.files]
    if result.feedback:
        paragraphs.append(f"The user said: {result.feedback}")
    return "\n\n".join(paragraphs)


def metadata(result: ChangeResult) -> JsonObject:
    """What the screen shows: the change's id, one diff of all that was applied, and each file's share."""
    applied = result.applied
    return {
        "changeId": result.id,
        "diff": "".join(file.diff for file in applied),
        "additions": sum(file.additions for file in applied),
        "deletions": sum(file.deletions for file in applied),
        "files": [_data(file) for file in result.files],
    }


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
        lines += ["It is changed in the editor but not saved: the user had unsaved changes in it, so what runs from"]
        lines[-1] += " the disk does not see it yet."
    return "\n".join(lines)


def _headline(file: FileResult, workspace: Workspace) -> str:
    name = workspace.relative(file.path)
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
            target = workspace.relative(file.new_path or file.path)
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
    return data
