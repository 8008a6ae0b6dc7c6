"""Positions inside any LSP value, turned from one encoding into another. Pure: who has the texts gives the lines."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from placet.edits.positions import PositionEncoding, character_at, column_at

LineOf = Callable[[str, int], str | None]
"""The text of a line (URI, 0-based number) without its end; None where it is not known."""

_URI_KEYS = ("targetUri", "uri")
_OPAQUE = ("data", "arguments")
"""What belongs to a server alone and must reach it again as it was."""


def convert(value: Any, uri: str, source: PositionEncoding, target: PositionEncoding, line_of: LineOf) -> Any:
    """The value with every `{line, character}` in it turned over.

    A position belongs to the nearest `uri` around it, else to `uri`; in `changes` of a WorkspaceEdit its key. Where the
    line is not known the position stays as it is, which is right for ASCII.
    """
    if source == target:
        return value
    if isinstance(value, list):
        return [convert(one, uri, source, target, line_of) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    if _is_position(fields):
        line = line_of(uri, fields["line"])
        if line is None:
            return fields
        return {**fields, "character": character_at(line, column_at(line, fields["character"], source), target)}
    inner = _uri_in(fields, uri)

    def of(key: str, one: Any) -> Any:
        if key in _OPAQUE:
            return one
        if key == "changes" and isinstance(one, dict):
            by_uri = cast("dict[str, Any]", one)
            return {named: convert(edits, named, source, target, line_of) for named, edits in by_uri.items()}
        # A LocationLink's origin lies in the document that was asked about, not in the target's.
        return convert(one, uri if key == "originSelectionRange" else inner, source, target, line_of)

    return {key: of(key, one) for key, one in fields.items()}


def _is_position(fields: Mapping[str, Any]) -> bool:
    return set(fields) == {"line", "character"} and all(isinstance(one, int) for one in fields.values())


def _uri_in(fields: Mapping[str, Any], otherwise: str) -> str:
    for key in _URI_KEYS:
        if isinstance(fields.get(key), str):
            return fields[key]
    document = fields.get("textDocument")
    if isinstance(document, dict):
        inner = cast("dict[str, Any]", document).get("uri")
        if isinstance(inner, str):
            return inner
    return otherwise
