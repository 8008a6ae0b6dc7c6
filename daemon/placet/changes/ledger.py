"""What a session has read: per file, the document as the model was last shown it."""

from pathlib import Path

from placet.ports import Document
from placet.project.paths import real


class Ledger:
    """One session's, in memory: a session that is loaded again has read nothing yet."""

    def __init__(self) -> None:
        self._documents: dict[Path, Document] = {}

    def note(self, document: Document) -> None:
        """The model has seen this."""
        self._documents[real(document.path)] = document

    def find(self, path: Path) -> Document | None:
        """What was last read at the path, by whichever symlink it is named."""
        return self._documents.get(real(path))

    def forget(self, path: Path) -> None:
        """Whatever the model knows of it holds no longer; it must read again."""
        self._documents.pop(real(path), None)

    @property
    def documents(self) -> tuple[Document, ...]:
        """All that was read, for whoever checks what has changed since."""
        return tuple(self._documents.values())
