"""Names of files that are on no disk, in a listing of ripgrep: ripgrep judges empty files of these names elsewhere.

(pathspec matches by backtracking regular expressions, with which a glob of the model could hold the event loop.)
"""

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from placet.core.executor import in_thread
from placet.core.regular_files import read_regular_file
from placet.project.git.repository import git_directory_of_top, repository_of
from placet.project.search import search_lines

IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")
"""Names of the files with rules for the files beside and below."""
_EXCLUDE = Path("info/exclude")
_MOST_BYTES = 1 << 20
"""Largest ignore file that counts."""


async def listed_of(
    names: Sequence[str],
    arguments: Sequence[str],
    directory: Path,
    rules: Mapping[Path, str | None] = MappingProxyType({}),
) -> list[str]:
    """Return the names that `rg --files` would list in the directory with the arguments, were there such files.

    The names are relative to the directory, which may be missing too. The ignore files on the disk count, but for those
    in `rules`, which has their texts, or None for an ignore file that counts as missing.
    """
    if not names:
        return []
    encoded = set(map(os.fsencode, names))
    listed: set[bytes] = set()

    async def take(lines: list[bytes]) -> None:
        listed.update(encoded.intersection(lines))

    with tempfile.TemporaryDirectory(prefix="placet-") as shadow:
        place = await in_thread(_make, Path(shadow), directory, names, rules)
        await search_lines(["--files", "--hidden", *arguments], place, take)
    return [name for name in names if os.fsencode(name) in listed]


def _make(shadow: Path, directory: Path, names: Iterable[str], rules: Mapping[Path, str | None]) -> Path:
    """Make empty files of the names below the shadow, which stands for the root of the file system, with the ignore
    files around the names; return the directory that stands for `directory`.
    """
    anchor = Path(directory.anchor)
    place = shadow / directory.relative_to(anchor)
    files = [place / name for name in names]
    if (repository := repository_of(directory)) is not None:
        top = repository.top
        _copy(git_directory_of_top(top) / _EXCLUDE, shadow / top.relative_to(anchor) / ".git" / _EXCLUDE)
    for parent in {
        parent for file in (place / "_", *files) for parent in file.parents if parent.is_relative_to(shadow)
    }:
        parent.mkdir(parents=True, exist_ok=True)
        for name in IGNORE_FILES:
            source = anchor / parent.relative_to(shadow) / name
            if source not in rules:
                _copy(source, parent / name)
            elif (text := rules[source]) is not None:
                (parent / name).write_text(text, "utf-8", "surrogatepass")
    for file in files:
        file.touch()
    return place


def _copy(source: Path, target: Path) -> None:
    """Copy an ignore file, if there is a readable one of a usual size."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        target.write_bytes(read_regular_file(source, _MOST_BYTES))
