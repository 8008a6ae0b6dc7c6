"""Unsaved documents in a search: the text on screen is searched in place of the file's. docs/EDITS.md, rule 8."""

import os
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

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

    A document that was never saved is on no disk: the globs alone decide about the document's name.
    """
    unsaved = [name for name in names if not (directory / name).exists()]
    searched = set(fitting(unsaved, globs))
    if len(unsaved) < len(names):
        searched |= await _listed([f"--glob={glob}" for glob in globs], directory, names)
    return [name for name in names if name in searched]


def fitting(names: Sequence[str], globs: Sequence[str]) -> list[str]:
    """Return the names that pass rg's `--glob`: no glob with `!` fits, and a glob without `!` fits if one is given.

    A glob is a pattern of .gitignore with braces (ripgrep's GUIDE.md, "Manual filtering: globs"). A glob with `!` fits
    all files below a directory that the glob names; a glob without `!` has to fit the file itself.
    """
    hidden = [pattern for glob in globs if glob.startswith("!") for pattern in _patterns(glob[1:])]
    wanted = [pattern for glob in globs if not glob.startswith("!") for pattern in _patterns(glob)]
    return [
        name
        for name in names
        if not any(pattern.match_file(name) for pattern in hidden)
        and (not wanted or any(_fits_itself(pattern, name) for pattern in wanted))
    ]


def _patterns(glob: str) -> list[GitIgnoreSpecPattern]:
    """Return the patterns of a glob: a pattern for each choice of the words in braces."""
    braces = re.search(r"\{([^{}]*)\}", glob)
    if braces is None:
        return [GitIgnoreSpecPattern(glob)]
    before, after = glob[: braces.start()], glob[braces.end() :]
    return [pattern for word in braces[1].split(",") for pattern in _patterns(before + word + after)]


def _fits_itself(pattern: GitIgnoreSpecPattern, name: str) -> bool:
    """Return whether the pattern fits the file: a pattern of .gitignore also fits by a directory above the file."""
    result = pattern.match_file(name)
    return result is not None and result.match.groupdict().get("ps_d") is None


async def search_text(document: Document, name: str, arguments: Sequence[str], directory: Path, hits: Hits) -> None:
    """Search the document's text by rg's `arguments`, and add the hits as the newest: the text is being typed."""
    rows: list[bytes] = []

    async def take(text: bytes) -> None:
        rows.append(text)

    data = to_lf(document.text).encode("utf-8", "replace")
    await search([*arguments, "--no-filename", "-"], directory, take, text=data)
    hits.add(name, time.time_ns(), b"".join(rows))


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
