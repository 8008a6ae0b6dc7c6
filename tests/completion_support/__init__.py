"""Support for the tests of inline completion: documents with a mark for the cursor."""

from placet.completion.cursor_context import CursorContext, cursor_context
from placet.text.buffer import Buffer
from placet.text.positions import Position

CURSOR = "¦"


def marked_document(marked: str) -> tuple[Buffer, Position]:
    """The document without the mark, and the position of the mark in UTF-16."""
    buffer = Buffer(marked.replace(CURSOR, ""))
    return buffer, buffer.position_at(marked.index(CURSOR), "utf-16")


def context_at(marked: str) -> CursorContext:
    """The text around the mark in the document."""
    buffer, position = marked_document(marked)
    return cursor_context(buffer, position, "utf-16")
