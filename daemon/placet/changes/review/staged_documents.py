"""Documents of the front end as a session sees the documents: under the session's staged texts."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from placet.changes.journal.current_files import read_or_none
from placet.changes.review.change_sets import ChangeSets
from placet.changes.review.seen_tree import SeenTree
from placet.changes.review.staged_file import Overlay, UndecidedFile, overlaid
from placet.core.errors import DocumentError, DocumentMissing
from placet.core.executor import in_thread
from placet.core.ports import Document, Documents, FileEdit, FileOutcome
from placet.project.files.absence import no_file


class StagedDocuments:
    """Documents as a session and its subagents see the documents; lives as long as a tool call. A staged document
    counts as unsaved: the text is on no disk.
    """

    def __init__(self, documents: Documents, sets: ChangeSets, session_id: str) -> None:
        self._documents = documents
        self._sets = sets
        self._session_id = session_id

    async def read(self, path: Path) -> Document:
        """Return the staged text, else the present document. Raises DocumentMissing or DocumentError."""
        staged = await self._sets.of(self._session_id)
        file = staged.find(path)
        if file is None:
            if staged.is_vacated(path):
                raise DocumentMissing(no_file(path))
            return await self._documents.read(path)
        if file.is_raw:
            raise DocumentError(f"{path} has a proposed change that is no text. The user has not decided about it yet.")
        document = (await self.overlay(file)).document
        if document is None:
            raise DocumentMissing(no_file(path))
        return document

    async def staged_paths(self) -> list[Path]:
        """Return the paths by which the session knows its staged files."""
        return [file.place for file in (await self._sets.of(self._session_id)).staged]

    async def tree(self) -> SeenTree:
        """Return the files as the session sees the files. Raises StoreError."""
        staged = (await self._sets.of(self._session_id)).staged
        return await in_thread(SeenTree, staged) if staged else SeenTree()

    async def overlays(self) -> list[tuple[UndecidedFile, Document | None]]:
        """Return the staged texts, each with the document that the session sees now. Raises DocumentError."""
        files = [file for file in (await self._sets.of(self._session_id)).staged if not file.is_raw]
        return [(file, (await self.overlay(file)).document) for file in files]

    async def contents(self) -> list[UndecidedFile]:
        """Return the staged files that are no text."""
        return [file for file in (await self._sets.of(self._session_id)).staged if file.is_raw]

    async def overlay(self, file: UndecidedFile) -> Overlay:
        """Return the staged file as the session sees the file now. Raises DocumentError."""
        document = await read_or_none(self._documents, file.path)
        return await in_thread(overlaid, file, document, file.path.name)

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        return await self._documents.apply(edits, edit_id=edit_id, label=label, turn_id=turn_id)

    async def unsaved(self) -> list[Document]:
        documents = {document.path: document for document in await self._documents.unsaved()}
        for file in (await self._sets.of(self._session_id)).staged:
            if file.is_raw:
                continue
            documents.pop(file.path, None)
            seen = (await self.overlay(file)).document
            if seen is not None:
                documents[seen.path] = seen
        return list(documents.values())

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        return await self._documents.save(paths)

    async def reload(self) -> None:
        await self._documents.reload()

    def watch_saves(self) -> AbstractContextManager[Mapping[Path, str]]:
        return self._documents.watch_saves()
