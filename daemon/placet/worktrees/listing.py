"""Worktrees of a repository with their state, and orphans: worktrees whose directory or repository is gone."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.project.git.work import git_work
from placet.project.paths import is_directory, real
from placet.worktrees.present_tree import tree_of_worktree
from placet.worktrees.records import Worktree, all_records, directories_in, records_in
from placet.worktrees.repository import Repository, repository_at, tree_of

WorktreeState = Literal["unchanged", "changed", "brought back", "directory gone", "repository gone"]
"""State of a worktree. `changed`: files or commits differ from the base and were not brought back."""


class ListedWorktree(Struct, frozen=True):
    worktree: Worktree
    state: WorktreeState
    changed_files: int = 0
    """Number of files that differ from the base."""

    @property
    def has_work(self) -> bool:
        """Return whether removing the worktree would lose changes."""
        return self.state == "changed"


class Orphan(Struct, frozen=True):
    path: Path
    reason: str
    """Clause that says what is gone."""
    has_record: bool = True


async def list_worktrees(home: Path, directory: Path) -> list[ListedWorktree]:
    """Return the worktrees of the repository around the directory, by name. Raises RequestError."""
    repository = await repository_at(directory)
    worktrees = await in_thread(lambda: records_in(repository.directory(home)))
    return list(await asyncio.gather(*map(listed, worktrees)))


async def find_worktree(home: Path, directory: Path, name: str) -> Worktree:
    """Return the worktree of this name of the repository around the directory, or the worktree at the path.

    Raises RequestError.
    """
    path = real(directory / name)
    worktrees = await in_thread(lambda: [worktree for worktree in all_records(home) if worktree.path == path])
    if not worktrees:
        repository = await repository_at(directory)
        worktrees = await in_thread(lambda: _named(home, repository, name))
    if not worktrees:
        raise RequestError(f"There is no worktree {name!r}. `placet worktree list` lists the worktrees.")
    return worktrees[0]


async def listed(worktree: Worktree) -> ListedWorktree:
    """Return the worktree with its state."""
    gone = await in_thread(_gone, worktree)
    if gone is not None:
        return ListedWorktree(worktree, gone)
    try:
        tree = await tree_of_worktree(worktree)
        base = await tree_of(worktree.repository, worktree.base)
    except RequestError:  # Nobody knows what the worktree holds: it counts as changed.
        return ListedWorktree(worktree, "changed")
    if tree == base:
        return ListedWorktree(worktree, "unchanged")
    changed = await git_work(worktree.path, "diff-tree", "-r", "-z", "--name-only", base, tree)
    state: WorktreeState = "brought back" if tree == worktree.brought else "changed"
    return ListedWorktree(worktree, state, changed.count(b"\0"))


def orphans(home: Path) -> list[Orphan]:
    """Return the worktrees of all repositories whose directory or repository is gone, and directories without a
    record. Blocks.
    """
    found: list[Orphan] = []
    for directory in directories_in(real(home)):
        worktrees = records_in(directory)
        for worktree in worktrees:
            match _gone(worktree):
                case "directory gone":
                    found.append(Orphan(worktree.path, "the directory is gone"))
                case "repository gone":
                    found.append(Orphan(worktree.path, f"its repository {worktree.repository} is gone"))
                case _:
                    pass
        known = {worktree.path for worktree in worktrees}
        unknown = (entry for entry in directories_in(directory) if entry not in known)
        found += (Orphan(entry, "its record is gone", has_record=False) for entry in unknown)
    return found


def left_by_subagents(home: Path) -> list[Worktree]:
    """Return the worktrees of all repositories that a subagent has left, as its work failed or its process died.

    Blocks.
    """
    made = (worktree for worktree in all_records(home) if worktree.subagent is not None and _gone(worktree) is None)
    return [worktree for worktree in made if worktree.subagent is not None and not worktree.subagent.is_at_work]


def _named(home: Path, repository: Repository, name: str) -> Sequence[Worktree]:
    worktrees = records_in(repository.directory(home))
    return [worktree for worktree in worktrees if worktree.name.casefold() == name.casefold()]


def _gone(worktree: Worktree) -> Literal["directory gone", "repository gone"] | None:
    if not is_directory(worktree.path):
        return "directory gone"
    has_repository = is_directory(worktree.repository) and (worktree.repository / ".git").exists()
    return None if has_repository else "repository gone"
