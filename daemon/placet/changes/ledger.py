"""Ledger of the files read by a session: per file, the document as last shown to the model."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from placet.core.ports import Document
from placet.project.paths import real

REMOVED = ""
"""Hash that stands for a file which has gone, or which is no text any more."""


class Ledger:
    """Ledger of one session, in memory. Of a session loaded again only the hashes of the texts are known."""

    def __init__(self, seen: Mapping[Path, str] = MappingProxyType({})) -> None:
        """Begin with the hashes of the texts that the model has in view from an earlier run, by path."""
        self._seen_earlier = {real(path): sha256 for path, sha256 in seen.items()}
        self._documents: dict[Path, Document] = {}
        self._left_unsaved: dict[Path, str] = {}
        """Open documents, clean until a change of ours, by the hash of the text after the change."""
        self._told_hashes: dict[Path, str] = {}
        """Hash of the text last reported to the model, for files that moved on."""
        self._pinned: set[Path] = set()
        """Files in the system prompt, where nothing is forgotten."""

    def note(self, document: Document, *, left_unsaved: bool = False) -> None:
        """Note a document seen by the model. `left_unsaved`: the unsaved part is a change of ours and nothing else."""
        path = real(document.path)
        self._documents[path] = document
        self._told_hashes.pop(path, None)
        if left_unsaved:
            self._left_unsaved[path] = document.sha256

    def note_if_new(self, document: Document) -> bool:
        """Note a document shown beside the requested one; return False if the model has seen the file before."""
        if self.find(document.path) is not None:
            return False
        self.note(document)
        return True

    def note_pinned(self, document: Document) -> None:
        """Note a document in the system prompt, or a document whose change is reported in the system prompt."""
        self._pinned.add(real(document.path))
        self.note(document)

    def find(self, path: Path) -> Document | None:
        """Return the document last read at the path, by whichever symlink the path is named."""
        return self._documents.get(real(path))

    def recall(self, document: Document) -> None:
        """Note a document that has not changed since an earlier run in which the model saw the document."""
        path = real(document.path)
        if path not in self._documents and self._seen_earlier.get(path) == document.sha256:
            self.note(document)

    def was_read_earlier(self, path: Path) -> bool:
        """Return whether the model saw the file in an earlier run, and perhaps another text than the present text."""
        return real(path) in self._seen_earlier

    def is_left_unsaved(self, document: Document) -> bool:
        """Return whether only our edits are unsaved in the document."""
        return self._left_unsaved.get(real(document.path)) == document.sha256

    def tell_once(self, path: Path, sha256: str) -> bool:
        """Return whether the model must still be told this text of the file; from now on, the text counts as told."""
        if self.is_told(path, sha256):
            return False
        self._told_hashes[real(path)] = sha256
        return True

    def is_told(self, path: Path, sha256: str) -> bool:
        """Return whether this text of the file counts as told; REMOVED stands for no text."""
        return self._told_hashes.get(real(path)) == sha256

    def forget(self, path: Path) -> None:
        """Forget the document; the model must read the file again."""
        self._documents.pop(real(path), None)
        self._seen_earlier.pop(real(path), None)

    def forget_all_but(self, paths: Iterable[Path]) -> None:
        """Forget the documents no longer known to the model: all except `paths` and the system prompt's files."""
        kept = self._pinned.union(map(real, paths))
        for path in (self._documents.keys() | self._seen_earlier.keys()) - kept:
            self.forget(path)

    def missing(self) -> list[Path]:
        """Return the files read so far that are not on the disk, without the files of the system prompt, which tells of
        its own files. Blocks.
        """
        read = ((path, document.path) for path, document in self._documents.items() if path not in self._pinned)
        return [name for path, name in read if not os.path.lexists(path)]

    @property
    def documents(self) -> tuple[Document, ...]:
        """Return all documents read so far, for checks of later changes."""
        return tuple(self._documents.values())


class NoLedger(Ledger):
    """Ledger of a decision of the user, for which nothing is noted: the session's ledger stays, as the model has seen
    the accepted text, and is told the rest.
    """

    def note(self, document: Document, *, left_unsaved: bool = False) -> None:
        """Note nothing."""
