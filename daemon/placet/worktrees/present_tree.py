"""Present files of a tree as an object of git: tracked, changed and untracked files, without ignored files."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from placet.core.executor import in_thread
from placet.project.git.work import git_work, text_of

PLACET = {
    **{f"GIT_{role}_NAME": "Placet" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "placet@localhost" for role in ("AUTHOR", "COMMITTER")},
}
"""Identity for commits that stand on no branch."""


async def present_tree(top: Path) -> str:
    """Return the tree of the present files. The index of the tree stays as it is. Raises RequestError."""
    index = top / text_of(await git_work(top, "rev-parse", "--git-path", "index"))
    directory = Path(await in_thread(lambda: tempfile.mkdtemp(prefix="placet-index-")))
    own = directory / "index"

    def copy() -> None:
        with suppress(FileNotFoundError):  # A repository without any file has no index.
            shutil.copy2(index, own)

    try:
        await in_thread(copy)
        variables = {"GIT_INDEX_FILE": str(own)}
        await git_work(top, "add", "--all", variables=variables)
        return text_of(await git_work(top, "write-tree", variables=variables))
    finally:
        await in_thread(lambda: shutil.rmtree(directory, ignore_errors=True))


async def commit_of_tree(top: Path, tree: str, parent: str, message: str) -> str:
    """Return a commit of the tree that stands on no branch. Raises RequestError."""
    return text_of(await git_work(top, "commit-tree", tree, "-p", parent, "-m", message, variables=PLACET))
