"""A small faithful editor: documents on disk, some of them open in buffers, and a user who types when it can hurt."""

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.core.ports import Document, FileEdit, FileOutcome
from placet.core.values import replace
from placet.project.files.disk import DiskDocuments, read_document, write_document
from placet.text.diff import apply_text_edits


@dataclass(slots=True)
class OpenText:
    text: str
    version: int = 1
    dirty: bool = False


class Editor:
    """Implements Documents. `user` is called at every moment at which a real user could come in between."""

    def __init__(self) -> None:
        self.disk = DiskDocuments()
        self.open: dict[Path, OpenText] = {}
        self.user: Callable[[], None] = lambda: None
        self.format: Callable[[str], str] = lambda text: text
        self.lies_about: set[Path] = set()
        self.turns: list[str] = []
        """Those that edits were said to be for."""
        """Says that it applied, and did not."""
        self.drops_answer_for: set[Path] = set()
        """Applies, and says that it did not."""
        self.saves = True
        """Saves a clean buffer after an edit."""
        self.breaks: Exception | None = None
        """Raised in the middle of applying, after the first file."""
        self.applied: list[tuple[str, Path]] = []
        self.saved_by_user: dict[Path, str] = {}

    def open_buffer(self, path: Path) -> OpenText:
        self.open[path] = OpenText(read_document(path).text)
        return self.open[path]

    def type(self, path: Path, text: str) -> None:
        """The user puts the text into the buffer in place of what is there."""
        buffer = self.open[path]
        buffer.text, buffer.version, buffer.dirty = text, buffer.version + 1, True

    async def moment(self) -> None:
        await asyncio.sleep(0)
        self.user()

    async def read(self, path: Path) -> Document:
        await self.moment()
        return self._document(path) or await self.disk.read(path)

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        self.turns.append(turn_id)
        outcomes: list[FileOutcome] = []
        for edit in edits:
            await self.moment()
            if any(not outcome.applied for outcome in outcomes):
                outcomes.append(FileOutcome(edit.path, applied=False, reason="not tried"))
            else:
                outcomes.append(await self._apply(edit))
            if self.breaks is not None:
                raise self.breaks
        await self.moment()
        return [replace(outcome, after=outcome.after and await self._again(outcome.after.path)) for outcome in outcomes]

    async def unsaved(self) -> list[Document]:
        documents = [self._document(path) for path, buffer in self.open.items() if buffer.dirty]
        return [document for document in documents if document is not None]

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        for path in paths:
            write_document(path, self.open[path].text, encoding="utf-8", bom=False)
            self.open[path].dirty = False
        return list(paths)

    async def reload(self) -> None:
        await self.moment()

    @contextmanager
    def watch_saves(self) -> Generator[Mapping[Path, str]]:
        self.saved_by_user.clear()
        yield self.saved_by_user

    def save_as_user(self, path: Path) -> None:
        """The user saves the buffer, and the editor says so."""
        write_document(path, self.open[path].text, encoding="utf-8", bom=False)
        self.open[path].dirty = False
        self.saved_by_user[path] = self.open[path].text

    async def _again(self, path: Path) -> Document | None:
        return self._document(path) or await self.disk.read(path)

    def _document(self, path: Path) -> Document | None:
        if (buffer := self.open.get(path)) is None:
            return None
        return Document(path, buffer.text, "buffer", version=buffer.version, dirty=buffer.dirty)

    async def _apply(self, edit: FileEdit) -> FileOutcome:
        if edit.path in self.lies_about:
            return FileOutcome(edit.path, applied=True, after=self._document(edit.path) or read_document(edit.path))
        buffer = self.open.get(edit.path)
        if buffer is None or edit.kind != "modify":
            (outcome,) = await self.disk.apply([edit], edit_id="", label="")
            self.open.pop(edit.path, None)
        elif edit.base is None or (edit.base.version, edit.base.text) != (buffer.version, buffer.text):
            return FileOutcome(edit.path, applied=False, reason="the buffer has moved on")
        else:
            outcome = self._edit(edit, buffer)
        self.applied.append((edit.kind, edit.path))
        if edit.path in self.drops_answer_for:
            return FileOutcome(edit.path, applied=False, reason="no answer in time")
        return outcome

    def _edit(self, edit: FileEdit, buffer: OpenText) -> FileOutcome:
        buffer.text, buffer.version = apply_text_edits(buffer.text, edit.edits), buffer.version + 1
        changed_by_save = False
        if not self.saves:
            buffer.dirty = True
        if not buffer.dirty:
            formatted = self.format(buffer.text)
            changed_by_save, buffer.text = formatted != buffer.text, formatted
            write_document(edit.path, buffer.text, encoding="utf-8", bom=False)
        return FileOutcome(edit.path, applied=True, after=self._document(edit.path), changed_by_save=changed_by_save)
