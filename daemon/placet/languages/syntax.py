"""Definitions, names and syntax errors of a source text, by tree-sitter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from placet.languages.grammar import LanguageName, column_of, parse

if TYPE_CHECKING:
    from tree_sitter import Node

DefinitionKind = Literal[
    "class", "function", "method", "interface", "enum", "type", "namespace", "constant", "variable"
]

_NAMED_BY_THEIR_NODE: Mapping[str, DefinitionKind] = {
    # Python
    "class_definition": "class",
    "function_definition": "function",
    # JavaScript and TypeScript
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "function_signature": "function",
    "method_definition": "method",
    "abstract_method_signature": "method",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "type_alias_declaration": "type",
    "internal_module": "namespace",
    "module": "namespace",
}
"""Kind of definition by node type.

`module` is also the root of a Python tree, which has no name and so defines nothing.
"""

_FUNCTION_VALUES = {"arrow_function", "function_expression", "generator_function"}
_TYPE_KINDS = {"class", "interface"}
_SCOPE_KINDS = {"class", "interface", "function", "method"}
MOST_ERRORS = 20
_SHOWN_CHARACTERS = 40
"""Length of the code that the message of a syntax error quotes."""


@dataclass(frozen=True, slots=True)
class Definition:
    """Named definition; lines are 1-based, both ends included; `depth` counts the definitions around the definition."""

    kind: DefinitionKind
    name: str
    line: int
    end_line: int
    depth: int = 0
    name_line: int = field(default=0, compare=False)
    """Line of the name, 1-based as well."""
    name_column: int = field(default=0, compare=False)
    """Column of the name, 0-based, in code points."""


@dataclass(frozen=True, slots=True, order=True)
class Occurrence:
    """Name on a line; the line counts from 1, columns from 0 in code points."""

    line: int
    column: int
    end_column: int


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """Syntax error in a text; lines and columns count from 0, columns in code points."""

    line: int
    column: int
    end_line: int
    end_column: int
    message: str


def outline(text: str, language: LanguageName) -> tuple[Definition, ...]:
    """Return the definitions of `text` in source order.

    Broken code gives the definitions still recognised; lines end with LF.
    """
    lines = text.split("\n")
    definitions: list[Definition] = []
    # An explicit stack: generated code nests deeper than Python recurses.
    pending: list[tuple[Node, tuple[DefinitionKind, ...]]] = [(parse(text, language), ())]
    while pending:
        node, around = pending.pop()
        inside = around
        for kind, name, at in _defined_by(node, around):
            row, column = at.start_point
            definitions.append(
                Definition(
                    kind,
                    name,
                    line=node.start_point.row + 1,
                    end_line=node.end_point.row + 1,
                    depth=len(around),
                    name_line=row + 1,
                    name_column=column_of(lines[row], column),
                )
            )
            inside = (*around, kind)
        pending.extend((child, inside) for child in reversed(node.named_children))
    return tuple(definitions)


def _defined_by(node: "Node", around: tuple[DefinitionKind, ...]) -> Iterator[tuple[DefinitionKind, str, "Node"]]:
    """Yield the definitions of a node: kind, name, and the node of the name."""
    in_a_type = bool(around) and around[-1] in _TYPE_KINDS
    in_a_scope = any(kind in _SCOPE_KINDS for kind in around)
    match node.type:
        case declaration if declaration in _NAMED_BY_THEIR_NODE:
            if (name := node.child_by_field_name("name")) is not None and (text := _text(name).strip("'\"")):
                kind = _NAMED_BY_THEIR_NODE[declaration]
                yield ("method" if kind == "function" and in_a_type else kind), text, name
        case "type_alias_statement":
            if (left := node.child_by_field_name("left")) is not None and (text := _text(left)):
                yield "type", text.partition("[")[0], left
        case "assignment":
            target = node.child_by_field_name("left")
            if not in_a_scope and target is not None and target.type == "identifier":
                name = _text(target)
                yield ("constant" if name.isupper() else "variable"), name, target
        case "variable_declarator":
            target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if target is None or target.type != "identifier":
                return
            if value is not None and value.type in _FUNCTION_VALUES:
                yield "function", _text(target), target
            elif not in_a_scope:
                declared_by = node.parent.child_by_field_name("kind") if node.parent is not None else None
                is_constant = declared_by is not None and _text(declared_by) == "const"
                yield ("constant" if is_constant else "variable"), _text(target), target
        case "public_field_definition" | "field_definition":
            value = node.child_by_field_name("value")
            target = node.child_by_field_name("name") or node.child_by_field_name("property")
            if value is not None and value.type in _FUNCTION_VALUES and target is not None:
                yield "method", _text(target), target
        case _:
            return


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


def syntax_errors(text: str, language: LanguageName) -> list[SyntaxProblem]:
    """Return the outermost errors in source order, at most MOST_ERRORS. Lines end with LF.

    A grammar that lags behind the language reports false errors: compare with the errors of the text before.
    """
    lines = text.split("\n")
    problems: list[SyntaxProblem] = []
    pending = [parse(text, language)]
    while pending and len(problems) < MOST_ERRORS:
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
        shown = first if len(first) <= _SHOWN_CHARACTERS else f"{first[:_SHOWN_CHARACTERS]}..."
        message = f"Syntax error at `{shown}`." if shown else "Syntax error."
    return SyntaxProblem(row, column_of(lines[row], column), end_row, column_of(lines[end_row], end_column), message)


def _text(node: "Node") -> str:
    return "" if node.text is None else node.text.decode("utf-8", "replace")
