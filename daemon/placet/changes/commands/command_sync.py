"""Documents around a command, which reads and writes the disk and not the editor. EDITS.md rule 7."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from placet.changes.ledger import REMOVED, Ledger
from placet.core.errors import DocumentError, DocumentMissing
from placet.core.ports import Documents
from placet.project.paths import real


async def save_own(documents: Documents, ledger: Ledger) -> list[Path]:
    """Save the files in which only our edits are unsaved. Return the files left unsaved: the user's own typing is not
    ours to save.
    """
    unsaved = await documents.unsaved()
    ours = [document.path for document in unsaved if ledger.is_left_unsaved(document)]
    saved = {real(path) for path in await documents.save(ours)} if ours else set[Path]()
    return [document.path for document in unsaved if real(document.path) not in saved]


class MovedOn(NamedTuple):
    """Files that differ from the text last shown or told to the session."""

    changed: tuple[Path, ...]
    removed: tuple[Path, ...]


async def moved_on(documents: Documents, ledger: Ledger) -> MovedOn:
    """Return the files whose text differs from the last text shown or told to the session; each text is
    reported once.
    """
    changed: list[Path] = []
    removed: list[Path] = []
    for document in ledger.documents:
        sha256, is_missing = await _present(documents, document.path)
        if sha256 != document.sha256 and ledger.tell_once(document.path, sha256):
            (removed if is_missing else changed).append(document.path)
    return MovedOn(tuple(changed), tuple(removed))


async def removed(documents: Documents, ledger: Ledger, missing: Iterable[Path]) -> list[Path]:
    """Return which of the files missing on the disk have gone since the session read the files; each is reported
    once.
    """
    return [path for path in missing if (await _present(documents, path))[1] and ledger.tell_once(path, REMOVED)]


async def _present(documents: Documents, path: Path) -> tuple[str, bool]:
    """Return the hash of the present text, and whether no file is there."""
    try:
        return (await documents.read(path)).sha256, False
    except DocumentMissing:
        return REMOVED, True
    except DocumentError:
        return REMOVED, False  # No text any more.
