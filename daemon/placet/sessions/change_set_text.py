"""Texts about a change set for the user, in front ends that show the set as lines of text."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from placet.changes.review.parts import DecisionOutcome
from placet.changes.review.staged_file import FileState, StagedView
from placet.core.errors import RequestError
from placet.core.visible_text import one_line, spelled_out
from placet.project.paths import Workspace, real, real_entry
from placet.text.counted import counted
from placet.text.diff import count_lines

MARKS: dict[FileState, str] = {"staged": "Proposed", "unreviewed": "Unreviewed"}


def summary(view: StagedView) -> str:
    """Return a line about the file: kind, name, counts of lines and conflicts."""
    added, deleted = count_lines(() if view.proposed is None else view.proposed.hunks)
    counts = f"  {spelled_out(view.description)}" if view.description else f"  +{added} -{deleted}"
    name, target = spelled_out(view.name), view.file.new_path
    shown = name if target is None else f"{spelled_out(view.file.path.name)} -> {name}"
    conflict = f"  conflict: {view.conflict}" if view.conflict else f"{counts}{_conflicts(view)}"
    permissions = f"  {permission_words(view.permissions)}" if view.permissions else ""
    return f"{view.file.kind:7} {shown}{conflict}{permissions}"


def _conflicts(view: StagedView) -> str:
    return f"  {counted(len(view.hunks_in_conflict), 'hunk')} in conflict" if view.hunks_in_conflict else ""


def permission_words(permissions: str) -> str:
    """Return the words about the new permissions of a file."""
    return "made executable" if permissions == "executable" else f"permissions {permissions}"


def outcome(file: DecisionOutcome, workspace: Workspace) -> str:
    """Return a line about the outcome of the user's decisions about a file."""
    reason = f"  {one_line(file.reason)}" if file.reason else ""
    return f"{file.status:10} {spelled_out(workspace.relative(file.place))}{reason}"


def views_of(views: Sequence[StagedView], files: Mapping[Path, str]) -> list[StagedView]:
    """Return the views of the files, in the order of the files, each given with the name that the user wrote.

    Raises RequestError for a file without a change.
    """
    named = {(real(path), real_entry(path)): name for path, name in files.items()}
    found = {places: [view for view in views if _is_at(view, *places)] for places in named}
    if missing := [name for places, name in named.items() if not found[places]]:
        raise RequestError(f"No change of {', '.join(missing)} waits for a review.")
    return [view for own in found.values() for view in own]


def _is_at(view: StagedView, place: Path, entry: Path) -> bool:
    """Return whether the change is at the place, or of the symlink at the entry."""
    return real_entry(view.file.place) == entry if view.file.is_raw else real(view.file.place) == place
