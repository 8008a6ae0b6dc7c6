"""Names in a source text, by tree-sitter: which one stands at a place, and where a name occurs in code."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from placet.languages.grammar import LanguageName, column_of, parse

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True, order=True)
class Occurrence:
    """A name on its line; the line counts from 1, columns from 0 in code points."""

    line: int
    column: int
    end_column: int


def name_at(text: str, language: LanguageName, line: int, column: int) -> str | None:
    """The identifier at a place (line from 1, column from 0, in code points); None where there is none."""
    for node, occurrence in _identifiers(text, language):
        if occurrence.line == line and occurrence.column <= column <= occurrence.end_column:
            return _text(node)
    return None


def occurrences(text: str, language: LanguageName, name: str) -> list[Occurrence]:
    """Where the name stands as an identifier, in order; not in strings and comments."""
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
