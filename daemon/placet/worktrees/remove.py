"""Removal of a worktree. No commit is lost: a branch with commits of its own stays."""

import shutil
from contextlib import suppress

from msgspec import Struct

from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.project.git.work import git_work
from placet.project.paths import is_directory
from placet.worktrees.git_worktree import git_worktree
from placet.worktrees.listing import ListedWorktree, listed
from placet.worktrees.records import Worktree
from placet.worktrees.repository import commit_of


class Removed(Struct, frozen=True):
    worktree: Worktree
    kept_branch: str = ""
    """Branch that stays, as its commits are nowhere else; "" if the branch is removed too."""


async def remove_worktree(worktree: Worktree, *, force: bool = False) -> Removed:
    """Remove the worktree, and its branch unless the branch has commits of its own.

    Without `force` a worktree with changes that were not brought back stays, and so does a worktree in which a
    subagent works. Raises RequestError.
    """
    state = await listed(worktree)
    if not force and (reason := _reason_to_stay(state)):
        raise RequestError(reason)
    kept = ""
    if state.state != "repository gone":
        # git looks at the directory itself, and would count changes that were brought back as losses.
        with suppress(RequestError):
            await git_worktree(worktree, "remove", "--force", "--force", str(worktree.path))
        kept = await _without_branch(worktree)
        with suppress(RequestError):
            await git_work(worktree.repository, "update-ref", "-d", worktree.base_reference)
    await in_thread(lambda: _delete(worktree))
    return Removed(worktree, kept)


def _reason_to_stay(listed_worktree: ListedWorktree) -> str:
    worktree = listed_worktree.worktree
    if worktree.subagent is not None and worktree.subagent.is_at_work:
        return (
            f"The subagent {worktree.subagent.agent} works in {worktree.name}, and the worktree goes with its end. "
            f"`placet worktree remove --force {worktree.name}` removes the worktree now."
        )
    if listed_worktree.state == "changed":
        return (
            f"{worktree.name} has changes that were not brought back. `placet worktree bring-back {worktree.name}` "
            f"brings the changes back, and `placet worktree remove --force {worktree.name}` removes them."
        )
    if listed_worktree.state == "repository gone":
        return (
            f"The repository of {worktree.name} is gone, so nobody knows whether its files are needed. "
            f"`placet worktree remove --force {worktree.path}` removes them."
        )
    return ""


async def _without_branch(worktree: Worktree) -> str:
    """Remove the branch; return the branch if it stays."""
    top, reference = worktree.repository, f"refs/heads/{worktree.branch}"
    try:
        tip = await commit_of(top, reference)
    except RequestError:
        return ""  # The user has removed or renamed the branch.
    if tip != worktree.start:
        others = await git_work(
            top,
            "for-each-ref",
            f"--contains={tip}",
            "--format=%(refname)",
            "refs/heads/",
            "refs/remotes/",
            "refs/tags/",
        )
        if not set(others.split()) - {reference.encode()}:
            return worktree.branch
    with suppress(RequestError):
        await git_work(top, "update-ref", "-d", reference, tip)
        return ""
    return worktree.branch


def _delete(worktree: Worktree) -> None:
    if is_directory(worktree.path):
        try:
            shutil.rmtree(worktree.path)
        except OSError as error:
            raise RequestError(f"{worktree.path} cannot be removed: {error.strerror or error}.") from error
    worktree.record.unlink(missing_ok=True)
    with suppress(OSError):  # The directory of the repository goes with the last worktree.
        worktree.path.parent.rmdir()
