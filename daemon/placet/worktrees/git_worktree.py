"""The command `git worktree`, run by one process at a time in each repository."""

import asyncio

from placet.core.errors import RequestError
from placet.project.file_lock import awaited_lock
from placet.project.git.work import MOST_SECONDS, git_work
from placet.worktrees.records import Worktree


async def git_worktree(worktree: Worktree, *arguments: str) -> None:
    """Run `git worktree` in the repository of the worktree, in bounded time. Raises RequestError.

    A second call beside the first reads the entry that the first has half made in the repository, and fails.
    """
    lock = worktree.path.parent.with_name(f"{worktree.path.parent.name}.lock")
    try:
        async with asyncio.timeout(2 * MOST_SECONDS), awaited_lock(lock):
            await git_work(worktree.repository, "worktree", *arguments)
    except TimeoutError:
        raise RequestError(f"{lock} is locked by another process.") from None
    except OSError as error:
        raise RequestError(f"{lock} cannot be locked: {error.strerror or error}.") from error
