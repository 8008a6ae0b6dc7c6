"""Git directories as the files of a repository name them, and the entries from which git takes programs to run.

No git is run: a repository's own settings would tell git what to run. See gitrepository-layout(5).
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from placet.core.regular_files import read_regular_file
from placet.project.paths import is_directory, is_file, real, real_entry
from placet.sandbox.places import is_in

TRUSTED_ENTRIES = ("hooks", "config", "config.worktree", "info/attributes", "info/exclude", "commondir")
"""Entries of a git directory through which a later git, run by the user, runs programs or hides files."""
WITHOUT_PROGRAMS = frozenset(("objects", "refs", "logs", "lfs", "rr-cache"))
"""Directories whose files git never obeys, whatever the names of the files."""
_WORKTREE_ENTRIES = ("commondir", "gitdir", "config.worktree", "hooks", "config")
_MOST_BYTES = 1 << 20
_NAMES_FILE = re.compile(r"^\s*(bare|hooksPath|path|worktree)\s*=\s*\"?([^\"\n;#]+)", re.IGNORECASE | re.MULTILINE)


class GitDirectory(Struct, frozen=True):
    """Git directory of a worktree, and the common directory that holds the repository; mostly both are one."""

    own: Path
    common: Path


def git_directory_of(top: Path, home: Path) -> GitDirectory | None:
    """Return the git directory that a worktree's `.git` names, or None if the directory belongs to another worktree.
    Looks at the disk.

    A `.git` file or link that comes with a project could name any directory, which would then become writable. So a
    directory elsewhere must be a repository, must not lie at or above home, and must name this worktree or none.
    """
    entry = top / ".git"
    if is_directory(entry) and not os.path.islink(entry):  # noqa: PTH114 - a look that fails is no link
        return GitDirectory(real(entry), real(entry))
    own = _named_by(entry)
    if own is None or not is_file(own / "HEAD"):
        return None
    if is_file(own / "commondir"):
        common = real(own / _text(own / "commondir").strip())
        is_ours = own.parent == common / "worktrees" and real(own / _text(own / "gitdir").strip()) == real_entry(entry)
    else:
        common, is_ours = own, _serves(own, top)
    is_git = is_directory(common / "objects") and is_directory(common / "refs")
    return GitDirectory(own, common) if is_ours and is_git and not home.is_relative_to(common) else None


def _named_by(entry: Path) -> Path | None:
    """Return the directory to which a `.git` leads that is a link or a file."""
    if is_directory(entry):
        return real(entry)
    return real(entry.parent / _text(entry).removeprefix("gitdir:").strip()) if is_file(entry) else None


def _serves(git: Path, top: Path) -> bool:
    """Return whether a git directory names the worktree or, as after `git init --separate-git-dir`, none: the directory
    `.git` of another worktree belongs to that worktree.
    """
    settings = _settings(git)
    if named := settings.get("worktree"):
        return real(git / named) == real(top)
    return git.name != ".git" and settings.get("bare") == "false"


def enclosing_top(directory: Path) -> Path | None:
    """Return the nearest directory above with an entry `.git`, in which git finds the repository of the directory."""
    return next((parent for parent in directory.parents if os.path.lexists(parent / ".git")), None)


def trusted_paths(directory: GitDirectory, top: Path | None, writable: Sequence[Path]) -> Iterator[Path]:
    """Yield the paths which only the user may change: entries of the git directory, of its submodules and of their
    worktrees, and what its settings name. The paths may be missing. Looks at the disk.

    A worktree with a place outside of the writable directories is yielded as a whole.
    """
    if top is not None:
        yield from _named_by_settings(directory.common, top)
    for git in (directory.common, *_modules(directory.common / "modules")):
        yield from (git / entry for entry in TRUSTED_ENTRIES)
        for worktree in _directories(git / "worktrees"):
            named = _text(worktree / "gitdir").strip()
            if worktree == directory.own or (named and is_in(real(worktree / named), writable)):
                yield from (worktree / entry for entry in _WORKTREE_ENTRIES)
            else:
                yield worktree


def _named_by_settings(common: Path, top: Path) -> Iterator[Path]:
    """Yield the directory of hooks, and files of settings, that the settings of the repository name inside of `top`."""
    settings = _settings(common)
    for name, base in (("hookspath", top), ("path", common)):
        if (value := settings.get(name)) and not value.startswith("~"):
            path = real(base / value)
            if path != top and path.is_relative_to(top):
                yield path


def _settings(git: Path) -> dict[str, str]:
    """Return the settings of a repository that say where its files lie, by the last part of the name."""
    return {name.lower(): value.strip() for name, value in _NAMES_FILE.findall(_text(git / "config"))}


def _modules(directory: Path) -> Iterator[Path]:
    """Yield the git directories of submodules, and of submodules of submodules; a module's name may hold slashes."""
    directories = _directories(directory)
    for entry in directories:  # The list grows meanwhile.
        if is_file(entry / "HEAD"):
            yield entry
        directories += [inner for inner in _directories(entry) if inner.name not in WITHOUT_PROGRAMS]


def _directories(directory: Path) -> list[Path]:
    try:
        return sorted(entry for entry in directory.iterdir() if not os.path.islink(entry) and is_directory(entry))  # noqa: PTH114
    except OSError:
        return []


def _text(file: Path) -> str:
    try:
        return read_regular_file(file, _MOST_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
