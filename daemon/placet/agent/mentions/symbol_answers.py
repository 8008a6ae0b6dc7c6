"""Answers of language servers about symbols, in all the shapes which LSP has, as flat lists. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from placet.core.messages import JsonObject, LineRange


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    name: str
    kind: int
    """SymbolKind of LSP."""
    container: str
    """Name of the symbol around this symbol, as far as the server gives a name."""
    uri: str
    """URI of the file, where symbols of several files are listed."""
    lines: LineRange
    """Lines of the whole symbol in an outline, elsewhere the range which the server gives."""


def read_symbols(answer: Any, container: str = "") -> Iterator[NamedSymbol]:
    """Yield the symbols in a result of `textDocument/documentSymbol` or `workspace/symbol`, in the order of the answer.

    Symbols without a name are left out. Some servers put the parameters behind a function's name; the parameters are
    dropped.
    """
    for symbol in _objects(answer):
        name = str(symbol.get("name", "")).partition("(")[0].strip()
        if not name:
            continue
        location = _object(symbol.get("location"))
        kind = symbol.get("kind")
        yield NamedSymbol(
            name,
            kind if isinstance(kind, int) else 0,
            container or str(symbol.get("containerName") or ""),
            str(location.get("uri", "")),
            _lines(_object(symbol.get("range") or location.get("range"))),
        )
        yield from read_symbols(symbol.get("children"), name)


def _lines(span: JsonObject) -> LineRange:
    first, last = _position(span.get("start")), _position(span.get("end"))
    # An end before a line's first character leaves the line out.
    end = last[0] - 1 if last > first and last[1] == 0 else last[0]
    return LineRange(start=first[0] + 1, end=max(first[0], end) + 1)


def _position(value: Any) -> tuple[int, int]:
    fields = _object(value)
    line, character = fields.get("line"), fields.get("character")
    return (line if isinstance(line, int) else 0), (character if isinstance(character, int) else 0)


def _objects(value: Any) -> list[JsonObject]:
    candidates = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("JsonObject", candidate) for candidate in candidates if isinstance(candidate, dict)]


def _object(value: Any) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}
