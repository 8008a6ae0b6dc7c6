"""Schemas of servers' tools, in the form that models accept. Pure."""

from collections.abc import Mapping
from typing import Any, cast

from placet.core.messages import JsonObject
from placet.tools.framework.portable_schema import BadSchema
from placet.tools.framework.schema import inline_schema

MOST_PIECES = 5000
"""Limit on a schema's values once references are followed; a few lines of references can grow to any size."""


def model_schema(schema: JsonObject) -> JsonObject:
    """Return an object's schema without references. Raises BadSchema."""
    named = {**_mapping(schema.get("definitions")), **_mapping(schema.get("$defs"))}
    sizes: dict[str, int] = {}
    if _pieces(schema, named, sizes, ()) > MOST_PIECES:
        raise BadSchema("it is too large")
    whole = {key: value for key, value in schema.items() if key not in ("$schema", "definitions")}
    try:
        plain = inline_schema({**whole, "$defs": named})
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BadSchema(f"it cannot be followed ({type(error).__name__}: {error})") from error
    if not isinstance(plain.get("properties", {}), dict):
        raise BadSchema("its properties are none")
    return {"properties": {}, **plain, "type": "object"}


def _pieces(schema: Any, named: Mapping[str, Any], sizes: dict[str, int], within: tuple[str, ...]) -> int:
    """Return the number of values when each reference is followed, but not into itself; each name is counted once."""
    if len(within) > 100:
        raise BadSchema("its references lead too deep")
    if isinstance(schema, list):
        return 1 + sum(_pieces(item, named, sizes, within) for item in cast("list[Any]", schema))
    if not isinstance(schema, dict):
        return 1
    values = cast("JsonObject", schema)
    total = 1
    reference = values.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        if name in named and name not in within:
            if name not in sizes:
                sizes[name] = _pieces(named[name], named, sizes, (*within, name))
            total += sizes[name]
    return total + sum(
        _pieces(value, named, sizes, within) for key, value in values.items() if key not in ("$defs", "definitions")
    )


def _mapping(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}
