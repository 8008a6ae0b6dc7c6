"""What a session has read: per file, the document as the model was last shown it."""

from collections.abc import Iterable
from pathlib import Path

from placet.ports import Document
from placet.project.paths import real


class Ledger:
    """One session's, in memory: a session that is loaded again has read nothing yet."""

    def __init__(self) -> None:
        self._documents: dict[Path, Document] = {}
        self._left_unsaved: dict[Path, str] = {}
        """Open documents that were clean until a change of ours, by the hash of the text it left there."""
        self._told: dict[Path, str] = {}
        """Of files that moved on, the text the model was told of, by hash."""
        self._standing: set[Path] = set()
        """Those that stand in the system prompt, where nothing is forgotten."""

    def note(self, document: Document, *, left_unsaved: bool = False) -> None:
        """The model has seen this. `left_unsaved`: what is unsaved of it is a change of ours and nothing else."""
        path = real(document.path)
        self._documents[path] = document
        self._told.pop(path, None)
        if left_unsaved:
            self._left_unsaved[path] = document.sha256

    def note_if_new(self, document: Document) -> bool:
        """Note what the model is shown beside what was asked for; False when it has seen this file before."""
        if self.find(document.path) is not None:
            return False
        self.note(document)
        return True

    def note_standing(self, document: Document) -> None:
        """The model has this in its system prompt, or was told there how it has changed."""
        self._standing.add(real(document.path))
        self.note(document)

    def find(self, path: Path) -> Document | None:
        """What was last read at the path, by whichever symlink it is named."""
        return self._documents.get(real(path))

    def is_left_unsaved(self, document: Document) -> bool:
        """Whether what is unsaved of the document is ours alone."""
        return self._left_unsaved.get(real(document.path)) == document.sha256

    def tell_once(self, path: Path, sha256: str) -> bool:
        """Whether the model is still to be told that the file's text is this; it is from now on."""
        if self._told.get(real(path)) == sha256:
            return False
        self._told[real(path)] = sha256
        return True

    def forget(self, path: Path) -> None:
        """Whatever the model knows of it holds no longer; it must read again."""
        self._documents.pop(real(path), None)

    def forget_all_but(self, paths: Iterable[Path]) -> None:
        """The model no longer has what it was shown, but for these and for what stands in its system prompt."""
        kept = self._standing.union(map(real, paths))
        for path in self._documents.keys() - kept:
            self.forget(path)

    @property
    def documents(self) -> tuple[Document, ...]:
        """All that was read, for whoever checks what has changed since."""
        return tuple(self._documents.values())
