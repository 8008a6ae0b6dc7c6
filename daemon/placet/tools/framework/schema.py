"""JSON Schemas as models take them: no references, no titles, optional rather than nullable."""

from collections.abc import Mapping
from typing import Any

from placet.core.messages import JsonObject

_MAPS_OF_SCHEMAS = ("properties", "patternProperties")


def inline_schema(schema: JsonObject) -> JsonObject:
    """Return the same schema with each local `$ref` replaced by its target; a recursive target becomes any object.

    `null` goes from the alternatives and from the defaults: a parameter that may be left out is simply not required.
    Providers differ in the use of the rest of the vocabulary, so the rest stays.
    """
    return _plain(schema, schema.get("$defs", {}), ())


def _plain(schema: Any, definitions: Mapping[str, Any], within: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_plain(item, definitions, within) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if reference := schema.get("$ref"):
        name = str(reference).rpartition("/")[2]
        if name in within:
            return {"type": "object"}
        named = _plain(definitions[name], definitions, (*within, name))
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return {**named, **_plain(beside, definitions, within)}
    plain: JsonObject = {}
    for key, value in schema.items():
        if key in ("$defs", "title") or (key == "default" and value is None):
            continue
        if key in _MAPS_OF_SCHEMAS:
            plain[key] = {name: _plain(item, definitions, within) for name, item in value.items()}
        elif key in ("default", "const", "enum", "examples"):
            plain[key] = value
        else:
            plain[key] = _plain(value, definitions, within)
    return _without_null(plain)


def _without_null(schema: JsonObject) -> JsonObject:
    """Return X for `X or null`; the text beside the alternatives (a description) stays."""
    alternatives = schema.get("anyOf")
    if alternatives is None:
        return schema
    rest = [item for item in alternatives if item != {"type": "null"}]
    beside = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**rest[0], **beside} if len(rest) == 1 else {**beside, "anyOf": rest}
