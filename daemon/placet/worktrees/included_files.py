"""Ignored files that a new worktree is to have: `.worktreeinclude` names them by gitignore patterns."""

import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from placet.core.executor import in_thread
from placet.project.git.work import git_work
from placet.project.paths import is_file, real

FILE_NAME = ".worktreeinclude"


class Copied(Struct, frozen=True):
    files: int = 0
    left_out: tuple[str, ...] = ()
    """Names of files that were not copied, each with the reason."""


async def copy_included(top: Path, worktree: Path) -> Copied:
    """Copy the ignored files that the tree's `.worktreeinclude` names. Raises RequestError."""
    patterns = top / FILE_NAME
    if not await in_thread(lambda: is_file(patterns) and not patterns.is_symlink()):
        return Copied()
    others = ("ls-files", "--others", "--ignored", "-z")
    named = await git_work(top, *others, f"--exclude-from={patterns}")
    ignored = await git_work(top, *others, "--exclude-standard")
    names = sorted(set(named.split(b"\0")) & set(ignored.split(b"\0")) - {b""})
    return await in_thread(lambda: _copy_all(top, worktree, map(os.fsdecode, names)))


def _copy_all(top: Path, worktree: Path, names: Iterable[str]) -> Copied:
    count, left_out, tops = 0, list[str](), (real(top), real(worktree))
    for name in names:
        if name.endswith("/"):
            left_out.append(f"{name} is a repository of its own")
            continue
        try:
            reason = _copy(top / name, worktree / name, *tops)
        except OSError as error:
            reason = f"cannot be copied: {error.strerror or error}"
        if reason:
            left_out.append(f"{name} {reason}")
        else:
            count += 1
    return Copied(count, tuple(left_out))


def _copy(source: Path, target: Path, top: Path, worktree: Path) -> str:
    """Copy a file or a link; return the reason why nothing was copied. Raises OSError."""
    if not real(source).is_relative_to(top) or not real(source.parent).is_relative_to(top):
        return "leads out of the repository"
    if not real(target.parent).is_relative_to(worktree):
        return "would lead out of the worktree"
    if os.path.lexists(target):
        return "is in the worktree already"
    mode = source.lstat().st_mode
    if stat.S_ISLNK(mode) and source.readlink().is_absolute():
        return "is a link to the repository's own tree"
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        return "is no file"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target, follow_symlinks=False)
    return ""
