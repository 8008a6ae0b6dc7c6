"""LanguageFeatures by tree-sitter and names alone: no server, always available, and only approximate."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from placet.core.errors import DocumentError, ToolError
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.core.ports import Diagnostic, DiagnosticsReport, Documents, FeatureAnswer, JsonValue
from placet.languages.grammar import LanguageName, language_of, siblings_of
from placet.languages.syntax import (
    Definition,
    DefinitionKind,
    Occurrence,
    name_at,
    occurrences,
    outline,
    syntax_errors,
)
from placet.project.paths import from_uri, is_directory
from placet.project.search import search_lines
from placet.text.lines import to_lf
from placet.text.positions import character_at, column_at

PROVIDER = "tree-sitter"
MOST_FILES = 200
"""Limit on files searched for an answer."""
_SYMBOL_KINDS: Mapping[DefinitionKind, int] = {
    "namespace": 3,
    "class": 5,
    "method": 6,
    "enum": 10,
    "interface": 11,
    "function": 12,
    "variable": 13,
    "constant": 14,
    "type": 26,
}
"""LSP 3.17's SymbolKind by kind of definition."""


class SyntaxFeatures:
    """Implementation of ports.LanguageFeatures over the texts on screen, in the folders that the user opened."""

    def __init__(self, documents: Documents, roots: Sequence[Path]) -> None:
        """Set up the features; `roots` is read for each answer."""
        self._documents = documents
        self._roots = roots

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        """Return the syntax errors of the paths with a grammar; without paths, return no diagnostics."""
        diagnostics: list[Diagnostic] = []
        fresh: set[Path] = set()
        for path in paths or ():
            if (read := await self._read(path)) is not None:
                text, language = read
                fresh.add(path)
                diagnostics += await in_thread(_diagnostics, path, text, language)
        unserved = frozenset(set(paths or ()) - fresh)
        return DiagnosticsReport(tuple(diagnostics), frozenset(fresh), provider=PROVIDER, unserved=unserved)

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        """Answer symbols, definitions and references, by name.

        Status `timeout` if the search of the files takes too long.
        """
        try:
            async with asyncio.timeout(timeout_seconds):
                result = await self._answer(method, params)
        except TimeoutError:
            return FeatureAnswer("timeout", providers=(PROVIDER,))
        except ToolError:
            return FeatureAnswer("noProvider")
        if result is None:
            return FeatureAnswer("noProvider")
        return FeatureAnswer("ok", result, (PROVIDER,), is_approximate=True)

    async def close(self) -> None:
        """Do nothing, as nothing was started."""

    async def _answer(self, method: str, params: JsonValue) -> list[JsonObject] | None:
        match method:
            case "textDocument/documentSymbol":
                return await self._document_symbols(params)
            case "workspace/symbol":
                return await self._workspace_symbols(params["query"])
            case "textDocument/definition":
                return await self._definitions(params)
            case "textDocument/references":
                return await self._references(params)
            case _:
                return None

    async def _document_symbols(self, params: JsonValue) -> list[JsonObject] | None:
        path = from_uri(params["textDocument"]["uri"])
        if path is None or (read := await self._read(path)) is None:
            return None
        text, language = read
        lines = text.split("\n")
        return _tree(
            [(definition, _symbol(definition, lines)) for definition in await in_thread(outline, text, language)]
        )

    async def _workspace_symbols(self, query: str) -> list[JsonObject]:
        symbols: list[JsonObject] = []
        for path in await self._files_with(query, (*siblings_of("python"), *siblings_of("typescript")), word=False):
            for definition, lines in await self._defined_in(path):
                if query.casefold() in definition.name.casefold():
                    location = {"uri": path.as_uri(), "range": _name_range(definition, lines)}
                    symbols.append(
                        {"name": definition.name, "kind": _SYMBOL_KINDS[definition.kind], "location": location}
                    )
        return symbols

    async def _definitions(self, params: JsonValue) -> list[JsonObject] | None:
        if (place := await self._name_of(params)) is None:
            return None
        path, name, language = place
        # The file's own definition hides the same name elsewhere.
        here = await self._definitions_in(path, name)
        if here:
            return here
        files = await self._files_with(name, siblings_of(language), word=True)
        return [definition for file in files for definition in await self._definitions_in(file, name)]

    async def _references(self, params: JsonValue) -> list[JsonObject] | None:
        if (place := await self._name_of(params)) is None:
            return None
        _, name, language = place
        references: list[JsonObject] = []
        for path in await self._files_with(name, siblings_of(language), word=True):
            if (read := await self._read(path)) is not None:
                text, its_language = read
                lines = text.split("\n")
                at = await in_thread(occurrences, text, its_language, name)
                references += [{"uri": path.as_uri(), "range": _range(occurrence, lines)} for occurrence in at]
        return references

    async def _name_of(self, params: JsonValue) -> tuple[Path, str, LanguageName] | None:
        """Return the file, the name at the place, and the language, or None without a name at the place."""
        path = from_uri(params["textDocument"]["uri"])
        if path is None or (read := await self._read(path)) is None:
            return None
        text, language = read
        lines, line = text.split("\n"), params["position"]["line"]
        if line >= len(lines):
            return None
        column = column_at(lines[line], params["position"]["character"], "utf-16")
        name = await in_thread(name_at, text, language, line + 1, column)
        return None if name is None else (path, name, language)

    async def _definitions_in(self, path: Path, name: str) -> list[JsonObject]:
        return [
            {"uri": path.as_uri(), "range": _name_range(definition, lines)}
            for definition, lines in await self._defined_in(path)
            if definition.name == name
        ]

    async def _defined_in(self, path: Path) -> list[tuple[Definition, list[str]]]:
        if (read := await self._read(path)) is None:
            return []
        text, language = read
        lines = text.split("\n")
        return [(definition, lines) for definition in await in_thread(outline, text, language)]

    async def _files_with(self, name: str, suffixes: Sequence[str], *, word: bool) -> list[Path]:
        """Return the files with the name, on disk or on screen, in the order of their paths; at most MOST_FILES."""

        def holds(text: str) -> bool:
            return name in text if word else name.casefold() in text.casefold()

        paths = {
            document.path
            for document in await self._documents.unsaved()
            if document.path.suffix.lower() in suffixes and holds(document.text)
        }
        whole = ("--word-regexp",) if word else ("--ignore-case",)
        globs = tuple(f"--glob=*{suffix}" for suffix in suffixes)
        for root in filter(is_directory, self._roots):

            async def take(names: list[bytes], root: Path = root) -> None:
                paths.update(root / name.decode("utf-8", "surrogateescape") for name in names)

            arguments = ("--files-with-matches", "--fixed-strings", *whole, *globs, f"--regexp={name}", ".")
            await search_lines(arguments, root, take)
        return sorted({Path(*path.parts) for path in paths})[:MOST_FILES]

    async def _read(self, path: Path) -> tuple[str, LanguageName] | None:
        """Return the text (LF) and the language, or None for a file without a grammar or an unreadable file."""
        if (language := language_of(path.name)) is None:
            return None
        try:
            return to_lf((await self._documents.read(path)).text), language
        except DocumentError:
            return None


