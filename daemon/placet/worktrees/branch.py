"""Changes of a worktree as commits on its branch."""

from placet.core.errors import RequestError
from placet.project.git.work import git_work, text_of
from placet.worktrees.present_tree import tree_of_worktree
from placet.worktrees.records import Worktree
from placet.worktrees.repository import commit_of, tree_of


async def commit_changes(worktree: Worktree, message: str) -> tuple[str, bool]:
    """Commit the uncommitted changes of the worktree, untracked files too, on the branch that is checked out.

    Return the name of the branch, and whether a commit was made. The commit is the user's own, and no hook runs. Raises
    RequestError, also if no branch is checked out.
    """
    top = worktree.path
    try:
        branch = text_of(await git_work(top, "symbolic-ref", "--quiet", "HEAD"))
    except RequestError as error:
        raise RequestError(f"No branch is checked out in {top}. Check {worktree.branch} out there.") from error
    head, tree = await commit_of(top, "HEAD"), await tree_of_worktree(worktree)
    shown = branch.removeprefix("refs/heads/")
    if tree == await tree_of(top, head):
        return shown, False
    try:
        commit = text_of(await git_work(top, "commit-tree", tree, "-p", head, "-m", message))
    except RequestError as error:
        raise RequestError(f"{error} git needs your name and address: set user.name and user.email.") from error
    await git_work(top, "update-ref", "-m", f"commit: {message}", branch, commit, head)
    await git_work(top, "reset", "--mixed", "--quiet", commit)
    return shown, True
