"""The Documents port for editors sharing sessions: each file has at most one holder among the editors.

The holder is an editor having the file open with unsaved text, else an editor having the file open; of several such
editors the editor whose message is being worked on, else the first to come. Edits go to the holder alone; the other
editors see the file change.
"""

import asyncio
from collections import ChainMap
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from pathlib import Path

from placet.core.errors import DocumentError
from placet.core.ports import Document, Documents, FileEdit, FileOutcome
from placet.frontends.lsp.ports.documents import NOT_TRIED
from placet.frontends.lsp.shared.connected_editor import ConnectedEditor
from placet.frontends.lsp.shared.connected_editors import ConnectedEditors
from placet.project.files.disk import DiskDocuments


class SharedDocuments:
    def __init__(self, editors: ConnectedEditors) -> None:
        self._editors = editors
        self._disk = DiskDocuments()

    async def read(self, path: Path) -> Document:
        """Read a file as the Documents port says."""
        open_in = self._open_in(path)
        if len(open_in) < 2:
            return await self._documents_of(open_in).read(path)
        return await self._documents_of([await self._holder(path, open_in)]).read(path)

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        """Apply edits as the Documents port says; files of several holders are edited holder after holder, up to the
        first failure.
        """
        held: list[tuple[ConnectedEditor | None, FileEdit]] = []
        for edit in edits:
            open_in = self._open_in(edit.path)
            held.append((await self._holder(edit.path, open_in) if open_in else None, edit))
        bystanders = {edit.path: await self._clean_bystanders(edit.path, holder) for holder, edit in held}
        outcomes: list[FileOutcome] = []
        for holder, group in groupby(held, lambda item: item[0]):
            share = [edit for _, edit in group]
            if any(not outcome.applied for outcome in outcomes):
                outcomes += [
                    FileOutcome(edit.path, False, NOT_TRIED, await self._read_back(edit.path)) for edit in share
                ]
                continue
            documents = self._documents_of([] if holder is None else [holder])
            outcomes += await documents.apply(share, edit_id=edit_id, label=label, turn_id=turn_id)
        await self._show_to(bystanders, outcomes)
        return outcomes

    async def unsaved(self) -> list[Document]:
        """Return unsaved documents as the Documents port says; a file unsaved in several editors has the text of the
        file's holder.
        """
        documents: dict[Path, Document] = {}
        for editor in reversed(self._editors.in_order()):
            documents.update((document.path, document) for document in await editor.documents.unsaved())
        return list(documents.values())

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        """Save files as the Documents port says, each file by the file's holder."""
        shares: dict[ConnectedEditor, list[Path]] = {}
        for path in paths:
            if open_in := self._open_in(path):
                shares.setdefault(await self._holder(path, open_in), []).append(path)
        saved = await asyncio.gather(*(editor.documents.save(share) for editor, share in shares.items()))
        return [path for share in saved for path in share]

    async def reload(self) -> None:
        """Ask every editor to look at the disk again."""
        await asyncio.gather(*(editor.documents.reload() for editor in self._editors.in_order()))

    @contextmanager
    def watch_saves(self) -> Generator[Mapping[Path, str]]:
        """Watch saves as the Documents port says, in the editors connected now."""
        with ExitStack() as stack:
            watched = [stack.enter_context(editor.documents.watch_saves()) for editor in self._editors.in_order()]
            yield ChainMap(*watched)

    # ------------------------------------------------------------ holders of documents

    def _open_in(self, path: Path) -> list[ConnectedEditor]:
        """Return the editors with the file open, as far as the editors have told us."""
        return [editor for editor in self._editors.in_order() if editor.buffers.find(path) is not None]

    def _documents_of(self, editors: Sequence[ConnectedEditor]) -> Documents:
        """Return the holder's documents; without a holder the documents of the editor worked for, else the disk."""
        candidates = editors or self._editors.in_order()
        return candidates[0].documents if candidates else self._disk

    async def _holder(self, path: Path, open_in: Sequence[ConnectedEditor]) -> ConnectedEditor:
        if len(open_in) == 1:
            return open_in[0]
        for editor in open_in:
            if await editor.documents.has_unsaved(path):
                return editor
        # A buffer whose file has changed on disk is skipped while another buffer is up to date.
        return next((editor for editor in open_in if editor.documents.is_current(path)), open_in[0])

    async def _clean_bystanders(self, path: Path, holder: ConnectedEditor | None) -> list[ConnectedEditor]:
        """Return the editors, the holder excepted, with the file open and without unsaved changes."""
        others = [editor for editor in self._open_in(path) if editor is not holder]
        return [editor for editor in others if not await editor.documents.has_unsaved(path)]

    async def _show_to(
        self, bystanders: Mapping[Path, Sequence[ConnectedEditor]], outcomes: Sequence[FileOutcome]
    ) -> None:
        """Load changed files again in the bystanders. Until then the disk is the truth for a bystander's buffer of such
        a file.
        """
        stale: dict[ConnectedEditor, None] = {}
        for outcome in outcomes:
            if outcome.applied and not (outcome.after is not None and outcome.after.dirty):
                for editor in bystanders[outcome.path]:
                    editor.documents.changed_under(outcome.path)
                    stale[editor] = None
        await asyncio.gather(*(editor.documents.reload() for editor in stale))

    async def _read_back(self, path: Path) -> Document | None:
        try:
            return await self.read(path)
        except DocumentError:
            return None
