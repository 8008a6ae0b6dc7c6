"""ReferenceContext in which the references of a prompt are looked up."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from placet.changes.journal.current_files import read_or_none
from placet.changes.ledger import Ledger
from placet.changes.review.seen_tree import SeenTree
from placet.core.errors import DocumentMissing
from placet.core.executor import in_thread
from placet.core.messages import LineRange, Message
from placet.core.ports import Document, Documents, LanguageFeatures
from placet.extensions.mcp.offers.mentions import MentionedResources
from placet.project.files.absence import no_file
from placet.project.paths import Workspace
from placet.text.diff import make_hunks
from placet.text.lines import to_lf
from placet.tools.framework.context import Judge

WITH_CHANGE = "with your staged change, which the user has not accepted yet"
WITHOUT_CHANGE = "as the user sees the file: without your staged change"
_NO_RESOURCES = MentionedResources(tuple, Path())


@dataclass(frozen=True, slots=True)
class ShownText:
    """Text of a file for the model, where the user points at the file."""

    document: Document
    lines: LineRange | None = None
    """Lines of the document; None for the whole document."""
    remark: str = ""
    """Relation of the text to the user's document, where the session has staged a change of the file."""


class SeenDocuments(Documents, Protocol):
    """Documents and files as a session sees them."""

    async def staged_paths(self) -> list[Path]:
        """Return the paths by which the session knows its staged files."""
        ...

    async def tree(self) -> SeenTree:
        """Return the files as the session sees the files."""
        ...


@dataclass(frozen=True, slots=True)
class ReferenceContext:
    workspace: Workspace
    documents: Documents
    """Documents as the user sees the documents."""
    features: LanguageFeatures
    """Language features about the texts that the user sees."""
    ledger: Ledger
    judge: Judge
    """Judge of content shown beside the things to which the user points; the things themselves need no permission."""
    subagents: Callable[[], Collection[str]]
    """Function which returns the subagents' names."""
    history: Callable[[], Sequence[Message]]
    """Function which returns the part of the conversation which the model still sees."""
    seen: SeenDocuments
    """Documents as the session sees the documents: with the staged changes."""
    resources: MentionedResources = _NO_RESOURCES
    """Resources of MCP servers."""

    async def shown(self, path: Path, lines: LineRange | None) -> ShownText:
        """Return the text of the file, and note a text that the session sees as read. Raises DocumentError.

        `lines` are lines of the user's document. docs/REVIEW.md, staged changes.
        """
        if not await self.seen.staged_paths():
            return ShownText(self._noted(await self.documents.read(path)), lines)
        seen = await read_or_none(self.seen, path)
        present = await read_or_none(self.documents, path)
        if present is None or seen is None:
            return self._one_sided(path, present, seen, lines)
        if present.text == seen.text:
            return ShownText(self._noted(seen if seen.dirty == present.dirty else present), lines)
        if lines is None:
            return ShownText(self._noted(seen), None, f", {WITH_CHANGE}")
        moved = await in_thread(_moved, to_lf(present.text), to_lf(seen.text), lines)
        if moved is None:
            return ShownText(present, lines, f", {WITHOUT_CHANGE}")
        return ShownText(self._noted(seen), moved, f", {WITH_CHANGE}")

    def _one_sided(
        self, path: Path, present: Document | None, seen: Document | None, lines: LineRange | None
    ) -> ShownText:
        if seen is not None:
            return ShownText(self._noted(seen), lines, f", {WITH_CHANGE}")
        if present is not None:
            return ShownText(present, lines, f", {WITHOUT_CHANGE}, which removes the file")
        raise DocumentMissing(no_file(path))

    def _noted(self, document: Document) -> Document:
        self.ledger.note(document)
        return document


def _moved(present: str, seen: str, lines: LineRange) -> LineRange | None:
    """Return the lines of the present text in the text that the session sees, or None if a change touches the lines."""
    start, end, by = lines.start - 1, lines.end, 0
    for hunk in make_hunks(present, seen):
        old_end = hunk.old_start + len(hunk.old_lines)
        if hunk.old_start >= end:
            break
        if old_end > start:
            return None
        by += len(hunk.new_lines) - len(hunk.old_lines)
    return LineRange(start=lines.start + by, end=lines.end + by)
