"""The git repository around a directory, by the repository's own files: the top and the branch.

No git is run, because every turn asks this module.
"""

from pathlib import Path

from msgspec import Struct

from placet.core.regular_files import read_regular_file
from placet.project.paths import is_directory, is_file, real

_MOST_BYTES = 8192


class Repository(Struct, frozen=True):
    top: Path
    branch: str
    """Name of the branch; empty if no branch is checked out, or if the name cannot be read."""


def repository_of(directory: Path) -> Repository | None:
    """Return the innermost repository around the directory, or None outside of any. Blocks (a few stats, two small
    reads).

    `.git` is a directory, or in a worktree or submodule a file that names a directory (gitrepository-layout(5)).
    """
    for top in (directory, *directory.parents):
        entry = top / ".git"
        if is_directory(entry):
            return Repository(top, _branch(entry))
        if is_file(entry):
            return Repository(top, _branch(_named_in(entry)))
    return None


def git_directory_of_top(top: Path) -> Path:
    """Return the git directory of the top of a repository. Blocks (a stat, and perhaps a small read)."""
    entry = top / ".git"
    return _named_in(entry) if is_file(entry) else entry


def common_git_directory(top: Path) -> Path:
    """Return the git directory that all trees of the repository share, symlinks resolved, as the files at `top` say.

    Any directory can hold a `.git` file that names another's directory. Blocks (a stat, and up to two small reads).
    """
    git = git_directory_of_top(top)
    return real(git / _read(git / "commondir").strip())


def make_empty_repository(directory: Path) -> Path:
    """Make the smallest repository that git accepts, so that git answers by the ignore files of a plain tree. Raises
    OSError."""
    (directory / "objects").mkdir(parents=True)
    (directory / "refs").mkdir()
    (directory / "HEAD").write_text("ref: refs/heads/none\n")
    return directory


def _named_in(file: Path) -> Path:
    return file.parent / _read(file).removeprefix("gitdir:").strip()


def _branch(git: Path) -> str:
    """Return the NAME of `ref: refs/heads/NAME` in HEAD, or "" for a bare commit."""
    reference = _read(git / "HEAD").strip().removeprefix("ref:").strip()
    return reference.removeprefix("refs/heads/") if reference.startswith("refs/heads/") else ""


def _read(file: Path) -> str:
    try:
        return read_regular_file(file, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
