"""Where a project tells agents how to work on it: AGENTS.md and its kin, nearest first."""

from pathlib import Path

NAMES = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
"""Of one directory the first that is there counts."""


def instruction_files(path: Path, root: Path) -> list[Path]:
    """The instructions that hold for `path`, which lies in `root`: from its directory up to the root. Blocks (stat)."""
    directories = [directory for directory in path.parents if directory.is_relative_to(root)]
    found = (_of(directory) for directory in directories)
    return [file for file in found if file is not None]


def _of(directory: Path) -> Path | None:
    return next((directory / name for name in NAMES if (directory / name).is_file()), None)
