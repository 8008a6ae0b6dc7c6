"""What a tool asks before it touches a path: whether it may leave the workspace, and by which names rules know it."""

from collections.abc import Iterable
from pathlib import Path

from placet.project.paths import Workspace, real
from placet.tools.define import ToolContext


async def ask_outside(context: ToolContext, paths: Iterable[Path]) -> None:
    """Ask `external_directory` once for all that lies outside the workspace after symlinks; nothing outside, no ask.

    The pattern is `<directory>/*` of the real place, so that a link inside cannot lend its name to what is not.
    """
    outside = [real(path) for path in paths if not context.workspace.contains(path)]
    directories = dict.fromkeys(path if path.is_dir() else path.parent for path in outside)
    if directories:
        patterns = [f"{directory.as_posix().rstrip('/')}/*" for directory in directories]
        listed = ", ".join(str(directory) for directory in directories)
        await context.ask("external_directory", patterns, always=patterns, title=f"Access outside the workspace: {listed}")


def names_of(workspace: Workspace, path: Path) -> list[str]:
    """How permission rules know the path: as the user does, and by what it links to when that is another file."""
    behind_links = Workspace(tuple(real(root) for root in workspace.roots)).relative(real(path))
    return list(dict.fromkeys((workspace.relative(path), behind_links)))
