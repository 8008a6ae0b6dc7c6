"""Whether a path lies in a directory, by names alone; quicker than pathlib, as each command asks hundreds of times."""

from collections.abc import Iterable
from pathlib import Path


def is_in(path: Path, directories: Iterable[Path]) -> bool:
    """Return whether the path is, or lies in, one of the directories."""
    name = f"{path}/"
    return any(name.startswith(f"{directory}/" if len(directory.parts) > 1 else "/") for directory in directories)


def innermost(path: Path, directories: Iterable[Path]) -> Path | None:
    """Return the innermost directory that is or holds the path, or None."""
    holding = [directory for directory in directories if is_in(path, (directory,))]
    return max(holding, key=lambda directory: len(directory.parts), default=None)
