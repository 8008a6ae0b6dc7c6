"""Ignored files that a new worktree is to have: `.worktreeinclude` names them by gitignore patterns."""

import os
import shutil
import stat
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from placet.core.executor import in_thread
from placet.core.regular_files import read_regular_file
from placet.project.git.work import git_work
from placet.project.ignore_patterns import MOST_BYTES, IgnorePatterns, ignore_patterns
from placet.project.paths import is_file, real

FILE_NAME = ".worktreeinclude"
MATCHING_SECONDS = 10.0
"""Time for the patterns and all names together; the names behind are left out, and reported."""


class Copied(Struct, frozen=True):
    files: int = 0
    left_out: tuple[str, ...] = ()
    """Names of files that were not copied, each with the reason."""


async def copy_included(top: Path, worktree: Path) -> Copied:
    """Copy the ignored files that the tree's `.worktreeinclude` names. Raises RequestError."""
    try:
        patterns = await in_thread(_patterns, top / FILE_NAME)
    except OSError as error:
        return Copied(left_out=(f"{FILE_NAME} cannot be read: {error.strerror or error}",))
    if patterns is None:
        return Copied()
    ignored = await git_work(top, "ls-files", "--others", "--ignored", "-z", "--exclude-standard")
    names = sorted(os.fsdecode(name) for name in ignored.split(b"\0") if name)
    return await in_thread(_copy_named, top, worktree, patterns, names)


def _patterns(file: Path) -> IgnorePatterns | None:
    """Return the patterns of the file, or None without a file; a link is no file. Raises OSError. Blocks."""
    if not is_file(file) or file.is_symlink():
        return None
    return ignore_patterns(os.fsdecode(read_regular_file(file, MOST_BYTES)))


def _copy_named(top: Path, worktree: Path, patterns: IgnorePatterns, names: Sequence[str]) -> Copied:
    """Copy the files that the patterns name. Blocks, at most for MATCHING_SECONDS before the copies."""
    problems, named = [f"{FILE_NAME}: {problem}" for problem in patterns.problems], list[str]()
    deadline = time.monotonic() + MATCHING_SECONDS
    for name in names:
        if time.monotonic() > deadline:
            problems.append(f"{name} and later files: the patterns of {FILE_NAME} take too long")
            break
        if patterns.fits(name):
            named.append(name)
    copied = _copy_all(top, worktree, named)
    return Copied(copied.files, (*problems, *copied.left_out))


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
