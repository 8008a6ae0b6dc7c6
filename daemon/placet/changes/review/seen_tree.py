"""Files as a session sees the files: the disk under the creations, deletions and renames that the session has staged.

Whatever lists files or looks for a file asks the tree, and so finds the files that a command sees under an overlay.
Texts come from StagedDocuments.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from placet.changes.review.staged_file import UndecidedFile
from placet.core.executor import in_thread
from placet.project.paths import is_directory, is_file, real, real_entry
from placet.project.search import TakeLines, search_lines
from placet.project.unwritten_names import IGNORE_FILES, listed_of

MOST_JUDGED = 20_000
"""Highest number of files, ignored files too, that are judged by the rules of staged ignore files."""


class SeenEntry(Struct, frozen=True):
    """Entry of a directory."""

    name: str
    is_directory: bool
    """True for a directory, and for a link to a directory."""
    is_link: bool = False


class SeenTree:
    """Files as a session sees the files; lives as long as a look. Without staged files the tree is the disk.

    The methods that are not coroutines block.
    """

    def __init__(self, staged: Iterable[UndecidedFile] = ()) -> None:
        present: set[Path] = set()
        gone: set[Path] = set()
        rules: dict[Path, str | None] = {}
        for file in staged:
            place = real_entry(file.place) if file.is_raw else real(file.place)
            (gone if file.kind == "delete" else present).add(place)
            gone.update((real(file.path),) if file.kind == "rename" else ())
            if place.name in IGNORE_FILES and not file.is_raw:
                rules[place] = None if file.kind == "delete" else file.text
        self._present = frozenset(present)
        """Staged files that the session sees, symlinks resolved."""
        self._gone = frozenset(gone - present)
        """Places from which a staged change takes the file away."""
        self._rules = rules
        """Texts of the staged ignore files; None for one that is taken away."""
        self._directories = frozenset(parent for path in present for parent in path.parents)

    def is_file(self, path: Path) -> bool:
        return self._judged(path, is_file)

    def is_directory(self, path: Path) -> bool:
        return is_directory(path) or (bool(self._present) and real(path) in self._directories)

    def exists(self, path: Path) -> bool:
        return self.is_directory(path) or self._judged(path, os.path.exists)

    def is_changed(self, path: Path) -> bool:
        """Return whether the session has staged a change of the file at the path, or taken the file away."""
        return not self._is_disk and not {real(path), real_entry(path)}.isdisjoint(self._present | self._gone)

    def created_below(self, directory: Path) -> list[str]:
        """Return the names, relative to the directory, of the staged files that are not on the disk."""
        return [name for name in _names_in(real(directory), self._present) if not os.path.lexists(directory / name)]

    def gone_below(self, directory: Path) -> frozenset[str]:
        """Return the names, relative to the directory, of the files that the session has taken away."""
        return frozenset(_names_in(real(directory), self._gone))

    def changed_below(self, directory: Path) -> frozenset[str]:
        """Return the names, relative to the directory, of all staged files, and of the files taken away."""
        return frozenset(_names_in(real(directory), self._present | self._gone))

    def entries(self, directory: Path) -> list[SeenEntry]:
        """Return the entries of a directory. Raises OSError."""
        entries: dict[str, SeenEntry] = {}
        if self._is_disk or is_directory(directory):
            with os.scandir(directory) as listed:
                entries = {entry.name: SeenEntry(entry.name, entry.is_dir(), entry.is_symlink()) for entry in listed}
        for name in self.gone_below(directory):
            entries.pop(name, None)
        for name in self.created_below(directory):
            top, *below = Path(name).parts
            entries.setdefault(top, SeenEntry(top, bool(below)))
        return list(entries.values())

    async def list_names(self, arguments: Sequence[str], directory: Path, take: TakeLines) -> bool:
        """Pass on the names of the files below the directory, as `rg --files` lists the names with the arguments.

        Return whether parts could not be read. Raises ToolError for an argument that rg refuses.
        """
        if self._is_disk:
            return await search_lines(["--files", "--hidden", *arguments], directory, take)
        if (names := await self.names_by_staged_rules(arguments, directory)) is not None:
            await take([os.fsencode(name) for name in names])
            return False
        gone = frozenset(map(os.fsencode, await in_thread(self.gone_below, directory)))

        async def take_present(names: list[bytes]) -> None:
            await take([name for name in names if name not in gone])

        is_partial = False
        if await in_thread(is_directory, directory):
            is_partial = await search_lines(["--files", "--hidden", *arguments], directory, take_present)
        created = await in_thread(self.created_below, directory)
        await take([os.fsencode(name) for name in await listed_of(created, arguments, directory)])
        return is_partial

    async def names_by_staged_rules(self, arguments: Sequence[str], directory: Path) -> list[str] | None:
        """Return the names that `list_names` passes on; None where no staged ignore file counts below the directory.

        Beyond MOST_JUDGED files the ignore files on the disk count. Raises ToolError like `list_names`.
        """
        directory = await in_thread(real, directory)
        places = {place.parent for place in self._rules}
        if not any(place in (directory, *directory.parents) or directory in place.parents for place in places):
            return None
        names = await in_thread(self.created_below, directory)
        gone = await in_thread(self.gone_below, directory)

        async def judge(found: list[bytes]) -> None:
            if len(names) <= MOST_JUDGED:
                names.extend(name for name in map(os.fsdecode, found) if name not in gone)

        if await in_thread(is_directory, directory):
            await search_lines(["--files", "--hidden", "--no-ignore", *arguments], directory, judge)
        return await listed_of(names, arguments, directory, self._rules) if len(names) <= MOST_JUDGED else None

    @property
    def _is_disk(self) -> bool:
        return not (self._present or self._gone)

    def _judged(self, path: Path, is_on_disk: Callable[[Any], bool]) -> bool:
        places = frozenset() if self._is_disk else frozenset((real(path), real_entry(path)))
        if places & self._present:
            return True
        return not places & self._gone and is_on_disk(path)


def _names_in(directory: Path, paths: Iterable[Path]) -> list[str]:
    """Return the paths below the directory, relative to the directory."""
    return [str(path.relative_to(directory)) for path in paths if directory in path.parents]
