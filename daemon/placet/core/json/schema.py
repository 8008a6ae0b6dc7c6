"""Walk through a JSON Schema: which keywords hold further schemas. Pure."""

from collections.abc import Callable
from typing import Any, cast

Schema = dict[str, Any]

_MAPS_OF_SCHEMAS = frozenset(("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"))
_LISTS_OF_SCHEMAS = frozenset(("allOf", "anyOf", "items", "oneOf", "prefixItems"))
_SCHEMAS = frozenset(
    (
        *("additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"),
        *("unevaluatedItems", "unevaluatedProperties"),
    )
)


def with_inner_schemas(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """Return the schema with every schema directly inside changed."""
    return {key: _changed(key, value, change) for key, value in schema.items()}


def _changed(key: str, value: Any, change: Callable[[Schema], Schema]) -> Any:
    if isinstance(value, dict):
        inner = cast("Schema", value)
        if key in _MAPS_OF_SCHEMAS:
            return {name: _if_schema(item, change) for name, item in inner.items()}
        return change(inner) if key in _SCHEMAS else inner
    if isinstance(value, list) and key in _LISTS_OF_SCHEMAS:
        return [_if_schema(item, change) for item in cast("list[Any]", value)]
    return value


def _if_schema(value: Any, change: Callable[[Schema], Schema]) -> Any:
    return change(cast("Schema", value)) if isinstance(value, dict) else value
