"""Answers of language servers, in lines for a model: `path:line:column: text`, counted from 1."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from placet.changes.propose.diagnostics_report import diagnostic_line
from placet.core.errors import DocumentError
from placet.core.messages import JsonObject
from placet.core.ports import DiagnosticsReport
from placet.project.paths import Workspace, from_uri, real
from placet.text.lines import split_lines
from placet.text.positions import column_at
from placet.tools.framework.access import reading
from placet.tools.framework.context import ToolContext

LIMIT = 100
MAX_LINE_CHARACTERS = 200

_KINDS = tuple(
    """
    file module namespace package class method property field constructor enum interface function variable constant
    string number boolean array object key null enum-member struct event operator type-parameter
    """.split()  # noqa: SIM905
)
"""LSP 3.17's SymbolKind, from 1."""


@dataclass(frozen=True, slots=True, order=True)
class CodePlace:
    """Position as LSP counts: 0-based, in UTF-16."""

    uri: str
    line: int
    character: int


class Places:
    """Texts of places, reading each file once; shows only content that the model may read."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._lines: dict[str, Sequence[str] | None] = {}

    def locations(self, result: Any) -> list[CodePlace]:
        """The distinct places of Location, Location[] or LocationLink[], in order, as far as they may be named."""
        places = {place for item in objects(result) if (place := _place(item)) is not None}
        return sorted(place for place in places if self._may_name(place.uri))

    def nameable(self, result: Any) -> list[JsonObject]:
        """Return the symbols or call items of a result outside of files that the rules refuse to read."""
        placed = ((item, _place(item.get("location", item))) for item in objects(result))
        return [symbol for symbol, place in placed if place is None or self._may_name(place.uri)]

    async def lines(self, places: Sequence[CodePlace]) -> str:
        shown = [await self._shown(place) for place in places[:LIMIT]]
        return self.capped(shown, len(places))

    async def symbols(self, symbols: Sequence[JsonObject]) -> str:
        """Return each SymbolInformation, WorkspaceSymbol or CallHierarchyItem on a line with its place."""
        shown: list[str] = []
        for symbol in symbols[:LIMIT]:
            place = _place(symbol.get("location", symbol))
            container = f" in {symbol['containerName']}" if symbol.get("containerName") else ""
            where = await self._where(place) if place is not None else "?"
            shown.append(f"{where}: {_named(symbol)}{container}")
        return self.capped(shown, len(symbols))

    def capped(self, lines: Sequence[str], total: int | None = None) -> str:
        total = len(lines) if total is None else total
        note = f"\n\n(The first {LIMIT} of {total}.)" if total > LIMIT else ""
        return "\n".join(lines[:LIMIT]) + note

    async def _shown(self, place: CodePlace) -> str:
        text = await self._text(place)
        where = await self._where(place)
        stripped = (text or "").strip()
        cut = f"{stripped[:MAX_LINE_CHARACTERS]}..." if len(stripped) > MAX_LINE_CHARACTERS else stripped
        return f"{where}: {cut}" if cut else where

    async def _where(self, place: CodePlace) -> str:
        path = from_uri(place.uri)
        name = self._context.workspace.name(path) if path is not None else place.uri
        text = await self._text(place)
        column = place.character if text is None else column_at(text, place.character, "utf-16")
        return f"{name}:{place.line + 1}:{column + 1}"

    async def _text(self, place: CodePlace) -> str | None:
        """The line the place is on; None if it cannot or may not be read."""
        if place.uri not in self._lines:
            self._lines[place.uri] = await self._read(place.uri)
        lines = self._lines[place.uri]
        return lines[place.line].rstrip("\r\n") if lines is not None and place.line < len(lines) else None

    async def _read(self, uri: str) -> Sequence[str] | None:
        path = from_uri(uri)
        if path is None or not self._may_read(path):
            return None
        try:
            return split_lines((await self._context.documents.read(path)).text)
        except DocumentError:
            return None

    def _may_name(self, uri: str) -> bool:
        path = from_uri(uri)
        return path is None or reading(self._context.workspace, path, self._context.judge) != "deny"

    def _may_read(self, path: Path) -> bool:
        workspace, judge = self._context.workspace, self._context.judge
        inside = workspace.contains(path)
        if not inside and judge("external_directory", f"{real(path).parent.as_posix()}/*") != "allow":
            return False
        return reading(workspace, path, judge) == "allow"


def objects(result: Any) -> list[JsonObject]:
    """Return the objects of a result with one object, several objects, or none."""
    candidates = cast("list[Any]", result) if isinstance(result, list) else [result]
    return [cast("JsonObject", candidate) for candidate in candidates if isinstance(candidate, dict)]


def outline(symbols: Iterable[JsonObject], depth: int = 0) -> list[str]:
    """DocumentSymbol[] (or the older SymbolInformation[]) as indented lines: `12: method name`."""
    lines: list[str] = []
    for symbol in symbols:
        span: JsonObject = symbol.get("selectionRange") or symbol.get("range") or symbol["location"]["range"]
        lines.append(f"{'  ' * depth}{span['start']['line'] + 1}: {_named(symbol)}")
        lines += outline(objects(symbol.get("children") or []), depth + 1)
    return lines


def hover_text(result: Any) -> str:
    """Return the text of a Hover: MarkupContent, a MarkedString, or a list of both."""
    hovers = objects(result)
    contents: Any = hovers[0].get("contents") if hovers else None
    pieces = cast("list[Any]", contents) if isinstance(contents, list) else [contents]
    return "\n\n".join(text for piece in pieces if (text := _marked(piece).strip()))


def signature_text(result: Any) -> str:
    """Return the signatures of a SignatureHelp, the active signature first, with the parameter being written."""
    helps = objects(result)
    signatures = objects(helps[0].get("signatures")) if helps else []
    active = int(helps[0].get("activeSignature") or 0) if helps else 0
    ordered = signatures[active : active + 1] + signatures[:active] + signatures[active + 1 :]
    return "\n\n".join(
        "\n".join(filter(None, (str(signature["label"]), _marked(signature.get("documentation")))))
        for signature in ordered
    )


def diagnostics_text(report: DiagnosticsReport, paths: Sequence[Path] | None, workspace: Workspace) -> str:
    """Return the diagnostics, the worst first, and whether the diagnostics are for the current text."""
    ordered = sorted(
        report.diagnostics,
        key=lambda diagnostic: (diagnostic.severity, diagnostic.path, diagnostic.line, diagnostic.column),
    )
    lines = [diagnostic_line(diagnostic, workspace) for diagnostic in ordered[:LIMIT]]
    more = report.truncated or len(ordered) > LIMIT
    if more:
        lines.append(f"(The first {len(lines)}; there are more.)")
    if paths is None:
        lines.append("(What is known now, of the files that somebody judges.)")
    elif set(paths) <= report.fresh:
        lines.append("(Fresh." + ("" if ordered else " There are none.") + ")")
    else:
        lines.append("(The text as it is now has not been judged yet; what is known may be outdated. Ask again later.)")
    of_proposed = ", asked by Placet about the proposed text" if report.is_proposed else ""
    lines.append(f"(From {report.provider}{of_proposed}.)" if report.provider else "")
    return "\n".join(filter(None, lines))


def _marked(piece: Any) -> str:
    if isinstance(piece, str):
        return piece
    marked = objects(piece)
    if not marked:
        return ""
    value, language = str(marked[0].get("value", "")), marked[0].get("language")
    return f"```{language}\n{value}\n```" if language else value


def _named(symbol: JsonObject) -> str:
    kind = symbol.get("kind", 0)
    word = _KINDS[kind - 1] if isinstance(kind, int) and 0 < kind <= len(_KINDS) else "symbol"
    detail = f"  {symbol['detail']}" if symbol.get("detail") else ""
    return f"{word} {symbol.get('name', '?')}{detail}"


def _place(location: JsonObject) -> CodePlace | None:
    """Return the place of a Location, a LocationLink or a CallHierarchyItem; a WorkspaceSymbol may lack a range."""
    uri = location.get("uri") or location.get("targetUri")
    span = (
        location.get("selectionRange")
        or location.get("targetSelectionRange")
        or location.get("range")
        or location.get("targetRange")
    )
    if not isinstance(uri, str):
        return None
    start = cast("JsonObject", span)["start"] if isinstance(span, dict) else {"line": 0, "character": 0}
    return CodePlace(uri, start["line"], start["character"])
