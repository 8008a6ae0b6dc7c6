"""Files beyond the reach of `edit: allow`: git's own, Placet's grants and keys, and files run later by other programs.

A write to git's directory or to Placet's grants and keys needs `edit_protected`, which is denied; a write to files run
by other programs, or to the memory that each later session reads, needs `edit_sensitive`, which is asked.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Literal

from placet.permissions.ask import Condition
from placet.project.paths import Workspace, is_directory, is_file, real
from placet.project.processes.programs import run_places
from placet.project.protected_names import MEMORY, SENSITIVE

Protection = Literal["edit_protected", "edit_sensitive"]

_OURS = frozenset(("grants.json", "keys.json", "mcp-auth.json", "trust.json"))
"""Files in Placet's folder of settings with keys, or with decisions about allowed actions."""
_GIT_ENTRIES = frozenset(
    (
        *("branches", "commondir", "config", "config.worktree", "description", "gitdir", "head", "hooks", "index"),
        *("info", "lfs", "logs", "modules", "objects", "packed-refs", "refs", "worktrees"),
    )
)
"""Entries of a directory of git, under any name of the directory."""
_IGNORED = dict.fromkeys(
    (*map(ord, "\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff"), *range(0x206A, 0x2070))
)
"""Characters ignored in names by HFS+; the list is git's own (utf8.c, next_hfs_char)."""
_SHORT_GIT = re.compile(r"git~\d+")


def protection_of(name: str) -> Protection | None:
    """Return the permission that a write needs besides `edit`; `name` is relative to the project, or absolute."""
    parts = tuple(_plain(part) for part in PurePosixPath(name.replace("\\", "/")).parts)
    if ".git" in parts or _holds_decisions(parts):
        return "edit_protected"
    is_sensitive = is_memory(name) or any(itertools.starmap(SENSITIVE.holds, itertools.pairwise(("", *parts))))
    return "edit_sensitive" if is_sensitive else None


def holds_keys_or_decisions(name: str) -> bool:
    """Return whether the file is one of Placet's own with keys, sign-ins, grants or decisions about trust."""
    return _holds_decisions(tuple(_plain(part) for part in PurePosixPath(name.replace("\\", "/")).parts))


def _holds_decisions(parts: tuple[str, ...]) -> bool:
    return len(parts) > 1 and parts[-2] == "placet" and parts[-1] in _OURS


def is_memory(name: str) -> bool:
    """Return whether sessions may read the file as their memory.

    In any case of letters, the name counts where Placet looks for the memory today: at the top of the project, and in
    the directory of the user's settings. Elsewhere `memory.md` is a common name for a document.
    """
    path = PurePosixPath(name.replace("\\", "/"))
    parts = tuple(map(_plain, path.parts))
    if parts[-1:] != (_plain(MEMORY),):
        return False
    return path.name == MEMORY or len(parts) == 1 or parts[-2] == "placet"


def conditions_for_writing(workspace: Workspace, paths: Iterable[Path]) -> tuple[Condition, ...]:
    """Return the conditions for a write besides the edit permission, under each name of a path. Looks at the disk."""
    places = run_places(workspace.real_roots)
    return tuple(dict.fromkeys(condition for path in paths for condition in _conditions(workspace, path, places)))


def _conditions(workspace: Workspace, path: Path, places: Sequence[Path]) -> Iterator[Condition]:
    target = real(path)
    if any(target.is_relative_to(place) for place in places):
        yield needed("edit_sensitive", workspace.relative_behind_links(path))
    for name in dict.fromkeys((workspace.relative(path), workspace.relative_behind_links(path))):
        if (protection := protection_of(name)) is not None:
            yield needed(protection, name)
    if is_in_git_directory(target):
        yield needed("edit_protected", workspace.relative_behind_links(path))


def needed(protection: Protection, name: str) -> Condition:
    """Return the condition for writing a protected file."""
    if is_memory(name):
        reason = "Each later session reads what is written there"
    elif protection == "edit_protected":
        reason = "Git, or Placet itself, trusts what is written there"
    else:
        reason = "Other programs run or obey what is written there"
    return Condition(protection, name, "allowed", reason)


def is_in_git_directory(path: Path) -> bool:
    """Return whether a real path is git's: a bare repository, or the target of a `.git` file, under any name. Looks at
    disk."""
    parts = path.parts
    candidates = [index for index, part in enumerate(parts) if index and _plain(part) in _GIT_ENTRIES]
    return _is_git_directory(path) or any(_is_git_directory(Path(*parts[:index])) for index in candidates)


def _is_git_directory(directory: Path) -> bool:
    if not is_file(directory / "HEAD"):
        return False
    return is_file(directory / "commondir") or all(is_directory(directory / name) for name in ("objects", "refs"))


@lru_cache(maxsize=4096)
def _plain(part: str) -> str:
    """Return the name as read by file systems that fold case, ignore characters, or know streams and short names."""
    plain = part.translate(_IGNORED).casefold().partition(":")[0].rstrip(" .")
    return ".git" if _SHORT_GIT.fullmatch(plain) else plain or part
