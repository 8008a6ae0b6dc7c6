"""What a project brings along that could run, or widen what may be done. It is looked at here, and never used."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from placet.project.paths import is_directory, real
from placet.project.repository import repository_of

Kind = Literal["settings", "tool", "plugin", "agent", "command", "skill"]

OWN_DIRECTORY = ".placet"
COURTESY_DIRECTORIES = (".claude", ".opencode")
"""Of other agents: their agents, commands and skills are read as if they were ours, below ours."""
COURTESY: tuple[Kind, ...] = ("agent", "command", "skill")
DIRECTORIES = (*COURTESY_DIRECTORIES, OWN_DIRECTORY)
MOST_FILES = 2_000
"""Of a project that brings more, none is used."""

_SETTINGS_KIND: Kind = "settings"
_SETTINGS = ("placet.json", "placet.jsonc")
_SUFFIXES: tuple[tuple[Kind, str], ...] = (
    ("tool", ".py"),
    ("plugin", ".py"),
    ("agent", ".md"),
    ("command", ".md"),
    ("skill", ""),
)


@dataclass(frozen=True, slots=True)
class Brought:
    kind: Kind
    path: Path
    name: str
    """Relative to the folder, with `/`."""
    digest: str
    """SHA-256 of its bytes, hexadecimal."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """All that one project brings."""

    folder: Path
    """The top of its repository, else the folder that was opened; what the user trusts or not."""
    levels: tuple[Path, ...] = ()
    """The directories in which things may lie, from the folder down to the one that was opened."""
    items: tuple[Brought, ...] = ()
    problems: tuple[str, ...] = ()
    """What is not used whatever the user trusts, and why."""

    def holds(self, file: Path) -> bool:
        """Whether the file lies where a project's own things lie."""
        return any(file.is_relative_to(level / name) for level in self.levels for name in DIRECTORIES)

    def files(self, kind: Kind) -> tuple[Path, ...]:
        """Those nearer to the opened folder later."""
        return tuple(item.path for item in self.items if item.kind == kind)


def folder_of(root: Path) -> Path:
    """What is trusted as a whole: the top of the repository that the folder lies in, else the folder. Blocks."""
    found = repository_of(real(root))
    return real(root) if found is None else found.top


def inventory(root: Path) -> Inventory:
    """What the project of an opened folder brings, from its top down to the folder. Blocks.

    A link that leads out of the project is no part of it: what lies there is another's to change.
    """
    folder, opened = folder_of(root), real(root)
    levels = tuple(reversed([level for level in (opened, *opened.parents) if level.is_relative_to(folder)]))
    items: list[Brought] = []
    problems: list[str] = []
    for kind, path in islice(_candidates(levels), MOST_FILES + 1):
        name = path.relative_to(folder).as_posix()
        if not real(path).is_relative_to(folder):
            problems.append(f"{name} is a link that leads out of the project, and is not read.")
        elif (digest := _digest(path)) is None:
            problems.append(f"{name} cannot be read.")
        else:
            items.append(Brought(kind, path, name, digest))
    if len(items) + len(problems) > MOST_FILES:
        return Inventory(
            folder, levels, (), (f"The project brings more than {MOST_FILES} files of its own; none is used.",)
        )
    return Inventory(folder, levels, tuple(items), tuple(problems))


def directories_of(levels: Sequence[Path], kind: Kind) -> tuple[Path, ...]:
    """Where things of a kind lie below each level, the one that outweighs the others last."""
    names = DIRECTORIES if kind in COURTESY else (OWN_DIRECTORY,)
    return tuple(level / name / kind_name for level in levels for name in names for kind_name in (kind, f"{kind}s"))


def _candidates(levels: Sequence[Path]) -> Iterator[tuple[Kind, Path]]:
    for level in levels:
        for file in (directory / name for directory in (level, level / OWN_DIRECTORY) for name in _SETTINGS):
            if os.path.lexists(file):
                yield _SETTINGS_KIND, file
        for kind, suffix in _SUFFIXES:
            for directory in directories_of([level], kind):
                for file in _files_below(directory, suffix):
                    yield kind, file


def _files_below(directory: Path, suffix: str) -> Iterator[Path]:
    """Sorted; links to directories are not followed, but are told of as if they were files."""
    if directory.is_symlink():
        yield directory
        return
    if not is_directory(directory):
        return
    for parent, directories, names in os.walk(directory):
        linked = [name for name in directories if (Path(parent) / name).is_symlink()]
        directories[:] = sorted(set(directories) - set(linked) - {"__pycache__", "node_modules", ".git"})
        yield from (Path(parent) / name for name in sorted((*names, *linked)) if name.endswith(suffix))


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
