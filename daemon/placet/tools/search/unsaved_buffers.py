"""Unsaved and staged texts in a search, each searched in place of the file's text. docs/EDITS.md, rules 8 and 22."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from placet.core.ports import Document, Documents
from placet.project.paths import exists, real
from placet.project.search import search, search_lines
from placet.project.similar_names import nearest_directory
from placet.project.unwritten_names import listed_of
from placet.text.lines import to_lf
from placet.tools.search.hits import Hits


async def unsaved_within(documents: Documents, directory: Path) -> dict[str, Document]:
    """Return the unsaved and the staged documents in the directory, by their names relative to the directory."""
    named = ((_name_in(directory, document.path), document) for document in await documents.unsaved())
    return {name: document for name, document in named if name is not None}


async def searched_names(names: Sequence[str], globs: Sequence[str], directory: Path) -> list[str]:
    """Return the names that rg would search with the globs: names of existing files as .gitignore on the disk says, and
    names of files that are on no disk as if there were such files.
    """
    arguments = [f"--glob={glob}" for glob in globs]
    unwritten = [name for name in names if not exists(directory / name)]
    searched = await _listed(arguments, directory, names) if len(unwritten) < len(names) else set[str]()
    searched.update(await listed_of(unwritten, arguments, directory))
    return [name for name in names if name in searched]


async def search_text(document: Document, name: str, arguments: Sequence[str], directory: Path, hits: Hits) -> None:
    """Search the document's text by rg's `arguments`, and add the hits as the newest: the text is being written."""
    rows: list[bytes] = []

    async def take(text: bytes) -> None:
        rows.append(text)

    shown, existing = to_lf(document.text), nearest_directory(directory / name)
    await search([*arguments, "--no-filename", "-"], existing, take, text=shown.encode("utf-8", "replace"))
    hits.add(name, time.time_ns(), b"".join(rows), shown)


async def _listed(choice: Sequence[str], directory: Path, names: Sequence[str]) -> set[str]:
    """Return the names that rg lists in the directory with the arguments `choice`."""
    encoded = set(map(os.fsencode, names))
    listed: set[bytes] = set()

    async def take(lines: list[bytes]) -> None:
        listed.update(encoded.intersection(lines))

    await search_lines(["--files", "--hidden", *choice], directory, take)
    return set(map(os.fsdecode, listed))


def _name_in(directory: Path, path: Path) -> str | None:
    """The path relative to the directory, symlinks on either side resolved; None outside."""
    same: Callable[[Path], Path]
    for same in (Path.absolute, real):
        if same(path).is_relative_to(same(directory)):
            return str(same(path).relative_to(same(directory)))
    return None
