"""Places of a search: the path that the model names, else every folder of the workspace."""

from collections.abc import Sequence
from pathlib import Path

from placet.project.paths import Workspace


def where_to_look(workspace: Workspace, path: str | None) -> tuple[Path, ...]:
    """Return the named path, or the folders of the workspace. Raises ToolError for a name that is no path."""
    return workspace.outer_roots if path is None else (workspace.resolve(path),)


def notes_on_folders(starts: Sequence[Path], missing: Sequence[Path]) -> list[str]:
    """Return notes on a search in several folders: the searched folders, and the missing folders."""
    looked_into = [str(start) for start in starts if start not in missing]
    notes = [f"(Looked in {', '.join(looked_into)}.)"] if len(starts) > 1 else []
    return [*notes, *(f"(There is no directory {directory}.)" for directory in missing)]
