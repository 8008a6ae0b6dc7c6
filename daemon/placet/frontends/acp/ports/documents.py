"""The Documents port through the client: unsaved text is the client's, everything else is the disk's.

Implements docs/EDITS.md rules 1, 3 to 6, 12 and 13 over methods without versions.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from placet.core.errors import DocumentError, DocumentMissing, EditConflict, EditError
from placet.core.executor import in_thread
from placet.core.ports import Document, Documents, FileEdit, FileOutcome
from placet.core.values import replace
from placet.frontends.acp.ports.client_files import ClientFiles
from placet.frontends.acp.ports.file_view import FileView, SeenFiles, landing
from placet.project.files.absence import no_file
from placet.project.files.disk import DiskDocuments, encoding_of_new, rewrite_document
from placet.text.lines import dominant_line_ending, restore_line_endings, to_lf

if TYPE_CHECKING:
    from placet.changes.unsaved_watch import UnsavedWatch
    from placet.frontends.acp.ports.client_writes import ClientWrites

logger = logging.getLogger(__name__)

NOT_TRIED = "not tried, as an earlier file failed"
MOST_LOOKED_AT = 32
"""Number of files, the last ones read, in which unsaved text is looked for."""


def client_documents(files: ClientFiles, unsaved: "UnsavedTexts") -> Documents:
    """Return the documents of a workspace; of a client that shows no unsaved text, the documents on disk."""
    if files.facts.shows_unsaved:
        return AcpDocuments(files, unsaved)
    logger.info("The client shows no unsaved text: files are read and written on disk")
    return DiskDocuments()


class UnsavedTexts:
    """Unsaved text in the client's files of one workspace, of which other processes with the same store are told.

    The client reports no typing: a file counts from the read that has found unsaved text to the read that finds none.
    """

    def __init__(self, store: Callable[[], Path | None]) -> None:
        """Make the texts; `store` returns the path of the store of the sessions."""
        self._store = store
        self._watch: UnsavedWatch | None = None
        self._paths: set[Path] = set()

    def tell(self, path: Path, has_unsaved: Callable[[Path], Awaitable[bool]], *, is_unsaved: bool) -> None:
        """Take the outcome of a read; `has_unsaved` reads a file again."""
        if is_unsaved == (path in self._paths) or (store := self._store()) is None:
            return
        (self._paths.add if is_unsaved else self._paths.discard)(path)
        if self._watch is None:
            from placet.changes.unsaved_watch import UnsavedWatch  # Most files have no unsaved text.

            self._watch = UnsavedWatch(has_unsaved, store)
        self._watch.touch(path, is_unsaved)

    async def close(self) -> None:
        """Remove the note: the client is gone."""
        if self._watch is not None:
            await self._watch.close()


class AcpDocuments:
    """Documents of one workspace, for as long as the workspace."""

    def __init__(self, files: ClientFiles, unsaved: UnsavedTexts) -> None:
        self._files = files
        self._unsaved = unsaved
        self._disk = DiskDocuments()
        self._seen = SeenFiles()
        self._look: asyncio.Task[list[Document]] | None = None
        """Present or last look for unsaved documents."""
        self._next_look: asyncio.Task[list[Document]] | None = None
        """Look that has not begun, which all callers until then share."""

    @cached_property
    def _writes(self) -> "ClientWrites":
        from placet.frontends.acp.ports.client_writes import ClientWrites  # Most turns begin by reading.

        return ClientWrites(self._files, self._view)

    # ------------------------------------------------------------ reading

    async def read(self, path: Path) -> Document:
        """Read a file as the Documents port says. A client without an answer in time is taken not to have the file."""
        document = (await self._view(path)).document
        if document is None:
            raise DocumentMissing(no_file(path))
        return document

    async def unsaved(self) -> list[Document]:
        """Return the unsaved documents among the files read last: the client has no list of open files.

        Calls at the same time share a look; no call gets the result of a look that began before the call.
        """
        if self._next_look is None:
            self._next_look = asyncio.create_task(self._look_after(self._look), name="look for unsaved text")
        return list(await asyncio.shield(self._next_look))

    async def _look_after(self, earlier: "asyncio.Task[list[Document]] | None") -> list[Document]:
        """Look for unsaved documents once the earlier look has ended."""
        if earlier is not None:
            await asyncio.wait([earlier])
        self._look, self._next_look = self._next_look, None
        views = await asyncio.gather(*map(self._view_or_none, self._seen.recent(MOST_LOOKED_AT)))
        documents = [view.document for view in views if view is not None and view.is_dirty]
        return [document for document in documents if document is not None]

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        """Save nothing: the client cannot be told to save."""
        return []

    async def reload(self) -> None:
        """Do nothing: each read asks the client and the disk anew."""

    def watch_saves(self) -> AbstractContextManager[Mapping[Path, str]]:
        """Return a watch that sees nothing: the client reports no saves."""
        return nullcontext({})

    async def _view(self, path: Path) -> FileView:
        """Return the present view of the file. Raises DocumentError for a file on disk that is no text."""
        disk = await self._on_disk(path)
        client = await self._files.read(path)
        if FileView(path, client, disk).is_dirty:
            disk = await self._on_disk(path)  # The user may have saved between the two looks.
        view = self._seen.view(path, client, disk)
        self._unsaved.tell(path, self._has_unsaved, is_unsaved=view.is_dirty)
        return view

    async def _has_unsaved(self, path: Path) -> bool:
        view = await self._view_or_none(path)
        return view is not None and view.is_dirty

    async def _view_or_none(self, path: Path) -> FileView | None:
        try:
            return await self._view(path)
        except DocumentError:
            return None

    async def _on_disk(self, path: Path) -> Document | None:
        try:
            return await self._disk.read(path)
        except DocumentMissing:
            return None

    async def _read_back(self, path: Path) -> Document | None:
        view = await self._view_or_none(path)
        return None if view is None else view.document

    # ------------------------------------------------------------ applying

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        """Apply edits as the Documents port says, one after another."""
        outcomes: list[FileOutcome] = []
        for edit in edits:
            if any(not outcome.applied for outcome in outcomes):
                outcomes.append(FileOutcome(edit.path, False, NOT_TRIED, await self._read_back(edit.path)))
            else:
                outcomes.append(await self._apply(edit))
        return outcomes

    async def _apply(self, edit: FileEdit) -> FileOutcome:
        try:
            view = await self._view(edit.path)
            self._refuse_changed(edit, view)
            if self._goes_through_client(edit, view):
                return await self._writes.write(edit, view)
            return await self._apply_on_disk(edit, view)
        except (DocumentError, EditError) as error:
            return FileOutcome(edit.path, False, str(error), await self._read_back(edit.path))

    def _refuse_changed(self, edit: FileEdit, view: FileView) -> None:
        """Raise EditConflict for another text than the edit's base, and for unsaved text that the edit would lose."""
        if edit.base is not None:
            document = view.document
            if document is None or to_lf(document.text) != to_lf(edit.base.text):
                raise EditConflict(f"{edit.path} has changed since the edit was made; read it again.")
        if view.is_dirty and (edit.kind != "modify" or not self._files.takes_writes):
            raise EditConflict(
                f"{edit.path} has unsaved changes in the editor, which takes no edit there. Ask the user to save or "
                "discard the changes, and try again."
            )

    def _goes_through_client(self, edit: FileEdit, view: FileView) -> bool:
        """Return whether the client writes: over unsaved text, and for a list of changes that the user reviews."""
        if view.is_dirty:
            return True
        if not (self._files.facts.keeps_review and self._files.takes_writes) or view.is_stale:
            return False
        match edit.kind:
            case "modify":
                return view.client is not None and view.disk is not None and _is_plain(view.disk)
            case "create":
                is_utf_8 = encoding_of_new(edit) == ("utf-8", False)
                is_plain = is_utf_8 and edit.mode is None and "\r" not in edit.new_text
                return not view.client and view.disk is None and is_plain
            case "delete" | "rename":
                return False

    async def _apply_on_disk(self, edit: FileEdit, view: FileView) -> FileOutcome:
        """Write the file under a client without unsaved text; the client loads the file again."""
        ready = edit
        if edit.base is not None and view.disk is not None:
            is_same = view.disk.text == edit.base.text
            new_text = edit.new_text if is_same else restore_line_endings(view.disk.text, to_lf(edit.new_text))
            ready = replace(edit, base=view.disk, new_text=new_text)
        [outcome] = await self._disk.apply([ready], edit_id="", label="")
        if edit.kind != "modify" or not outcome.applied:
            return outcome
        return await self._under_typing(ready, outcome)

    async def _under_typing(self, edit: FileEdit, outcome: FileOutcome) -> FileOutcome:
        """Return the outcome of a write on disk, by the text that the client then has."""
        assert edit.base is not None
        view = await self._view(edit.path)
        present = view.document
        if present is None:
            return outcome
        if not view.is_dirty:
            return replace(outcome, after=present)
        texts = to_lf(edit.base.text), to_lf(edit.new_text), to_lf(present.text)
        match await in_thread(landing, *texts):
            case "beside":
                return outcome
            case "landed" | "formatted":
                return replace(outcome, after=present)
            case "absent":
                return await self._with_disk_put_back(edit.base, outcome)

    async def _with_disk_put_back(self, base: Document, outcome: FileOutcome) -> FileOutcome:
        """Return the outcome of an edit that the user's typing has overtaken, after the old text is back on disk."""
        if outcome.after is not None:
            await in_thread(partial(rewrite_document, outcome.after, base.text, encoding=base.encoding, bom=base.bom))
        reason = f"{base.path} was typed into while the edit was written; read it again."
        return FileOutcome(base.path, False, reason, await self._read_back(base.path))


def _is_plain(document: Document) -> bool:
    """Return whether a client may be expected to keep encoding, BOM and line ends of the file."""
    is_uniform = to_lf(document.text).replace("\n", dominant_line_ending(document.text)) == document.text
    return document.encoding == "utf-8" and not document.bom and is_uniform
