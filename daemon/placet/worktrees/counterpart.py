"""Folder of the project for which a folder stands in a worktree of Placet."""

from pathlib import Path

from placet.project.git.repository import common_git_directory
from placet.project.paths import real
from placet.worktrees.records import worktree_at


def counterpart(home: Path, folder: Path) -> Path:
    """Return the folder of the project for which the folder stands; the folder itself outside of Placet's worktrees.

    Placet's record below `home` (Locations.worktrees) decides, and no file in the folder: a `.git` file can name any
    repository. A worktree whose git directory by now is of another repository than the record's stands for itself. The
    paths are with symlinks resolved. Blocks (a few small reads).
    """
    folder = real(folder)
    worktree = worktree_at(home, folder)
    if worktree is None or not folder.is_relative_to(path := real(worktree.path)):
        return folder
    if common_git_directory(path) != common_git_directory(worktree.repository):
        return folder
    answering = real(worktree.repository / folder.relative_to(path))
    # A link in the user's tree may lead to another project.
    return answering if answering.is_relative_to(real(worktree.repository)) else folder
