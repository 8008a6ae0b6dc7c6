"""Error text for a missing file: similar names, and files of the same name elsewhere in the workspace."""

import glob
import os
from pathlib import Path

from placet.core.executor import in_thread
from placet.project.files.absence import no_file
from placet.project.search import search_lines
from placet.project.similar_names import nearest_directory, nearest_names
from placet.tools.framework.access import reading
from placet.tools.framework.define import ToolContext

ELSEWHERE = 3


async def missing(path: Path, context: ToolContext) -> str:
    """Return the error's text, which names no file that the rules refuse to read."""
    message = await in_thread(no_file, path)
    if path.is_symlink():
        return message
    near = await in_thread(nearest_names, path)
    namesakes = await _namesakes(path, context)
    shown = [str(candidate) for candidate in dict.fromkeys([*near, *namesakes]) if _may_be_named(candidate, context)]
    if shown:
        return "\n".join((message, "", "Did you mean one of these?", *shown))
    directory = await in_thread(nearest_directory, path)
    if directory != path.parent:
        return f"{message} There is no directory {path.parent} either; {directory} exists. Find it with glob."
    return message


async def _namesakes(path: Path, context: ToolContext) -> list[Path]:
    """Return some files of exactly this name in the workspace, without ignored files."""
    root = context.workspace.root_of(path)
    matches: list[bytes] = []

    async def take(names: list[bytes]) -> None:
        matches.extend(names[: ELSEWHERE - len(matches)])

    if path.name:
        arguments = ["--files", "--hidden", f"--iglob={glob.escape(path.name)}", "--glob=!.git"]
        await search_lines(arguments, root, take)
    return sorted(root / os.fsdecode(name) for name in matches)


def _may_be_named(path: Path, context: ToolContext) -> bool:
    return reading(context.workspace, path, context.judge) != "deny"
