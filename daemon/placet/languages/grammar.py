"""Grammars by the suffix of a file; each grammar is loaded at the first use."""

from collections.abc import Mapping
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LanguageName = Literal["python", "javascript", "typescript", "tsx"]

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


def language_of(path: str) -> LanguageName | None:
    """Return the language of a file, by the suffix, or None without a grammar for the suffix."""
    return _SUFFIXES.get(PurePath(path).suffix.lower())


def siblings_of(language: LanguageName) -> tuple[str, ...]:
    """Return the suffixes of files that may name definitions of a file in the language."""
    related = {language} if language == "python" else {"javascript", "typescript", "tsx"}
    return tuple(suffix for suffix, name in _SUFFIXES.items() if name in related)


def parse(text: str, language: LanguageName) -> "Node":
    """Return the root of the text's tree. Broken code has a tree too; lines end with LF."""
    return _parser(language).parse(text.encode("utf-8", "surrogatepass")).root_node


def column_of(line: str, byte_column: int) -> int:
    """Return the column in code points for a tree's column, which counts bytes of UTF-8."""
    if line.isascii():
        return byte_column
    return len(line.encode("utf-8", "surrogatepass")[:byte_column].decode("utf-8", "replace"))


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
