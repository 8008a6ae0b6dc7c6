"""Syntax errors of a source text, by tree-sitter."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from placet.languages.grammar import LanguageName, column_of, parse

if TYPE_CHECKING:
    from tree_sitter import Node

MOST = 20
SHOWN_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """Syntax error in a text; lines and columns count from 0, columns in code points."""

    line: int
    column: int
    end_line: int
    end_column: int
    message: str


def syntax_errors(text: str, language: LanguageName) -> list[SyntaxProblem]:
    """Return the outermost errors in source order, at most MOST. Lines end with LF.

    A grammar that lags behind the language reports false errors: compare with the errors of the text before.
    """
    lines = text.split("\n")
    problems: list[SyntaxProblem] = []
    pending = [parse(text, language)]
    while pending and len(problems) < MOST:
        node = pending.pop()
        if node.is_error or node.is_missing:
            problems.append(_problem(node, lines))
        elif node.has_error:
            pending.extend(reversed(node.children))
    return problems


def _problem(node: "Node", lines: list[str]) -> SyntaxProblem:
    (row, column), (end_row, end_column) = node.start_point, node.end_point
    if node.is_missing:
        message = f"Syntax error: `{node.type}` is missing."
    else:
        first = lines[row][column_of(lines[row], column) :].strip()
        shown = first if len(first) <= SHOWN_CHARACTERS else f"{first[:SHOWN_CHARACTERS]}..."
        message = f"Syntax error at `{shown}`." if shown else "Syntax error."
    return SyntaxProblem(row, column_of(lines[row], column), end_row, column_of(lines[end_row], end_column), message)
