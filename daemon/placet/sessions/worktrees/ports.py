"""Ports of a worktree, told to the commands of its sessions by a variable."""

from collections.abc import Iterable
from pathlib import Path

from placet.worktrees.records import PORT_VARIABLE, Worktree, worktree_at


def port_variables(worktree: Worktree) -> dict[str, str]:
    """Return the variable for commands in the worktree."""
    return {PORT_VARIABLE: str(worktree.port)}


def variables_in(home: Path, roots: Iterable[Path]) -> dict[str, str]:
    """Return the variables for commands of a session in these folders; none outside of a worktree of Placet. Blocks."""
    worktrees = (worktree_at(home, root) for root in roots)
    return next((port_variables(worktree) for worktree in worktrees if worktree is not None), {})
