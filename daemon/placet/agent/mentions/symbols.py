"""Name in the code to which the user points: the definition, or the candidates if several exist."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from placet.agent.mentions.file_references import attach_path
from placet.agent.mentions.reference_context import ReferenceContext
from placet.core.errors import DocumentError
from placet.core.messages import JsonObject, LineRange, Part, TextPart
from placet.core.ports import LanguageFeatures
from placet.languages.syntax_features import SyntaxFeatures
from placet.project.paths import from_uri
from placet.text.lines import split_lines
from placet.tools.framework.access import names_of

LOOK_UP_SECONDS = 3.0
MOST_CANDIDATES = 20
MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True, order=True)
class Place:
    path: Path
    line: int
    """Line, 0-based."""


def may_be_symbol(name: str) -> bool:
    """Return whether the text has the form of a name in code: `greet`, `Greeter.greet`, `greeter::greet`."""
    return all(piece.isidentifier() for piece in _pieces(name))


async def attach_symbol(name: str, context: ReferenceContext) -> tuple[Part, ...]:
    """Return the parts which show the definition, or a part which lists the candidates; none for an unknown name."""
    places = await _find(name, context)
    match places:
        case []:
            return ()
        case [place]:
            return await _definition(name, place, context)
        case _:
            lines = [await _line(place, context) for place in places[:MOST_CANDIDATES]]
            more = f"\n({len(places) - MOST_CANDIDATES} more.)" if len(places) > MOST_CANDIDATES else ""
            candidates = f"`{name}`, which the user names, may be any of these:\n" + "\n".join(lines) + more
            return (TextPart(text=candidates, synthetic=True),)


def _pieces(name: str) -> list[str]:
    return name.replace("::", ".").split(".")


async def _find(name: str, context: ReferenceContext) -> list[Place]:
    """Return the places where the project defines exactly this name: by the language servers, else by the syntax."""
    workspace = context.workspace
    for features in (context.features, SyntaxFeatures(context.documents, workspace.roots)):
        places = {place for place in await _asked(name, features) if workspace.contains(place.path)}
        if places := {place for place in places if _may_be_shown(place.path, context)}:
            return sorted(places)
    return []


async def _asked(name: str, features: LanguageFeatures) -> list[Place]:
    *around, last = _pieces(name)
    answer = await features.request("workspace/symbol", {"query": last}, timeout_seconds=LOOK_UP_SECONDS)
    symbols = [symbol for symbol in _objects(answer.result) if _named(symbol, last)]
    if around:
        symbols = [symbol for symbol in symbols if _pieces(str(symbol.get("containerName") or ""))[-1] == around[-1]]
    return [place for symbol in symbols if (place := _place(symbol)) is not None]


def _may_be_shown(path: Path, context: ReferenceContext) -> bool:
    return all(context.judge("read", name) == "allow" for name in names_of(context.workspace, path))


def _named(symbol: JsonObject, name: str) -> bool:
    """Return whether the symbol has this name; some servers put the parameters behind a function's name."""
    return str(symbol.get("name", "")).partition("(")[0].strip() == name


def _place(symbol: JsonObject) -> Place | None:
    """Return the place of a SymbolInformation or a WorkspaceSymbol; the latter's location may lack a range.

    Source: LSP 3.17, workspace/symbol.
    """
    [location] = _objects(symbol.get("location")) or [{}]
    path = from_uri(str(location.get("uri", "")))
    return None if path is None else Place(path, _start(location))


def _start(located: JsonObject) -> int:
    span = located.get("range")
    return int(span["start"]["line"]) if isinstance(span, dict) else 0


async def _definition(name: str, place: Place, context: ReferenceContext) -> tuple[Part, ...]:
    where = f"{context.workspace.name(place.path)}:{place.line + 1}"
    introduction = TextPart(text=f"`{name}`, which the user names, is defined at {where}.", synthetic=True)
    return (introduction, *await attach_path(place.path, await _extent(name, place, context), context))


async def _extent(name: str, place: Place, context: ReferenceContext) -> LineRange:
    """Return the lines of the whole definition; the first line alone if nobody knows more."""
    params = {"textDocument": {"uri": place.path.as_uri()}}
    last = _pieces(name)[-1]
    for features in (context.features, SyntaxFeatures(context.documents, context.workspace.roots)):
        answer = await features.request("textDocument/documentSymbol", params, timeout_seconds=LOOK_UP_SECONDS)
        spans = [
            (start, end) for start, end in _spans(_objects(answer.result), last) if start <= place.line <= end > start
        ]
        if spans:
            start, end = max(spans)
            return LineRange(start=start + 1, end=end + 1)
    return LineRange(start=place.line + 1, end=place.line + 1)


def _spans(symbols: list[JsonObject], name: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each symbol of the name, at any depth."""
    for symbol in symbols:
        span: Any = symbol.get("range") or (symbol.get("location") or {}).get("range")
        if _named(symbol, name) and span:
            yield int(span["start"]["line"]), int(span["end"]["line"])
        yield from _spans(_objects(symbol.get("children")), name)


async def _line(place: Place, context: ReferenceContext) -> str:
    where = f"{context.workspace.name(place.path)}:{place.line + 1}"
    try:
        lines = split_lines((await context.documents.read(place.path)).text)
    except DocumentError:
        return where
    return f"{where}: {lines[place.line].strip()[:MOST_CHARACTERS]}" if place.line < len(lines) else where


def _objects(value: Any) -> list[JsonObject]:
    candidates = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [cast("JsonObject", candidate) for candidate in candidates if isinstance(candidate, dict)]
