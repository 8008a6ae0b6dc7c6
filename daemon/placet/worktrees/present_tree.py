"""Present files of a tree as an object of git: tracked, changed and untracked files, without ignored files."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from placet.core.executor import in_thread
from placet.core.tasks import to_the_end
from placet.project.git.work import git_work, text_of
from placet.worktrees.records import Worktree
from placet.worktrees.unwritten_files import UnwrittenFile, lay_into_index

PLACET = {
    **{f"GIT_{role}_NAME": "Placet" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "placet@localhost" for role in ("AUTHOR", "COMMITTER")},
}
"""Identity for commits that stand on no branch."""


async def present_tree(top: Path, unwritten: Sequence[UnwrittenFile] = ()) -> str:
    """Return the tree of the present files, with the unwritten files in place of the files on the disk.

    The index of the tree stays as it is. Raises RequestError.
    """
    return await _tree(top, unwritten=unwritten)


async def tree_of_worktree(worktree: Worktree) -> str:
    """Return the tree of the worktree's present files. Raises RequestError.

    A file with which the worktree began stays in the tree, also where a pattern ignores the file meanwhile.
    """
    return await _tree(worktree.path, (worktree.start, worktree.base))


async def _tree(top: Path, tracked: tuple[str, str] | None = None, unwritten: Sequence[UnwrittenFile] = ()) -> str:
    """Return the tree of the present files; the files that differ between the `tracked` commits count as tracked."""
    index = top / text_of(await git_work(top, "rev-parse", "--git-path", "index"))
    # Made without a thread, whose result would be lost with a cancellation.
    with tempfile.TemporaryDirectory(prefix="placet-index-", ignore_cleanup_errors=True) as directory:
        own = Path(directory, "index")

        def copy() -> None:
            with suppress(FileNotFoundError):  # A repository without any file has no index.
                shutil.copy2(index, own)

        await to_the_end(in_thread(copy))
        variables = {"GIT_INDEX_FILE": str(own)}
        if tracked is not None and tracked[0] != tracked[1]:
            await _track(top, *tracked, variables)
        await git_work(top, "add", "--all", variables=variables)
        if unwritten:
            await lay_into_index(top, unwritten, variables)
        return text_of(await git_work(top, "write-tree", variables=variables))


async def _track(top: Path, start: str, base: str, variables: Mapping[str, str]) -> None:
    """Put the files of the base that are not as at the start into the index."""
    raw = await git_work(top, "diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", start, base)
    fields = iter(raw.split(b"\0")[:-1])
    lines: list[bytes] = []
    for head in fields:
        _, mode, _, blob, status = head.split(b" ")
        name = next(fields)
        if status != b"D":
            lines.append(mode + b" " + blob + b"\t" + name)
    if lines:
        await git_work(top, "update-index", "-z", "--index-info", text=b"\0".join((*lines, b"")), variables=variables)


async def commit_of_tree(top: Path, tree: str, parent: str, message: str) -> str:
    """Return a commit of the tree that stands on no branch. Raises RequestError."""
    return text_of(await git_work(top, "commit-tree", tree, "-p", parent, "-m", message, variables=PLACET))
