"""Creation of a worktree: a directory of its own on a branch of its own."""

import shutil
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec import Struct

from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.project.file_lock import held_lock
from placet.project.git.work import git_work, text_of
from placet.worktrees.git_worktree import git_worktree
from placet.worktrees.included_files import Copied, copy_included
from placet.worktrees.names import BRANCHES, checked, free_name
from placet.worktrees.present_tree import commit_of_tree, present_tree
from placet.worktrees.records import Subagent, Worktree, directories_in, free_port, records_in, write
from placet.worktrees.repository import Repository, commit_of, repository_at, tree_of
from placet.worktrees.unwritten_files import UnwrittenFile


class Created(Struct, frozen=True):
    worktree: Worktree
    takes_changes: bool
    """Whether uncommitted changes were taken along."""
    copied: Copied


async def create_worktree(
    home: Path,
    directory: Path,
    name: str | None = None,
    *,
    takes_changes: bool = False,
    unwritten: Sequence[UnwrittenFile] = (),
    revision: str = "HEAD",
    subagent: Subagent | None = None,
) -> Created:
    """Make a worktree of the repository around `directory` on the branch `placet/NAME`, from the commit.

    `home` is the directory of all worktrees (Locations.worktrees). Without a name, the first free `work-N` is taken.
    With `takes_changes`, the uncommitted changes of the tree are taken along, untracked files too; the tree itself
    stays as it is. `unwritten` files are taken along in place of the files on the disk. Ignored files that
    `.worktreeinclude` names are copied. Raises RequestError; then nothing is left.
    """
    repository = await repository_at(directory)
    try:
        start = await commit_of(repository.top, revision)
    except RequestError as error:
        if revision != "HEAD":
            raise
        raise RequestError(f"{repository.top} has no commit yet, and a worktree begins with a commit.") from error
    base = await _with_changes(repository.top, start, unwritten) if takes_changes else start
    listed = await git_work(repository.top, "for-each-ref", "--format=%(refname:lstrip=3)", f"refs/heads/{BRANCHES}")
    branches = text_of(listed).split("\n")
    reserved: list[Worktree] = []
    try:
        reserve = partial(_reserve, home, repository, name, branches, start, base, subagent)
        await to_the_end(in_thread(lambda: reserved.append(reserve())))
        (worktree,) = reserved
        await _check_out(worktree)
        copied = await copy_included(repository.top, worktree.path)
    except BaseException:
        for worktree in reserved:
            await to_the_end(_take_back(worktree))
        raise
    return Created(worktree, base != start, copied)


async def _with_changes(top: Path, start: str, unwritten: Sequence[UnwrittenFile]) -> str:
    """Return a commit of the present files, or `start` where nothing is changed."""
    tree = await present_tree(top, unwritten)
    if tree == await tree_of(top, start):
        return start
    return await commit_of_tree(top, tree, start, "Uncommitted changes, taken along into a worktree")


def _reserve(
    home: Path,
    repository: Repository,
    name: str | None,
    branches: Collection[str],
    start: str,
    base: str,
    subagent: Subagent | None,
) -> Worktree:
    """Return the worktree with a name and ports of its own; the record is written before anything else exists, so that
    a crash leaves nothing unknown. `branches` are the names of the present branches. Raises RequestError. Blocks.
    """
    directory = repository.directory(home)
    try:
        with held_lock(home / ".lock"):
            taken = {worktree.name for worktree in records_in(directory)} | set(branches)
            taken |= {entry.name for entry in directories_in(directory)}
            own = free_name(taken) if name is None else checked(name, taken)
            port, path = free_port(home), directory / own
            worktree = Worktree(own, path, repository.top, start, base, port, time.time(), subagent=subagent)
            write(worktree)
            return worktree
    except OSError as error:
        raise RequestError(f"No worktree can be made in {home}: {error.strerror or error}.") from error


async def _check_out(worktree: Worktree) -> None:
    top = worktree.repository
    await git_work(top, "update-ref", worktree.base_reference, worktree.base)
    # The branch of the user's tree may be set up to track; the worktree's branch tracks nothing.
    add = ("add", "--no-checkout", "--no-track", "-b", worktree.branch)
    await git_worktree(worktree, *add, "--", str(worktree.path), worktree.start)
    await git_work(worktree.path, "read-tree", "--reset", "-u", worktree.base)
    if worktree.base != worktree.start:
        await git_work(worktree.path, "reset", "--mixed", "--quiet", worktree.start)


async def _take_back(worktree: Worktree) -> None:
    """Remove everything of a worktree that was not made whole."""
    top = worktree.repository
    for arguments in (("remove", "--force", str(worktree.path)), ("prune",)):
        with suppress(RequestError):
            await git_worktree(worktree, *arguments)
    for reference in ((f"refs/heads/{worktree.branch}", worktree.start), (worktree.base_reference,)):
        with suppress(RequestError):
            await git_work(top, "update-ref", "-d", *reference)
    await in_thread(lambda: shutil.rmtree(worktree.path, ignore_errors=True))
    await in_thread(lambda: worktree.record.unlink(missing_ok=True))


async def note_brought(worktree: Worktree, tree: str) -> None:
    """Note that the changes up to this tree were brought back. Raises RequestError."""
    await in_thread(lambda: write(replace(worktree, brought=tree)))


async def note_ended(worktree: Worktree) -> Worktree:
    """Note that the worktree's subagent works no more, and return the new record. Raises RequestError."""
    if (subagent := worktree.subagent) is None:
        return worktree
    ended = replace(worktree, subagent=replace(subagent, process=""))
    await in_thread(write, ended)
    return ended
