"""The git repository a directory lies in, as far as its own files tell: its top and its branch.

No git is run: it is asked before every turn.
"""

from dataclasses import dataclass
from pathlib import Path

from placet.project.paths import is_directory, is_file
from placet.regular_files import read_regular_file

_MOST_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Repository:
    top: Path
    branch: str
    """Empty where none is checked out, or where it cannot be told."""


def repository_of(directory: Path) -> Repository | None:
    """The repository around the directory, the innermost; None outside of any. Blocks (a few stats, two small reads).

    `.git` is a directory, or in a worktree or submodule a file that names one (gitrepository-layout(5)).
    """
    for top in (directory, *directory.parents):
        entry = top / ".git"
        if is_directory(entry):
            return Repository(top, _branch(entry))
        if is_file(entry):
            return Repository(top, _branch(_named_in(entry)))
    return None


def _named_in(file: Path) -> Path:
    return file.parent / _read(file).removeprefix("gitdir:").strip()


def _branch(git: Path) -> str:
    """`ref: refs/heads/NAME` of HEAD; of a bare commit nothing."""
    reference = _read(git / "HEAD").strip().removeprefix("ref:").strip()
    return reference.removeprefix("refs/heads/") if reference.startswith("refs/heads/") else ""


def _read(file: Path) -> str:
    try:
        return read_regular_file(file, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
