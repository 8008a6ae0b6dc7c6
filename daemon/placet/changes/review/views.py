"""Views of the files of change sets, on the present documents."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from placet.changes.journal.current_files import read_or_none
from placet.changes.journal.raw_file import described, read_raw
from placet.changes.review.staged_content import content_view
from placet.changes.review.staged_file import StagedView, UndecidedFile, digest, raw_view, view_of
from placet.changes.review.unreviewed_file import OnDisk, unreviewed_view
from placet.core.errors import DocumentError
from placet.core.executor import in_thread
from placet.core.ports import Document, Documents
from placet.project.paths import Workspace

MOST_KEPT = 2000
"""Highest number of views kept for the next look."""


class _Shown(Struct, frozen=True):
    """View of a file, and the texts from which the view was made."""

    view: StagedView
    texts: tuple[str | OnDisk | None, ...]
    workspace: Workspace


class _Present(NamedTuple):
    """Present documents at the path before the change, and at the file's place."""

    document: Document | None
    at_place: Document | None
    on_disk: OnDisk | None = None
    """State of the file on disk, where a command has changed more than a text."""


class Views:
    """Views for the reviews of a front end; Reviews owns the object.

    The last views are kept, as a client looks at a set after each change, and few files differ from the last look.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._shown: dict[UndecidedFile, _Shown] = {}

    async def of(self, files: Sequence[UndecidedFile], workspace: Workspace) -> list[StagedView]:
        """Return the view of each file; a file that is no text by now is in conflict."""
        present = await asyncio.gather(*map(self._present, files))
        shown = await in_thread(lambda: [self._look(*pair, workspace) for pair in zip(files, present, strict=True)])
        if len(self._shown) > MOST_KEPT:
            self._shown.clear()
        self._shown |= {view.view.file: view for view in shown}
        return [view.view for view in shown]

    async def _present(self, file: UndecidedFile) -> "_Present | DocumentError":
        """Return the present documents, or the reason why a file is no text by now."""
        if file.is_raw and file.state == "waiting":
            return _Present(None, None)
        try:
            if file.is_raw or file.base_mode is not None:
                on_disk = await in_thread(_on_disk, file.place)
                at_place = None if file.is_raw else await read_or_none(self._documents, file.place)
                return _Present(at_place, at_place, on_disk)
            document = await read_or_none(self._documents, file.path)
            at_place = document if file.new_path is None else await read_or_none(self._documents, file.new_path)
        except DocumentError as error:
            # A directory can stand where a file was deleted.
            is_gone = file.kind == "delete" and await in_thread(file.path.is_dir)
            return _Present(None, None) if is_gone else error
        return _Present(document, at_place)

    def _look(self, file: UndecidedFile, present: _Present | DocumentError, workspace: Workspace) -> _Shown:
        if isinstance(present, DocumentError):
            return _Shown(_unreadable(file, str(present), workspace), (), workspace)
        documents = (present.document, present.at_place)
        texts = (*(None if document is None else document.text for document in documents), present.on_disk)
        last = self._shown.get(file)
        if last is not None and last.texts == texts and last.workspace == workspace:
            return last
        return _Shown(_view(file, present, workspace), texts, workspace)


def _on_disk(path: Path) -> OnDisk:
    """Return the state of the file. Raises DocumentError. Blocks."""
    raw = read_raw(path)
    return OnDisk(described(raw), None if raw is None else raw.mode)


def _unreadable(file: UndecidedFile, reason: str, workspace: Workspace) -> StagedView:
    return StagedView(file, workspace.name(file.place), digest(file.state, reason), conflict=reason)


def _view(file: UndecidedFile, present: _Present, workspace: Workspace) -> StagedView:
    name = workspace.name(file.path)
    new_name = "" if file.new_path is None else workspace.name(file.new_path)
    if file.is_raw and file.state == "waiting":
        return raw_view(file, name)
    if file.is_raw and file.state == "staged" and present.on_disk is not None:
        return content_view(file, present.on_disk, name)
    if file.state == "unreviewed":
        return unreviewed_view(file, present.at_place, name, new_name, present.on_disk)
    return view_of(file, present.document, present.at_place, name, new_name)
