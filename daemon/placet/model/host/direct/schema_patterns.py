"""Regular expressions in the schemas of tools: OpenAI takes only expressions which Python knows. Pure."""

import re
from typing import Any, cast

import msgspec

from placet.model.host.direct.wire import NotDirect

JsonObject = dict[str, Any]

_HOLDS_NAMED_SCHEMAS = {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
_HOLDS_SCHEMAS = {"allOf", "anyOf", "items", "oneOf", "prefixItems"}
_HOLDS_A_SCHEMA = {
    *("additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"),
    *("unevaluatedItems", "unevaluatedProperties"),
}


def without_foreign_patterns(schema: JsonObject) -> JsonObject:
    """Return the schema without the expressions which Python does not know. Raises NotDirect.

    A schema loses only a hint for the model with such an expression.
    """
    # A walk through a schema takes much longer than the encoder.
    return _cleaned(schema) if b'"pattern' in msgspec.json.encode(schema) else schema


def _cleaned(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    items = cast("JsonObject", schema).items()
    return {key: _inner(key, value) for key, value in items if key != "pattern" or _is_known(value)}


def _inner(key: str, value: Any) -> Any:
    if key in _HOLDS_NAMED_SCHEMAS and isinstance(value, dict):
        schemas = cast("JsonObject", value)
        if key == "patternProperties" and not all(map(_is_known, schemas)):
            raise NotDirect("the schema of a tool names properties by an expression which Python does not know")
        return {name: _cleaned(inner) for name, inner in schemas.items()}
    if key in _HOLDS_SCHEMAS and isinstance(value, list):
        return [_cleaned(inner) for inner in cast("list[Any]", value)]
    return _cleaned(value) if key in _HOLDS_A_SCHEMA else value


def _is_known(pattern: Any) -> bool:
    """Return whether Python knows the expression; anything but a text is no expression."""
    try:
        re.compile(pattern if isinstance(pattern, str) else "")
    except (re.error, RecursionError):
        return False
    return True
