"""Inventory of a project's files that could run, or widen the permissions. This module only looks at the files."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from placet.core.regular_files import UnfitFile, read_regular_file
from placet.project.git.repository import repository_of
from placet.project.hook_files import DIRECTORY, digest_of, hooks_in
from placet.project.hook_files import FILE_NAMES as HOOK_FILE_NAMES
from placet.project.named_scripts import named_programs
from placet.project.paths import is_directory, real
from placet.settings.foreign_servers import FOREIGN_FILES
from placet.settings.sources import FILE_NAMES, PROJECT_FILE_BYTES

Kind = Literal["settings", "tool", "plugin", "agent", "command", "skill", "program", "hooks", "workspace"]

OWN_DIRECTORY = ".placet"
COURTESY_DIRECTORIES = (".claude", ".opencode")
"""Directories of other agents: their agents, commands and skills are read like ours, and rank below ours."""
COURTESY: tuple[Kind, ...] = ("agent", "command", "skill")
SHARED_DIRECTORY = ".agents"
"""Directory that agents of several makers share, by https://agentskills.io; Placet reads the directory's `skills`."""
DIRECTORIES = (*COURTESY_DIRECTORIES, SHARED_DIRECTORY, OWN_DIRECTORY)
MOST_FILES = 2_000
MOST_BYTES = 64 * 1024 * 1024
MOST_DIRECTORIES = 2_000
DEEPEST = 16
"""Depth of nested directories. Nothing is used of a project that exceeds any of these limits."""
MOST_BYTES_OF_ONE: dict[Kind, int] = {
    "settings": PROJECT_FILE_BYTES,
    "tool": 1_000_000,
    "plugin": 1_000_000,
    "agent": 1_000_000,
    "command": 1_000_000,
    "skill": 16 * 1024 * 1024,
    "program": 16 * 1024 * 1024,
    "hooks": 1_000_000,
    "workspace": PROJECT_FILE_BYTES,
}
"""Size limit of a single file, in bytes; beside a skill's own file other files than text may lie."""

WORKSPACE_NAME = "the editor's settings of the workspace"

_SETTINGS_KIND: Kind = "settings"
_SUFFIXES: tuple[tuple[Kind, str], ...] = (
    ("tool", ".py"),
    ("plugin", ".py"),
    ("agent", ".md"),
    ("command", ".md"),
    ("skill", ""),
)


class InventoryItem(Struct, frozen=True):
    kind: Kind
    path: Path
    name: str
    """Path relative to the folder, with `/`."""
    digest: str
    """SHA-256 of the file's bytes, hexadecimal; of the hooks alone for the kind `hooks`."""
    content: bytes | None = None
    """Content of the item of the kind `workspace`, which is no file: JSON, as the editor sent the settings."""


class Inventory(Struct, frozen=True):
    """Files brought by a project, with the project's folder and levels."""

    folder: Path
    """Top of the project's repository, else the opened folder; the user trusts or refuses this folder."""
    levels: tuple[Path, ...] = ()
    """Directories in which a project's files may lie, from the folder down to the opened folder."""
    items: tuple[InventoryItem, ...] = ()
    problems: tuple[str, ...] = ()
    """Files that are never used, even if the user trusts the project, each with the reason."""

    def holds(self, file: Path) -> bool:
        """Return whether the file lies in a directory for a project's own settings, agents and skills."""
        return any(file.is_relative_to(level / name) for level in self.levels for name in DIRECTORIES)

    def files(self, kind: Kind) -> tuple[Path, ...]:
        """Return the files of the kind; files nearer to the opened folder come later."""
        return tuple(item.path for item in self.items if item.kind == kind)


def folder_of(root: Path) -> Path:
    """Return the folder to trust as a whole: the top of the repository around the folder, else the folder. Blocks."""
    repository = repository_of(real(root))
    return real(root) if repository is None else repository.top


