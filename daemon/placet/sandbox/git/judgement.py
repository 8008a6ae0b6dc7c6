"""Judgement of git directories that a command has made or filled: which entries would let a later git run programs.

A command may make repositories (`git init`, `git clone`, `git worktree add`), so the settings that git itself writes
there are harmless; every other setting, each hook and each link is not. See git-config(1), gitrepository-layout(5).
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from placet.core.regular_files import read_regular_file
from placet.project.git.harmless_settings import is_harmless
from placet.project.paths import is_directory, is_file
from placet.sandbox.git.directories import WITHOUT_PROGRAMS
from placet.sandbox.places import is_in

_MOST_BYTES = 1 << 16
_PARTS = ("modules", "worktrees")
_OF_BARE_REPOSITORY = ("config", "config.worktree", "commondir", "info/attributes", "info/exclude", "hooks")
_OF_SUBMODULES = ("core", "worktree")
"""Setting that git itself writes into the config of each submodule."""
_SECTION = re.compile(r"\[\s*([A-Za-z0-9-]+)(?:\s+\"(?:[^\"\\]|\\.)*\")?\s*\]\s*")
_SETTING = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=[^\\]*)?")
_COMMENT = re.compile(r"\s*(?:[#;].*)?")


class Parts(Struct, frozen=True):
    """Submodules and worktrees of a repository at one moment: all directories below, and the entries that git obeys."""

    directories: frozenset[Path] = frozenset()
    obeyed: frozenset[Path] = frozenset()


def obeyed_entries(git: Path) -> Iterator[Path]:
    """Yield the entries at and below a git directory that are not harmless. No link is followed. Blocks."""
    return (path for _, entries in _judged(git, git) for path in entries)


def bare_entries(directory: Path) -> Iterator[Path]:
    """Yield the entries of a bare repository that are not harmless; other files of the directory do not count. Blocks.

    A few entries make any directory a repository, whose settings git obeys there.
    """
    for name in _OF_BARE_REPOSITORY:
        if os.path.lexists(file := directory / name) and (os.path.islink(file) or not _is_harmless(file, directory)):  # noqa: PTH114
            yield file
    for _, entries in _judged(directory / "hooks", directory):
        yield from entries


def parts_of(git: Path) -> Parts:
    """Return the submodules and worktrees of a repository. Blocks."""
    judged = [judged for part in _PARTS if is_directory(git / part) for judged in _judged(git / part, git)]
    return Parts(
        frozenset(directory for directory, _ in judged), frozenset(path for _, entries in judged for path in entries)
    )


def planted_parts(git: Path, before: Parts, writable: Sequence[Path]) -> Iterator[Path]:
    """Yield the new entries of a repository's submodules and worktrees that git itself would not have made so: a new
    submodule or worktree as a whole. Blocks.
    """
    after = parts_of(git)
    new = after.directories - before.directories
    for directory in new:
        if directory.parent not in new:
            yield from _unsound(directory, after, writable)
    yield from (path for path in after.obeyed - before.obeyed if new.isdisjoint(path.parents))


def _unsound(directory: Path, parts: Parts, writable: Sequence[Path]) -> list[Path]:
    """Return a new directory, or the unsound directories in a new directory of submodules or of worktrees."""
    inner = [path for path in parts.directories if path.is_relative_to(directory)]
    obeyed = [path for path in parts.obeyed if path.is_relative_to(directory)]
    children = [path for path in inner if path.parent == directory]
    if directory.name in _PARTS and children:
        unsound = [path for child in children for path in _unsound(child, parts, writable)]
        unsound += [path for path in obeyed if path.parent == directory]
        return unsound if set(children) - set(unsound) else [directory]
    is_sound = not obeyed
    if directory.parent.name == "worktrees":
        worktree = Path(os.path.normpath(directory / (_text(directory / "gitdir") or "").strip()))
        is_sound = is_sound and worktree.name == ".git" and is_in(worktree, writable)
    elif directory.name in _PARTS or directory.parent.name == "modules":
        is_sound = is_sound and any(is_file(path / "HEAD") for path in inner)
    return [] if is_sound else [directory]


def _judged(top: Path, git: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Yield the directories from the top on, without those that git never obeys, each with its harmful entries."""
    directories = [top]
    for place in directories:  # The list grows meanwhile; os.walk would call itself for each level.
        _, names, files = next(os.walk(place), ("", [], []))
        links = [place / name for name in (*names, *files) if os.path.islink(place / name)]  # noqa: PTH114
        directories += [place / name for name in names if place / name not in links and name not in WITHOUT_PROGRAMS]
        harmful = [file for name in files if (file := place / name) not in links and not _is_harmless(file, git)]
        yield place, links + harmful


def leads_to_repository(git_file: Path, roots: Sequence[Path]) -> bool:
    """Return whether a `.git` file names a worktree or a submodule of a repository in the roots, as git itself writes.

    Such a place is judged too, as a part of the repository. Blocks.
    """
    text = _text(git_file)
    if text is None or not text.startswith("gitdir: "):
        return False
    target = Path(os.path.normpath(git_file.parent / text.removeprefix("gitdir: ").rstrip("\n")))
    root = next((root for root in roots if target.is_relative_to(root)), None)
    if root is None or ".git" not in (parts := target.relative_to(root).parts)[:-2]:
        return False
    below = parts[parts.index(".git") + 1 :]
    return below[0] in _PARTS and WITHOUT_PROGRAMS.isdisjoint(below) and "hooks" not in below


def _is_harmless(file: Path, git: Path) -> bool:
    parts = file.relative_to(git).parts
    match parts[-1]:
        case name if "hooks" in parts[:-1]:
            return name.endswith(".sample")
        case "config" | "config.worktree":
            return has_harmless_settings(_text(file) or "\0")
        case "commondir":
            return len(parts) > 2 and parts[-3] == "worktrees" and (_text(file) or "").strip() == "../.."
        case "exclude" | "attributes" if parts[-2:-1] == ("info",):
            return all(map(_COMMENT.fullmatch, (_text(file) or "\0").split("\n")))
        case _:
            return True


def has_harmless_settings(text: str) -> bool:
    """Return whether every setting of a config is one with which git runs no program and reads no other config."""
    section = ""
    for line in text.split("\n"):
        if heading := _SECTION.fullmatch(line):
            section = heading[1].lower()
        elif setting := _SETTING.fullmatch(line):
            name = section, setting[1].lower()
            if name != _OF_SUBMODULES and not is_harmless(*name):
                return False
        elif not _COMMENT.fullmatch(line):
            return False
    return True


def _text(file: Path) -> str | None:
    try:
        return read_regular_file(file, _MOST_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return None
