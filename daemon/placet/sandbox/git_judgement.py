"""Judgement of git directories that a command has made or filled: which entries would let a later git run programs.

A command may make repositories (`git init`, `git clone`, `git worktree add`), so the settings that git itself writes
there are harmless; every other setting, each hook and each link is not. See git-config(1), gitrepository-layout(5).
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from placet.core.regular_files import read_regular_file

_MOST_BYTES = 1 << 16
_WITHOUT_PROGRAMS = frozenset(("objects", "refs", "logs", "lfs", "rr-cache"))
"""Directories whose files git never obeys, whatever the names of the files."""
_PARTS = ("modules", "worktrees")
_HARMLESS = {
    "core": "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks worktree",
    "remote": "url fetch push pushurl tagopt mirror prune promisor partialclonefilter",
    "branch": "remote merge rebase pushremote description",
    "submodule": "url active branch",
    "extensions": "objectformat refstorage partialclone compatobjectformat noop",
    "user": "name email",
    "init": "defaultbranch",
    "lfs": "repositoryformatversion access",
    "pull": "rebase ff",
    "push": "default autosetupremote",
}
"""Settings with which git runs no program, by the section."""
_SETTINGS = {section: frozenset(names.split()) for section, names in _HARMLESS.items()}
_SECTION = re.compile(r"\[\s*([A-Za-z0-9-]+)(?:\s+\"(?:[^\"\\]|\\.)*\")?\s*\]\s*")
_SETTING = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=[^\\]*)?")
_COMMENT = re.compile(r"\s*(?:[#;].*)?")


def obeyed_entries(git: Path) -> Iterator[Path]:
    """Yield the entries at and below a git directory that are not harmless. No link is followed. Blocks."""
    return _obeyed_below(git, git)


def obeyed_parts(git: Path) -> Iterator[Path]:
    """Yield the entries that are not harmless in the submodules and the worktrees of a repository. Blocks."""
    for part in _PARTS:
        yield from _obeyed_below(git / part, git)


def _obeyed_below(top: Path, git: Path) -> Iterator[Path]:
    directories = [top]
    for place in directories:  # The list grows meanwhile; os.walk would call itself for each level.
        _, names, files = next(os.walk(place), ("", [], []))
        links = [name for name in (*names, *files) if os.path.islink(place / name)]  # noqa: PTH114
        yield from (place / name for name in links)
        directories += [place / name for name in names if name not in (*links, *_WITHOUT_PROGRAMS)]
        for name in files:
            file = place / name
            if not os.path.islink(file) and not _is_harmless(file, git):  # noqa: PTH114
                yield file


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
    return below[0] in _PARTS and _WITHOUT_PROGRAMS.isdisjoint(below) and "hooks" not in below


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
    allowed: frozenset[str] = frozenset()
    for line in text.split("\n"):
        if section := _SECTION.fullmatch(line):
            allowed = _SETTINGS.get(section[1].lower(), frozenset())
        elif setting := _SETTING.fullmatch(line):
            if setting[1].lower() not in allowed:
                return False
        elif not _COMMENT.fullmatch(line):
            return False
    return True


def _text(file: Path) -> str | None:
    try:
        return read_regular_file(file, _MOST_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return None
