"""What a search sees of unsaved documents: their text on screen in place of the disk's. EDITS.md rule 8."""

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
    """The unsaved documents that lie in the directory, by name relative to it, as rg writes names."""
    named = ((_name_in(directory, document.path), document) for document in await documents.unsaved())
    return {name: document for name, document in named if name is not None}


async def those_wanted(names: Sequence[str], choice: Sequence[str], directory: Path) -> list[str]:
    """Those of the names that rg would search with the arguments `choice`: what is ignored is not among them.

    A file that was never saved is on no disk for rg to see: of those, the ones that fit the globs.
    """
    if not names:
        return []
    unsaved = [name for name in names if not (directory / name).exists()]
    found = await _listed(choice, directory, names) if len(unsaved) < len(names) else set[str]()
    if unsaved:
        with tempfile.TemporaryDirectory(prefix="placet-") as shadow:
            await in_thread(_make_empty, Path(shadow), unsaved)
            found |= await _listed([*choice, "--no-ignore"], Path(shadow), unsaved)
    return [name for name in names if name in found]


async def search_text(document: Document, name: str, arguments: Sequence[str], directory: Path, hits: Hits) -> None:
    """Search the document's text by `arguments`, and add what matches: what is being typed is newer than any file."""
    rows: list[bytes] = []

    async def take(text: bytes) -> None:
        rows.append(text)

    data = to_lf(document.text).encode("utf-8", "replace")
    await search([*arguments, "--no-filename", "-"], directory, take, text=data)
    hits.add(name, time.time_ns(), b"".join(rows))


async def _listed(choice: Sequence[str], directory: Path, names: Sequence[str]) -> set[str]:
    wanted = set(map(os.fsencode, names))
    found: set[bytes] = set()

    async def take(lines: list[bytes]) -> None:
        found.update(wanted.intersection(lines))

    await search_lines(["--files", "--hidden", *choice], directory, take)
    return set(map(os.fsdecode, found))


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
