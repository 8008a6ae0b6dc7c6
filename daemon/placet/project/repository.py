"""The git repository a directory lies in, as far as its own files tell: its top and its branch.

No git is run: it is asked before every turn.
"""

from dataclasses import dataclass
from pathlib import Path

from placet.project.paths import is_directory, is_file

_HEAD_CHARACTERS = 4096


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
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(_HEAD_CHARACTERS)
    except OSError:
        return ""
