"""Names in a source text, by tree-sitter: the name at a place, and the occurrences of a name in code."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from placet.languages.grammar import LanguageName, column_of, parse

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True, order=True)
class Occurrence:
    """Name on a line; the line counts from 1, columns from 0 in code points."""

    line: int
    column: int
    end_column: int


def name_at(text: str, language: LanguageName, line: int, column: int) -> str | None:
    """Return the identifier at a place (line from 1, column from 0, in code points), or None."""
    for node, occurrence in _identifiers(text, language):
        if occurrence.line == line and occurrence.column <= column <= occurrence.end_column:
            return _text(node)
    return None


def occurrences(text: str, language: LanguageName, name: str) -> list[Occurrence]:
    """Return the places of the name as an identifier, in order; strings and comments do not count."""
    return [occurrence for node, occurrence in _identifiers(text, language) if _text(node) == name]


def _identifiers(text: str, language: LanguageName) -> Iterator[tuple["Node", Occurrence]]:
    lines = text.split("\n")
    # An explicit stack: generated code nests deeper than Python recurses.
    pending = [parse(text, language)]
    while pending:
        node = pending.pop()
        if node.type.endswith("identifier"):
            row, start = node.start_point
            line = lines[row]
            column = column_of(line, start)
            yield node, Occurrence(row + 1, column, column + len(_text(node)))
        pending.extend(reversed(node.named_children))


def _text(node: "Node") -> str:
    return "" if node.text is None else node.text.decode("utf-8", "replace")
