"""Tell the changes of a conversation again, from the content of the messages."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from placet.core.events import ChangeApplied, ChangedFile, ChangeReverted, RefusedFile
from placet.core.messages import AssistantMessage, PatchPart, ToolPart, ToolPending


def replay_change(message: AssistantMessage, patch: PatchPart) -> Iterator[ChangeApplied | ChangeReverted]:
    """Yield the events behind this part.

    The metadata of the call that made the change has the most detail.
    """
    entries = _entries(message, patch)
    reported = {file.uri: file for file in map(_changed, entries) if file is not None}
    refused = tuple(file for file in map(_refused, entries) if file is not None)
    yield ChangeApplied(
        message_id=message.id,
        change_id=patch.change_id,
        call_id=patch.call_id,
        files=_files(patch, reported),
        refused=refused or None,
    )
    if patch.reverted:
        yield ChangeReverted(message_id=message.id, change_id=patch.change_id)


def _files(patch: PatchPart, reported: Mapping[str, ChangedFile]) -> tuple[ChangedFile, ...]:
    """Return the files of the patch; a file that the call does not report is known only as changed."""
    files = [reported.get(uri) or ChangedFile(uri=uri, kind="modify") for uri in patch.uris]
    if unknown := [at for at, uri in enumerate(patch.uris) if uri not in reported]:
        counts = {
            "additions": max(patch.additions - sum(file.additions for file in files), 0),
            "deletions": max(patch.deletions - sum(file.deletions for file in files), 0),
        }
        files[unknown[0]] = files[unknown[0]].model_copy(update=counts)
    return tuple(files)


def _entries(message: AssistantMessage, patch: PatchPart) -> list[Mapping[str, Any]]:
    """Return the entries of changes/propose/report.py for the screen, one per file."""
    if patch.call_id is None:
        return []
    for part in message.parts:
        if isinstance(part, ToolPart) and part.call_id == patch.call_id and not isinstance(part.state, ToolPending):
            files = part.state.metadata.get("files")
            return [file for file in files if isinstance(file, dict)] if isinstance(files, list) else []
    return []


def _changed(entry: Mapping[str, Any]) -> ChangedFile | None:
    if entry.get("status") != "applied":
        return None
    try:
        return ChangedFile.model_validate({**entry, "edited": True if entry.get("edited") else None})
    except ValidationError:
        return None


def _refused(entry: Mapping[str, Any]) -> RefusedFile | None:
    if "refusedHunks" not in entry:
        return None
    try:
        return RefusedFile.model_validate(
            {**entry, "whole": entry.get("status") == "refused", "hunks": entry["refusedHunks"]}
        )
    except ValidationError:
        return None
