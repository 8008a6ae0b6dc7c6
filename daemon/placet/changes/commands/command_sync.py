"""Documents around a command, which reads and writes the disk and not the editor. EDITS.md rule 7."""

from pathlib import Path

from placet.changes.ledger import Ledger
from placet.core.errors import DocumentError
from placet.core.ports import Document, Documents
from placet.project.paths import real


async def save_own(documents: Documents, ledger: Ledger) -> list[Path]:
    """Save the files in which only our edits are unsaved. Return the files left unsaved: the user's own typing is not
    ours to save.
    """
    unsaved = await documents.unsaved()
    ours = [document.path for document in unsaved if ledger.is_left_unsaved(document)]
    saved = {real(path) for path in await documents.save(ours)} if ours else set[Path]()
    return [document.path for document in unsaved if real(document.path) not in saved]


async def moved_on(documents: Documents, ledger: Ledger) -> list[Path]:
    """Return the files whose text differs from the last text shown or told to the session; each text is
    reported once.
    """
    return [document.path for document in ledger.documents if await _has_moved_on(documents, ledger, document)]


async def _has_moved_on(documents: Documents, ledger: Ledger, document: Document) -> bool:
    try:
        current_sha256 = (await documents.read(document.path)).sha256
    except DocumentError:
        current_sha256 = ""  # Gone, or no text any more.
    return current_sha256 != document.sha256 and ledger.tell_once(document.path, current_sha256)
