"""Repository around a directory, as far as worktrees need the repository."""

import hashlib
from pathlib import Path

from msgspec import Struct

from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.project.git.repository import repository_of
from placet.project.git.work import git_work, text_of
from placet.project.paths import real
from placet.worktrees.names import as_name


class Repository(Struct, frozen=True):
    top: Path
    """Top of the tree around the directory."""
    common: Path
    """Git directory that all trees of the repository share."""

    def directory(self, home: Path) -> Path:
        """Return the directory of the repository's worktrees below `home`. Looks at the disk."""
        digest = hashlib.sha256(str(self.common).encode("utf-8", "surrogateescape")).hexdigest()[:8]
        own = self.common.parent if self.common.name == ".git" else self.common
        return real(home) / f"{as_name(own.name)}-{digest}"


async def repository_at(directory: Path) -> Repository:
    """Return the repository around the directory. Raises RequestError outside of a repository, or in a bare one."""
    found = await in_thread(lambda: repository_of(real(directory)))
    if found is None:
        raise RequestError(f"{directory} is in no git repository, and worktrees need git.")
    common = await git_work(found.top, "rev-parse", "--git-common-dir")
    return Repository(found.top, await in_thread(lambda: real(found.top / text_of(common))))


async def commit_of(top: Path, revision: str) -> str:
    """Return the commit of the revision. Raises RequestError."""
    return text_of(await git_work(top, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"))


async def tree_of(top: Path, revision: str) -> str:
    """Return the tree of the revision. Raises RequestError."""
    return text_of(await git_work(top, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{tree}}"))
