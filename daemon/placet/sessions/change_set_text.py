"""Texts about a change set for the user, in front ends that show the set as lines of text."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from placet.changes.review.parts import DecidedFile
from placet.changes.review.staged_file import FileState, StagedView
from placet.core.errors import RequestError
from placet.core.visible_text import one_line, spelled_out
from placet.project.paths import Workspace, real
from placet.text.diff import count_lines

MARKS: dict[FileState, str] = {"staged": "Proposed", "unreviewed": "Unreviewed"}


def summary(view: StagedView) -> str:
    """Return a line about the file: kind, name and counts of lines, or the conflict."""
    added, deleted = count_lines(() if view.proposed is None else view.proposed.hunks)
    name, target = spelled_out(view.name), view.file.new_path
    shown = name if target is None else f"{spelled_out(view.file.path.name)} -> {name}"
    conflict = f"  conflict: {view.conflict}" if view.conflict else f"  +{added} -{deleted}"
    permissions = f"  {permission_words(view.file.permissions)}" if view.file.permissions else ""
    return f"{view.file.kind:7} {shown}{conflict}{permissions}"


def permission_words(permissions: str) -> str:
    """Return the words about the permissions of a file to be created."""
    return "made executable" if permissions == "executable" else f"permissions {permissions}"


def outcome(file: DecidedFile, workspace: Workspace) -> str:
    """Return a line about the outcome of the user's decisions about a file."""
    reason = f"  {one_line(file.reason)}" if file.reason else ""
    return f"{file.status:10} {spelled_out(workspace.relative(file.place))}{reason}"


def views_of(views: Sequence[StagedView], files: Mapping[Path, str]) -> list[StagedView]:
    """Return the views of the files, in the order of the files, each given with the name that the user wrote.

    Raises RequestError for a file without a change.
    """
    named = {real(path): name for path, name in files.items()}
    places = {real(view.file.place) for view in views}
    if missing := [name for place, name in named.items() if place not in places]:
        raise RequestError(f"No change of {', '.join(missing)} waits for a review.")
    return [view for place in named for view in views if real(view.file.place) == place]