def inventory(root: Path, workspace: Mapping[str, Any] | None = None) -> Inventory:
    """Return the inventory of an opened folder's project, from the project's top down to the folder. Blocks.

    A link that leads out of the project is no part of the project: other users may change the link's target.
    `workspace` has the settings of the editor's workspace, which the user trusts or refuses with the files.
    """
    folder, opened = folder_of(root), real(root)
    levels = tuple(reversed([level for level in (opened, *opened.parents) if level.is_relative_to(folder)]))
    items: list[InventoryItem] = []
    problems: list[str] = []
    try:
        bytes_left = MOST_BYTES
        programs: list[tuple[Kind, Path]] = []
        if workspace:
            item = _workspace_item(folder, workspace)
            items.append(item)
            programs += _programs(item.content or b"", (opened, *levels), folder)
        seen: set[Path] = set()
        for kind, path in chain(_candidates(levels), programs):
            if path in seen:
                continue
            seen.add(path)
            name = path.relative_to(folder).as_posix()
            if len(items) + len(problems) == MOST_FILES:
                raise _TooMuch(f"more than {MOST_FILES} files")
            if not real(path).is_relative_to(folder):
                problems.append(f"{name} is a link to a place outside the project, and is not read.")
                continue
            try:
                content = read_regular_file(path, MOST_BYTES_OF_ONE[kind])
            except OSError as error:
                reason = str(error) if isinstance(error, UnfitFile) else error.strerror
                problems.append(f"{name} cannot be read: {reason}.")
                continue
            if (bytes_left := bytes_left - len(content)) < 0:
                raise _TooMuch(f"more than {MOST_BYTES} bytes")
            if (digest := _digest(kind, content)) is None:
                continue
            items.append(InventoryItem(kind, path, name, digest))
            if kind in ("settings", "hooks"):
                programs += _programs(content, (opened, *levels, path.parent), folder)
    except _TooMuch as much:
        return Inventory(
            folder, levels, (), (f"The project's extensions have {much}; none of the extensions is used.",)
        )
    return Inventory(folder, levels, tuple(items), tuple(problems))


def _digest(kind: Kind, content: bytes) -> str | None:
    """Return the digest of the part of the file that Placet uses; None for a file without such a part."""
    if kind != "hooks":
        return hashlib.sha256(content).hexdigest()
    try:
        hooks = hooks_in(content)
    except ValueError:
        return None
    return None if hooks is None else digest_of(hooks)


def _workspace_item(folder: Path, workspace: Mapping[str, Any]) -> InventoryItem:
    """Return the item of the settings of the editor's workspace. Raises _TooMuch.

    The digest depends on the order of the keys, as a later rule of `permission` outweighs an earlier rule.
    """
    content = json.dumps(workspace).encode()
    if len(content) > MOST_BYTES_OF_ONE["workspace"]:
        raise _TooMuch(f"more than {MOST_BYTES_OF_ONE['workspace']} bytes of settings in the editor's workspace")
    return InventoryItem("workspace", folder, WORKSPACE_NAME, hashlib.sha256(content).hexdigest(), content)


def _programs(settings: bytes, directories: tuple[Path, ...], folder: Path) -> Iterator[tuple[Kind, Path]]:
    """Yield the programs of the project that the text of settings names relative to one of the directories."""
    for named in named_programs(settings, directories):
        if (file := Path(os.path.normpath(named))).is_relative_to(folder):
            yield "program", file


class _TooMuch(Exception):
    """The project brings more than is looked at; the text names the exceeded limit."""


def directories_of(levels: Sequence[Path], kind: Kind) -> tuple[Path, ...]:
    """Return the directories of a kind below each level; a later directory outweighs the earlier directories."""
    return tuple(level / name for level in levels for name in _names_of(kind))


def _names_of(kind: Kind) -> list[str]:
    """Return the relative paths of the directories of a kind, the weakest first."""
    names = [*(COURTESY_DIRECTORIES if kind in COURTESY else ()), OWN_DIRECTORY]
    paths = [f"{name}/{kind_name}" for name in names for kind_name in (kind, f"{kind}s")]
    return [f"{SHARED_DIRECTORY}/skills", *paths] if kind == "skill" else paths


def _candidates(levels: Sequence[Path]) -> Iterator[tuple[Kind, Path]]:
    """Yield the files of the project with their kinds. Raises _TooMuch."""
    for level in levels:
        own = (directory / name for directory in (level, level / OWN_DIRECTORY) for name in FILE_NAMES)
        for file in (*(level.joinpath(*names) for names in FOREIGN_FILES), *own):
            if os.path.lexists(file):
                yield _SETTINGS_KIND, file
        for file in (level / DIRECTORY / name for name in HOOK_FILE_NAMES):
            if os.path.lexists(file):
                yield "hooks", file
        for kind, suffix in _SUFFIXES:
            for directory in directories_of([level], kind):
                for file in _files_below(directory, suffix):
                    yield kind, file


def _files_below(directory: Path, suffix: str) -> Iterator[Path]:
    """Yield the files in order; links to directories are not followed, but yielded like files. Raises _TooMuch."""
    if directory.is_symlink():
        yield directory
        return
    if not is_directory(directory):
        return
    for number, (parent, directories, names) in enumerate(os.walk(directory)):
        if number == MOST_DIRECTORIES:
            raise _TooMuch(f"more than {MOST_DIRECTORIES} directories")
        if len(Path(parent).relative_to(directory).parts) > DEEPEST:
            raise _TooMuch(f"more than {DEEPEST} nested directories")
        linked = [name for name in directories if (Path(parent) / name).is_symlink()]
        directories[:] = sorted(set(directories) - set(linked) - {"__pycache__", "node_modules", ".git"})
        yield from (Path(parent) / name for name in sorted((*names, *linked)) if name.endswith(suffix))
