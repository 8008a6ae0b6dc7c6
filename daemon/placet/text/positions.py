"""Positions as LSP counts, in the unit agreed on by the connection, against our own counting in code points."""

from dataclasses import dataclass
from typing import Literal

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Place between characters: the 0-based line, and the units before the place on the line."""

    line: int
    character: int


def units(text: str, encoding: PositionEncoding) -> int:
    """Return the length of the text in the units of the encoding."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def character_at(line: str, column: int, encoding: PositionEncoding) -> int:
    """Return the `character` of a column of code points. `line` has no line end; the column is clamped to the line."""
    return units(line[: max(column, 0)], encoding)


def column_at(line: str, character: int, encoding: PositionEncoding) -> int:
    """Return the column in code points of a `character`. `line` has no line end.

    A character past the end is the end (LSP 3.17, Position); a character inside a code point is the code point's start.
    """
    if character <= 0:
        return 0
    # A code point is at least one unit, so no later text can matter, however long the line.
    head = line[:character]
    if encoding == "utf-32" or head.isascii():
        return len(head)
    return _column_in_utf8(head, character) if encoding == "utf-8" else _column_in_utf16(head, character)


def _column_in_utf8(head: str, character: int) -> int:
    data = head.encode("utf-8", "surrogatepass")
    if character >= len(data):
        return len(head)
    while 0x80 <= data[character] < 0xC0:
        character -= 1
    return len(data[:character].decode("utf-8", "surrogatepass"))


def _column_in_utf16(head: str, character: int) -> int:
    data = head.encode("utf-16-le", "surrogatepass")
    if 2 * character >= len(data):
        return len(head)
    if 0xD8 <= data[2 * character - 1] < 0xDC <= data[2 * character + 1] < 0xE0:
        character -= 1
    return len(data[: 2 * character].decode("utf-16-le", "surrogatepass"))
