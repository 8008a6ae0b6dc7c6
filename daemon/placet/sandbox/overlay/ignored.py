"""Paths of a layer that git ignores.

git is asked once for each repository, and is shown a tree of Placet's own that holds ignore files and nothing else.
In a directory of the root the ignore file before the command counts, so no command can hide files by changing the
ignore file. In a new cache or virtual environment the command's own ignore file counts; in any other new directory only
the lines that name directories of installed packages. A file that the index named before the command is tracked,
whatever has become of the index.
"""

import os
import stat
from collections.abc import Collection, Iterable, Mapping, Set
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from placet.core.executor import in_thread
from placet.core.regular_files import read_regular_file
from placet.project.git.query import git, git_ignored, is_git_installed
from placet.project.git.repository import make_empty_repository, repository_of
from placet.project.search import search_lines
from placet.sandbox.overlay.layers import OverlayMount
from placet.sandbox.overlay.upper import UpperLayer

_IGNORE_FILE = ".gitignore"
_MOST_BYTES = 1 << 20
"""Largest ignore file that counts."""
_CACHES = frozenset(
    (
        *(".cache", ".direnv", ".hypothesis", ".import_linter_cache", ".mypy_cache", ".nox", ".pdm-build", ".pixi"),
        *(".pytest_cache", ".ruff_cache", ".tox", ".ty_cache", ".venv", "htmlcov"),
    )
)
"""Names of directories into which tools put an ignore file, and whose files no other program runs or imports."""
_INSTALLED = frozenset((b"node_modules", b".venv", b"venv", b"__pycache__"))
"""Names of directories with very many files; test runners collect no files in there."""
_ENVIRONMENT = "pyvenv.cfg"
"""File that marks a virtual environment of Python."""
_OF_ENVIRONMENTS = frozenset(
    (
        *(_ENVIRONMENT, _IGNORE_FILE, ".lock", "CACHEDIR.TAG", "bin", "etc", "include", "lib", "lib64", "man", "share"),
        *("src", "tmp"),
    )
)
"""Entries of a virtual environment: a directory with others could be a package that Python imports."""


class _Question(Struct, frozen=True):
    """Paths to ask git about, within the same repository."""

    names: Mapping[str, str]
    """Paths relative to the root, by the path from the top of the repository."""
    tree: Path
    """Tree of the ignore files, in the place of the repository's top."""
    git_directory: Path
    top: Path | None
    """Top of the repository; None without a repository, and for a repository that the command made."""
    index: Path | None
    """Copy of the index before the command; None if the index as of now counts."""


async def ignored_paths(mount: OverlayMount, layer: UpperLayer, scratch: Path) -> frozenset[str]:
    """Return the paths of the layer's files that git ignores.

    `scratch` is an empty directory for the trees. Raises OSError and ToolError.
    """
    names = dict.fromkeys((*layer.written, *layer.deleted))
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
        variables = {} if question.index is None else {"GIT_INDEX_FILE": str(question.index)}
        tracked = await git(question.top, "ls-files", "-z", variables=variables)
        if tracked is None and await in_thread(is_git_installed):
            return set()
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
    caches = {path for path in layer.made_directories if _is_cache(mount.upper / path)}
    for path in paths:
        groups.setdefault(_repository(mount, layer, os.path.dirname(path), repositories), []).append(path)  # noqa: PTH120
    questions: list[_Question] = []
    for number, (inner, group) in enumerate(groups.items()):
        tree = scratch / str(number)
        top = own if not inner else mount.lower / inner
        above = os.path.relpath(mount.lower, top) if not inner else ""
        directories = {part for path in group for part in _parents(path) if not inner or _is_below(part, inner)}
        _copy_ignore_files(mount, layer, caches, directories, tree, top)
        if not inner:
            _copy_ignore_files_above(top, mount.lower, tree)
        is_known = os.path.lexists(top / ".git")
        directory = top / ".git" if is_known else make_empty_repository(scratch / f"{number}.git")
        prefix = "" if above in ("", ".") else f"{above}/"
        names = {prefix + (path[len(inner) + 1 :] if inner else path): path for path in group}
        index = mount.index if not inner and mount.index.exists() else None
        questions.append(_Question(names, tree, directory, top if is_known else None, index))
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
    mount: OverlayMount, layer: UpperLayer, caches: Set[str], directories: Iterable[str], tree: Path, top: Path
) -> None:
    tree.mkdir(parents=True, exist_ok=True)
    for directory in {"", *directories}:
        if not (mount.lower / directory).is_relative_to(top):
            continue
        place = (mount.lower / directory).relative_to(top) / _IGNORE_FILE
        if directory in layer.made_directories:
            is_in_cache = not caches.isdisjoint((directory, *_parents(directory)))
            _copy(mount.upper / directory / _IGNORE_FILE, tree / place, only_installed=not is_in_cache)
        else:
            _copy(mount.lower / directory / _IGNORE_FILE, tree / place)


def _is_cache(directory: Path) -> bool:
    """Return whether a new directory is a cache or a virtual environment."""
    if directory.name in _CACHES:
        return True
    if not os.path.lexists(directory / _ENVIRONMENT):
        return False
    return _OF_ENVIRONMENTS.issuperset(entry.name for entry in directory.iterdir())


def _copy_ignore_files_above(top: Path, root: Path, tree: Path) -> None:
    for directory in root.parents:
        if directory.is_relative_to(top):
            _copy(directory / _IGNORE_FILE, tree / directory.relative_to(top) / _IGNORE_FILE)


def _copy(source: Path, destination: Path, *, only_installed: bool = False) -> None:
    """Copy an ignore file, if the file is a regular file; git follows no link either."""
    try:
        if not stat.S_ISREG(source.lstat().st_mode):
            return
        data = read_regular_file(source, _MOST_BYTES)
    except OSError:
        return
    if only_installed:
        data = b"\n".join(line for line in data.splitlines() if line.strip().strip(b"/") in _INSTALLED)
    destination.parent.mkdir(parents=True, exist_ok=True)
    destination.write_bytes(data)


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
