"""Unsaved documents in a search: the text on screen is searched in place of the file's. docs/EDITS.md, rule 8."""

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from placet.core.executor import in_thread
from placet.core.ports import Document, Documents
from placet.project.paths import real
from placet.project.search import search, search_lines
from placet.text.lines import to_lf
from placet.tools.search.hits import Hits


async def unsaved_within(documents: Documents, directory: Path) -> dict[str, Document]:
    """Return the unsaved documents in the directory, by their names relative to the directory, as rg writes names."""
    named = ((_name_in(directory, document.path), document) for document in await documents.unsaved())
    return {name: document for name, document in named if name is not None}


async def searched_names(names: Sequence[str], globs: Sequence[str], directory: Path) -> list[str]:
    """Return the names that rg would search with the globs; rg itself judges the names of existing files by .gitignore.

    A document that was never saved is on no disk for rg to see, so rg judges an empty file of the same name elsewhere.
    (pathspec matches by backtracking regular expressions, with which a glob of the model could hold the event loop.)
    """
    if not names:
        return []
    arguments = [f"--glob={glob}" for glob in globs]
    unsaved = [name for name in names if not (directory / name).exists()]
    searched = await _listed(arguments, directory, names) if len(unsaved) < len(names) else set[str]()
    if unsaved:
        with tempfile.TemporaryDirectory(prefix="placet-") as shadow:
            await in_thread(_make_empty, Path(shadow), unsaved)
            searched |= await _listed([*arguments, "--no-ignore"], Path(shadow), unsaved)
    return [name for name in names if name in searched]


async def search_text(document: Document, name: str, arguments: Sequence[str], directory: Path, hits: Hits) -> None:
    """Search the document's text by rg's `arguments`, and add the hits as the newest: the text is being typed."""
    rows: list[bytes] = []

    async def take(text: bytes) -> None:
        rows.append(text)

    shown = to_lf(document.text)
    await search([*arguments, "--no-filename", "-"], directory, take, text=shown.encode("utf-8", "replace"))
    hits.add(name, time.time_ns(), b"".join(rows), shown)


async def _listed(choice: Sequence[str], directory: Path, names: Sequence[str]) -> set[str]:
    """Return the names that rg lists in the directory with the arguments `choice`."""
    encoded = set(map(os.fsencode, names))
    listed: set[bytes] = set()

    async def take(lines: list[bytes]) -> None:
        listed.update(encoded.intersection(lines))

    await search_lines(["--files", "--hidden", *choice], directory, take)
    return set(map(os.fsdecode, listed))


def _make_empty(directory: Path, names: Sequence[str]) -> None:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def _name_in(directory: Path, path: Path) -> str | None:
    """The path relative to the directory, symlinks on either side resolved; None outside."""
    same: Callable[[Path], Path]
    for same in (Path.absolute, real):
        if same(path).is_relative_to(same(directory)):
            return str(same(path).relative_to(same(directory)))
    return None
