"""Staged files as entries of a directory: for a command, and for a worktree, that is to see what the session sees."""

from collections.abc import Iterable
from pathlib import Path

from placet.changes.journal.raw_file import permissions
from placet.changes.review.staged_file import UndecidedFile
from placet.core.ports import Document
from placet.project.paths import real, real_entry
from placet.sandbox.overlay.staged_layer import StagedEntry
from placet.text.encoding import encode


def staged_entries(
    overlays: Iterable[tuple[UndecidedFile, Document | None]], contents: Iterable[UndecidedFile]
) -> list[StagedEntry]:
    """Return the entries of the staged texts, of the staged files that are no text, and of the places that renamed
    files have left.

    Each text comes with the document that the session sees, or None. Raises DocumentError. Blocks.
    """
    entries: dict[Path, StagedEntry] = {}
    vacated: list[StagedEntry] = []
    for file, document in overlays:
        entry = _entry(file, document)
        entries[entry.path] = entry
        vacated += [StagedEntry(real(file.path), None)] if file.kind == "rename" else []
    return [
        *entries.values(),
        *(entry for entry in vacated if entry.path not in entries),
        *(_entry_of_content(file) for file in contents),
    ]


def _entry(file: UndecidedFile, document: Document | None) -> StagedEntry:
    """Return the entry of a staged text, with the permissions of the file on the disk or of the file to be created."""
    if document is None:
        return StagedEntry(real(file.place), None)
    mode = permissions(real(file.path)) if file.mode is None else file.mode
    return StagedEntry(real(file.place), encode(document.text, document.encoding, document.bom), mode)


def _entry_of_content(file: UndecidedFile) -> StagedEntry:
    """Return the entry of a staged file that is no text, with the permissions that the file has or is to have."""
    place, content = real_entry(file.place), file.raw_after
    if content is None:
        return StagedEntry(place, None)
    if content.form == "link":
        return StagedEntry(place, content.data, is_link=True)
    present = permissions(place) if file.mode is None else file.mode
    return StagedEntry(place, content.data, content.mode if present is None else present)