def _diagnostics(path: Path, text: str, language: LanguageName) -> list[Diagnostic]:
    return [
        Diagnostic(path, error.line, error.column, error.end_line, error.end_column, 1, error.message, source=PROVIDER)
        for error in syntax_errors(text, language)
    ]


def _symbol(definition: Definition, lines: list[str]) -> JsonObject:
    last = min(definition.end_line, len(lines)) - 1
    return {
        "name": definition.name,
        "kind": _SYMBOL_KINDS[definition.kind],
        "range": {
            "start": {"line": definition.line - 1, "character": 0},
            "end": {"line": last, "character": character_at(lines[last], len(lines[last]), "utf-16")},
        },
        "selectionRange": _name_range(definition, lines),
        "children": [],
    }


def _tree(symbols: Sequence[tuple[Definition, JsonObject]]) -> list[JsonObject]:
    """Return the symbols as a tree: each symbol among the children of the symbol around."""
    top: list[JsonObject] = []
    around: list[JsonObject] = []
    for definition, symbol in symbols:
        del around[definition.depth :]
        (around[-1]["children"] if around else top).append(symbol)
        around.append(symbol)
    return top


def _name_range(definition: Definition, lines: list[str]) -> JsonObject:
    return _range(
        Occurrence(definition.name_line, definition.name_column, definition.name_column + len(definition.name)), lines
    )


def _range(at: Occurrence, lines: list[str]) -> JsonObject:
    line = lines[at.line - 1]
    return {
        "start": {"line": at.line - 1, "character": character_at(line, at.column, "utf-16")},
        "end": {"line": at.line - 1, "character": character_at(line, at.end_column, "utf-16")},
    }
