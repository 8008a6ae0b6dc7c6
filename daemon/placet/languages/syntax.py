"""What a source text defines, by tree-sitter: kind, name and lines. Grammars are loaded when first asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LanguageName = Literal["python", "javascript", "typescript", "tsx"]

DefinitionKind = Literal[
    "class", "function", "method", "interface", "enum", "type", "namespace", "constant", "variable"
]

_SUFFIXES: Mapping[str, LanguageName] = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
}

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
"""`module` is also the root of a Python tree, which has no name and so defines nothing."""

_FUNCTION_VALUES = {"arrow_function", "function_expression", "generator_function"}
_TYPE_KINDS = {"class", "interface"}
_SCOPE_KINDS = {"class", "interface", "function", "method"}


@dataclass(frozen=True, slots=True)
class Definition:
    """A named thing; lines are 1-based, both ends included; `depth` counts the definitions around it."""

    kind: DefinitionKind
    name: str
    line: int
    end_line: int
    depth: int = 0


def language_of(path: str) -> LanguageName | None:
    """The language a file is in, by its suffix; None when there is no grammar for it here."""
    return _SUFFIXES.get(PurePath(path).suffix.lower())


def outline(text: str, language: LanguageName) -> tuple[Definition, ...]:
    """The definitions of `text` in source order. Broken code gives what can be recognised; lines end with LF."""
    root = _parser(language).parse(text.encode("utf-8", "surrogatepass")).root_node
    found: list[Definition] = []
    # An explicit stack: generated code nests deeper than Python recurses.
    pending: list[tuple[Node, tuple[DefinitionKind, ...]]] = [(root, ())]
    while pending:
        node, around = pending.pop()
        inside = around
        for kind, name in _defined_by(node, around):
            found.append(Definition(kind, name, node.start_point.row + 1, node.end_point.row + 1, len(around)))
            inside = (*around, kind)
        pending.extend((child, inside) for child in reversed(node.named_children))
    return tuple(found)


def _defined_by(node: "Node", around: tuple[DefinitionKind, ...]) -> Iterator[tuple[DefinitionKind, str]]:
    in_a_type = bool(around) and around[-1] in _TYPE_KINDS
    in_a_scope = any(kind in _SCOPE_KINDS for kind in around)
    match node.type:
        case declaration if declaration in _NAMED_BY_THEIR_NODE:
            if name := _text(node.child_by_field_name("name")).strip("'\""):
                kind = _NAMED_BY_THEIR_NODE[declaration]
                yield ("method" if kind == "function" and in_a_type else kind), name
        case "type_alias_statement":
            if left := _text(node.child_by_field_name("left")):
                yield "type", left.partition("[")[0]
        case "assignment":
            target = node.child_by_field_name("left")
            if not in_a_scope and target is not None and target.type == "identifier":
                name = _text(target)
                yield ("constant" if name.isupper() else "variable"), name
        case "variable_declarator":
            target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if target is None or target.type != "identifier":
                return
            if value is not None and value.type in _FUNCTION_VALUES:
                yield "function", _text(target)
            elif not in_a_scope:
                declared_by = node.parent.child_by_field_name("kind") if node.parent is not None else None
                yield ("constant" if _text(declared_by) == "const" else "variable"), _text(target)
        case "public_field_definition" | "field_definition":
            value = node.child_by_field_name("value")
            target = node.child_by_field_name("name") or node.child_by_field_name("property")
            if value is not None and value.type in _FUNCTION_VALUES and target is not None:
                yield "method", _text(target)
        case _:
            return


def _text(node: "Node | None") -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


@cache
def _parser(language: LanguageName) -> "Parser":
    from tree_sitter import Language, Parser

    match language:
        case "python":
            import tree_sitter_python

            grammar = tree_sitter_python.language()
        case "javascript":
            import tree_sitter_javascript

            grammar = tree_sitter_javascript.language()
        case "typescript":
            import tree_sitter_typescript

            grammar = tree_sitter_typescript.language_typescript()
        case "tsx":
            import tree_sitter_typescript

            grammar = tree_sitter_typescript.language_tsx()
    return Parser(Language(grammar))
