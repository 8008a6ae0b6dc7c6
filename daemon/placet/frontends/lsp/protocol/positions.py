"""Positions inside any LSP value, converted between encodings. Pure: the holder of the texts gives the lines."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from placet.text.positions import PositionEncoding, character_at, column_at

LineOf = Callable[[str, int], str | None]
"""Function returning the text of a line (URI, 0-based number) without the line's end; None for an unknown line."""

_URI_KEYS = ("targetUri", "uri")
_OPAQUE = ("data", "arguments")
"""Keys of a server's own data, which must reach the server again unchanged."""


def convert(value: Any, uri: str, source: PositionEncoding, target: PositionEncoding, line_of: LineOf) -> Any:
    """Return the value with every `{line, character}` inside converted.

    A position belongs to the nearest `uri` around the position, else to `uri`; in `changes` of a WorkspaceEdit to the
    key. Where the line is not known the position stays unchanged, which is right for ASCII.
    """
    if source == target:
        return value
    if isinstance(value, list):
        return [convert(item, uri, source, target, line_of) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    if _is_position(fields):
        line = line_of(uri, fields["line"])
        if line is None:
            return fields
        return {**fields, "character": character_at(line, column_at(line, fields["character"], source), target)}
    inner = _uri_in(fields, uri)

    def converted_field(key: str, item: Any) -> Any:
        if key in _OPAQUE:
            return item
        if key == "changes" and isinstance(item, dict):
            by_uri = cast("dict[str, Any]", item)
            return {named: convert(edits, named, source, target, line_of) for named, edits in by_uri.items()}
        # A LocationLink's origin lies in the requested document, not in the target's.
        return convert(item, uri if key == "originSelectionRange" else inner, source, target, line_of)

    return {key: converted_field(key, item) for key, item in fields.items()}


def _is_position(fields: Mapping[str, Any]) -> bool:
    return set(fields) == {"line", "character"} and all(isinstance(field, int) for field in fields.values())


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
