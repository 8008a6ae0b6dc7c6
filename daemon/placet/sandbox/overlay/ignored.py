"""Paths of a layer that git ignores.

git is asked once for each repository, and is shown a tree of Placet's own that holds ignore files and nothing else.
In a directory of the root the ignore file before the command counts, so no command can hide files by changing the
ignore file. In a new directory the command's own ignore file counts (`.venv/.gitignore`, a cache's).
"""

import os
import stat
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from placet.core.executor import in_thread
from placet.core.regular_files import read_regular_file
from placet.project.git.query import git, git_ignored
from placet.project.git.repository import repository_of
from placet.project.search import search_lines
from placet.sandbox.overlay.layers import OverlayMount
from placet.sandbox.overlay.upper import UpperLayer

_IGNORE_FILE = ".gitignore"
_MOST_BYTES = 1 << 20
"""Largest ignore file that counts."""


class _Question(Struct, frozen=True):
    """Paths to ask git about, within the same repository."""

    names: Mapping[str, str]
    """Paths relative to the root, by the path from the top of the repository."""
    tree: Path
    """Tree of the ignore files, in the place of the repository's top."""
    git_directory: Path
    top: Path | None
    """Top of the repository; None without a repository, and for a repository that the command made."""


async def ignored_paths(
    mount: OverlayMount, layer: UpperLayer, scratch: Path, more: Iterable[str] = ()
) -> frozenset[str]:
    """Return the paths that git ignores, of the layer's files and of `more`, a directory's paths that need not exist.

    `scratch` is an empty directory for the trees. Raises OSError and ToolError.
    """
    names = dict.fromkeys((*layer.written, *layer.deleted, *more))
    ignored: set[str] = set()
    for question in await in_thread(_questions, mount, layer, names, scratch):
        ignored |= await _answered(question)
    return frozenset(ignored)


async def _answered(question: _Question) -> set[str]:
    by_name = {os.fsencode(name): path for name, path in question.names.items()}
    names = await git_ignored(question.git_directory, question.tree, by_name)
    if names is None:
        names = await _ignored_without_git(question.tree, by_name)
    if names and question.top is not None:
        # git ignores no file that is tracked. Most commands touch no ignored file, so the index is read only now.
        tracked = await git(question.top, "ls-files", "-z")
        names = names.difference((tracked or b"").split(b"\0"))
    return {by_name[name] for name in names}


async def _ignored_without_git(tree: Path, names: Collection[bytes]) -> frozenset[bytes]:
    """Return the ignored names as ripgrep sees ignore files, where git is not installed."""
    await in_thread(_make_files, tree, names)
    listed: set[bytes] = set()

    async def take(lines: list[bytes]) -> None:
        listed.update(lines)

    await search_lines(("--files", "--hidden", "--no-require-git"), tree, take)
    return frozenset(names).difference(listed)


def _questions(mount: OverlayMount, layer: UpperLayer, paths: Iterable[str], scratch: Path) -> list[_Question]:
    """Group the paths by repository, and make the tree of ignore files for each group."""
    outer = repository_of(mount.lower)
    own = mount.lower if outer is None else outer.top
    repositories: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(_repository(mount, layer, os.path.dirname(path), repositories), []).append(path)  # noqa: PTH120
    questions: list[_Question] = []
    for number, (inner, group) in enumerate(groups.items()):
        tree = scratch / str(number)
        top = own if not inner else mount.lower / inner
        above = os.path.relpath(mount.lower, top) if not inner else ""
        directories = {part for path in group for part in _parents(path) if not inner or _is_below(part, inner)}
        _copy_ignore_files(mount, layer, directories, tree, top)
        if not inner:
            _copy_ignore_files_above(top, mount.lower, tree)
        is_known = os.path.lexists(top / ".git")
        directory = top / ".git" if is_known else _empty_repository(scratch / f"{number}.git")
        prefix = "" if above in ("", ".") else f"{above}/"
        names = {prefix + (path[len(inner) + 1 :] if inner else path): path for path in group}
        questions.append(_Question(names, tree, directory, top if is_known else None))
    return questions


def _repository(mount: OverlayMount, layer: UpperLayer, directory: str, seen: dict[str, str]) -> str:
    """Return the innermost directory with a repository of its own around `directory`, or "" for the root's."""
    if not directory or directory in seen:
        return seen.get(directory, "")
    git_entry = f"{directory}/.git"
    is_top = git_entry in layer.made_directories or git_entry in layer.written
    if is_top or os.path.lexists(mount.lower / git_entry):
        seen[directory] = directory
    else:
        seen[directory] = _repository(mount, layer, os.path.dirname(directory), seen)  # noqa: PTH120
    return seen[directory]


def _copy_ignore_files(
    mount: OverlayMount, layer: UpperLayer, directories: Iterable[str], tree: Path, top: Path
) -> None:
    tree.mkdir(parents=True, exist_ok=True)
    for directory in {"", *directories}:
        name = os.path.join(directory, _IGNORE_FILE)  # noqa: PTH118
        place = mount.upper if directory in layer.made_directories else mount.lower
        if (mount.lower / directory).is_relative_to(top):
            _copy(place / name, tree / (mount.lower / name).relative_to(top))


def _copy_ignore_files_above(top: Path, root: Path, tree: Path) -> None:
    for directory in root.parents:
        if directory.is_relative_to(top):
            _copy(directory / _IGNORE_FILE, tree / directory.relative_to(top) / _IGNORE_FILE)


def _copy(source: Path, destination: Path) -> None:
    """Copy an ignore file, if the file is a regular file; git follows no link either."""
    try:
        if not stat.S_ISREG(source.lstat().st_mode):
            return
        data = read_regular_file(source, _MOST_BYTES)
    except OSError:
        return
    destination.parent.mkdir(parents=True, exist_ok=True)
    destination.write_bytes(data)


def _empty_repository(directory: Path) -> Path:
    """Make the smallest repository that git accepts, so that git answers by the ignore files of a plain tree."""
    (directory / "objects").mkdir(parents=True)
    (directory / "refs").mkdir()
    (directory / "HEAD").write_text("ref: refs/heads/none\n")
    return directory


def _make_files(tree: Path, names: Iterable[bytes]) -> None:
    for name in names:
        path = tree / os.fsdecode(name)
        with suppress(FileExistsError, NotADirectoryError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()


def _parents(path: str) -> Iterable[str]:
    while path := os.path.dirname(path):  # noqa: PTH120
        yield path


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(f"{directory}/")
