"""Staged files as entries of a directory: for a command, and for a worktree, that is to see what the session sees."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from placet.changes.review.staged_file import StagedFile
from placet.core.ports import Document
from placet.project.paths import real
from placet.sandbox.overlay.staged_layer import StagedEntry
from placet.text.encoding import encode


def staged_entries(overlays: Iterable[tuple[StagedFile, Document | None]]) -> list[StagedEntry]:
    """Return the entries of the staged files, and of the places that renamed files have left.

    Each file comes with the document that the session sees, or None. Raises DocumentError. Blocks.
    """
    entries: dict[Path, StagedEntry] = {}
    vacated: list[StagedEntry] = []
    for file, document in overlays:
        entry = _entry(file, document)
        entries[entry.path] = entry
        vacated += [StagedEntry(real(file.path), None)] if file.kind == "rename" else []
    return [*entries.values(), *(entry for entry in vacated if entry.path not in entries)]


def _entry(file: StagedFile, document: Document | None) -> StagedEntry:
    """Return the entry of a staged file, with the permissions of the file on the disk or of the file to be created."""
    if document is None:
        return StagedEntry(real(file.place), None)
    mode = file.mode
    with suppress(OSError):
        mode = real(file.path).stat().st_mode & 0o7777 if mode is None else mode
    return StagedEntry(real(file.place), encode(document.text, document.encoding, document.bom), mode)
