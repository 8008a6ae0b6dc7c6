"""Error text for a missing file: similar names, and files of the same name elsewhere in the workspace."""

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING

from placet.core.executor import in_thread
from placet.project.files.absence import no_file
from placet.project.similar_names import nearest_directory, nearest_names
from placet.tools.framework.access import reading
from placet.tools.framework.context import ToolContext

if TYPE_CHECKING:
    from placet.changes.review.seen_tree import SeenTree

ELSEWHERE = 3


async def missing(path: Path, tree: "SeenTree", context: ToolContext) -> str:
    """Return the error's text, which names no file that the rules refuse to read."""
    message = await in_thread(no_file, path)
    if path.is_symlink():
        return message
    near = await in_thread(_nearest, path, tree)
    namesakes = await _namesakes(path, tree, context)
    shown = [str(candidate) for candidate in dict.fromkeys([*near, *namesakes]) if _may_be_named(candidate, context)]
    if shown:
        return "\n".join((message, "", "Did you mean one of these?", *shown))
    directory = await in_thread(nearest_directory, path, tree.is_directory)
    if directory != path.parent:
        return f"{message} There is no directory {path.parent} either; {directory} exists. Find it with glob."
    return message


def _nearest(path: Path, tree: "SeenTree") -> list[Path]:
    try:
        names = sorted(entry.name for entry in tree.entries(path.parent))
    except OSError:
        return []
    return nearest_names(path, names)


async def _namesakes(path: Path, tree: "SeenTree", context: ToolContext) -> list[Path]:
    """Return some files of exactly this name in the workspace, without ignored files."""
    root = context.workspace.root_of(path)
    matches: list[bytes] = []

    async def take(names: list[bytes]) -> None:
        matches.extend(names[: ELSEWHERE - len(matches)])

    if path.name:
        await tree.list_names([f"--iglob={glob.escape(path.name)}", "--glob=!.git"], root, take)
    return sorted(root / os.fsdecode(name) for name in matches)


def _may_be_named(path: Path, context: ToolContext) -> bool:
    return reading(context.workspace, path, context.judge) != "deny"
