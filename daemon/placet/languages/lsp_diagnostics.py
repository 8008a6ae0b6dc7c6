"""Conversion of LSP's Diagnostic to Placet's and back. Pure; the caller has the texts and converts columns."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from placet.core.messages import JsonObject
from placet.core.ports import Diagnostic, RelatedPlace
from placet.project.paths import from_uri

ColumnOf = Callable[[Path, int, int], int]
"""Function from path, line (from 0) and `character` to a column, or from a column to `character`."""


def from_lsp(path: Path, value: JsonObject, column_of: ColumnOf) -> Diagnostic | None:
    """Return a diagnostic with columns in code points, or None without a range or message (LSP 3.17, Diagnostic)."""
    try:
        start, end = value["range"]["start"], value["range"]["end"]
        return Diagnostic(
            path=path,
            line=start["line"],
            column=column_of(path, start["line"], start["character"]),
            end_line=end["line"],
            end_column=column_of(path, end["line"], end["character"]),
            severity=value["severity"] if value.get("severity") in (1, 2, 3, 4) else 1,
            message=_text(value["message"]),
            source=str(value.get("source") or ""),
            code=_code(value.get("code")),
            related=tuple(_related(value.get("relatedInformation"))),
            data=value.get("data"),
        )
    except (KeyError, TypeError):
        return None


def to_lsp(diagnostic: Diagnostic, character_of: ColumnOf) -> JsonObject:
    """Return the diagnostic in the server's own form, for a request for code actions."""
    path = diagnostic.path
    value: JsonObject = {
        "range": {
            "start": {
                "line": diagnostic.line,
                "character": character_of(path, diagnostic.line, diagnostic.column),
            },
            "end": {
                "line": diagnostic.end_line,
                "character": character_of(path, diagnostic.end_line, diagnostic.end_column),
            },
        },
        "severity": diagnostic.severity,
        "message": diagnostic.message,
    }
    optional = {"source": diagnostic.source, "code": diagnostic.code, "data": diagnostic.data}
    return {**value, **{key: entry for key, entry in optional.items() if entry not in ("", None)}}


def _text(message: Any) -> str:
    """Return a string, or the string inside markup (LSP 3.18)."""
    return str(cast("JsonObject", message)["value"]) if isinstance(message, dict) else str(message)


def _code(value: Any) -> str:
    """Return the code as text: a code is a string, a number, or (in VS Code's own API) an object around either."""
    if isinstance(value, dict):
        value = cast("JsonObject", value).get("value")
    return "" if value is None else str(value)


def _related(value: Any) -> list[RelatedPlace]:
    places: list[RelatedPlace] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else []:
        location = item["location"]
        if (path := from_uri(location["uri"])) is not None:
            places.append(RelatedPlace(path, location["range"]["start"]["line"], str(item["message"])))
    return places
