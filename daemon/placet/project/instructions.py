"""Instructions of a project and the project's user for agents: AGENTS.md and similar files, the memory of earlier
sessions, and the files named in settings."""

import os.path
import time
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from itertools import takewhile
from pathlib import Path

from placet.project.foreign_rules import general_rules, rules_about
from placet.project.git.repository import repository_of
from placet.project.paths import is_directory, is_file, with_home
from placet.project.protected_names import MEMORY

NAMES = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md", "GEMINI.md")
"""Names of instruction files; the first existing name of a directory counts."""
MOST_CHARACTERS = 20_000
"""Number of characters shown of a file."""
MOST_FILES = 100
"""Number of files taken for a pattern."""
SEARCH_SECONDS = 1.0
"""Time limit in seconds for a pattern through a large tree."""

_NOT_SEARCHED = frozenset((".git", "node_modules", "__pycache__", ".venv"))


def instruction_files(path: Path, root: Path) -> list[Path]:
    """Return the instructions for `path`, which lies in `root`: from its directory up to the root. Blocks.

    In a project without files of NAMES, return Copilot's and Cursor's rules about the path.
    """
    directories = list(takewhile(lambda directory: directory.is_relative_to(root), path.parents))
    files = [file for directory in directories if (file := _of(directory)) is not None]
    if files or _upward(root):
        return files
    return [file for directory in directories for file in rules_about(path, directory)]


def rules_of_user(config: Path) -> Path | None:
    """Return the user's own rules for every project: `AGENTS.md` in the directory of settings, else
    `~/.claude/CLAUDE.md`."""
    candidates = (config / "AGENTS.md", with_home("~/.claude/CLAUDE.md"))
    return next((file for file in candidates if is_file(file)), None)


def rules_of_project(roots: Sequence[Path]) -> list[Path]:
    """Return for each root every file of the first existing of NAMES between the root and the repository's top.

    The outermost file stands first, so the nearest file has the last word. A root without such a file has Copilot's and
    Cursor's general rules. Blocks.
    """
    files = [file for root in roots for file in _upward(root)[::-1] or _general(root)]
    return list(dict.fromkeys(files))


def memory_of_user(config: Path) -> Path:
    """Return the place of the user's own memory, which may not exist yet: MEMORY in the directory of settings."""
    return config / MEMORY


def memory_of_project(root: Path) -> Path:
    """Return the place of the project's memory, which may not exist yet: MEMORY at the root."""
    return root / MEMORY


def memories(config: Path, roots: Sequence[Path]) -> list[Path]:
    """Return the present memories: the user's, then each root's. Looks at the disk."""
    places = (memory_of_user(config), *map(memory_of_project, roots))
    return [file for file in dict.fromkeys(places) if is_file(file)]


def rules_matching(pattern: str, roots: Sequence[Path]) -> list[Path]:
    """Return the files that a pattern of the setting `instructions` names, in order.

    A relative pattern is tried from each root upward. `*` and `?` stay within a name, `**` is any number of
    directories. The list has at most MOST_FILES files, found within SEARCH_SECONDS. Blocks.
    """
    deadline = time.monotonic() + SEARCH_SECONDS
    written = with_home(pattern)
    if written.is_absolute():
        places = [(Path(written.anchor), written.parts[1:])]
    else:
        places = [(directory, written.parts) for root in roots for directory in _up_to_top(root)]
    files: dict[Path, None] = {}
    for directory, parts in places:
        for file in _matching(directory, parts, deadline):
            files[Path(os.path.normpath(file))] = None
            if len(files) == MOST_FILES:
                return list(files)
    return list(files)


def bounded(text: str) -> str:
    """Return instructions as shown to the model: MOST_CHARACTERS, and a note if the text is longer."""
    if len(text) <= MOST_CHARACTERS:
        return text.rstrip()
    return f"{text[:MOST_CHARACTERS]}\n... ({len(text)} characters in all; read the file for the rest)"


def _of(directory: Path) -> Path | None:
    return next((directory / name for name in NAMES if is_file(directory / name)), None)


def _upward(root: Path) -> list[Path]:
    """Return the instruction files from the root upward, the nearest first."""
    directories = _up_to_top(root)
    for name in NAMES:
        if files := [file for directory in directories if is_file(file := directory / name)]:
            return files
    return []


def _general(root: Path) -> list[Path]:
    return [file for directory in reversed(_up_to_top(root)) for file in general_rules(directory)]


def _up_to_top(root: Path) -> list[Path]:
    """Return the root and the directories around the root up to the repository's top; outside of a repository the root
    alone."""
    repository = repository_of(root)
    top = root if repository is None else repository.top
    return [directory for directory in (root, *root.parents) if directory.is_relative_to(top)]


def _matching(directory: Path, parts: Sequence[str], deadline: float) -> Iterator[Path]:
    """Yield the fitting files below the directory; `**` follows no links to directories, as a link may lead in a
    circle."""
    if not parts:
        if is_file(directory):
            yield directory
        return
    first, *rest = parts
    if first == "**":
        yield from _matching(directory, rest, deadline)
        for entry in _entries(directory, deadline):
            if entry.name not in _NOT_SEARCHED and is_directory(entry) and not entry.is_symlink():
                yield from _matching(entry, parts, deadline)
    elif set(first) & set("*?["):
        for entry in _entries(directory, deadline):
            if fnmatch(entry.name, first) and (not rest or is_directory(entry)):
                yield from _matching(entry, rest, deadline)
    else:
        yield from _matching(directory / first, rest, deadline)


def _entries(directory: Path, deadline: float) -> list[Path]:
    """Return the entries in order; none of a directory that cannot be listed, and none after the deadline."""
    if time.monotonic() > deadline:
        return []
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []
