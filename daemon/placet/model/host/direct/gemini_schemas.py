"""Schemas of tools in Gemini's form, a part of OpenAPI's: https://ai.google.dev/api/caching#Schema. Pure.

The form follows litellm's (tests/model/test_direct_contract_gemini.py).
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from placet.model.host.errors import NotDirect

Schema = dict[str, Any]

_FIELDS = {
    *("type", "format", "title", "description", "nullable", "default", "items", "minItems", "maxItems", "enum"),
    *("properties", "propertyOrdering", "required", "minProperties", "maxProperties", "minimum", "maximum"),
    *("minLength", "maxLength", "pattern", "example", "anyOf"),
}
_FORMATS = {"enum", "date-time"}
_CHOICES = {"anyOf", "oneOf", "allOf"}
_COMPOUND = {"object", "array"}
_DEEPEST = 50


def cleaned(schema: Mapping[str, Any]) -> Schema:
    """Return the schema of a function's parameters. Raises NotDirect."""
    return _cleaned(_resolved(schema, schema.get("$defs", {}), ()), 0, in_choice=False)


def _resolved(value: Any, definitions: Mapping[str, Any], chain: tuple[str, ...]) -> Any:
    """Return the value with the definition in place of each reference. Raises NotDirect."""
    if isinstance(value, list):
        return [_resolved(item, definitions, chain) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    schema = cast("Schema", value)
    if "definitions" in schema or (chain and "$defs" in schema) or "strict" in schema:
        raise NotDirect("the schema of a tool has definitions in several places, or the keyword `strict`")
    if "$ref" not in schema:
        return {key: _resolved(item, definitions, chain) for key, item in schema.items() if key != "$defs"}
    name = str(schema["$ref"]).rpartition("/")[2]
    if name in chain or not isinstance(definition := definitions.get(name), dict):
        raise NotDirect("a reference in the schema of a tool has no end")
    return _resolved(definition, definitions, (*chain, name))


def _cleaned(given: Any, depth: int, *, in_choice: bool) -> Schema:
    """Return the schema without what Gemini refuses; `in_choice`: the schema stands below an `anyOf`."""
    if not isinstance(given, dict) or depth > _DEEPEST:
        raise NotDirect("the schema of a tool has an unknown form")
    schema = dict(cast("Schema", given))
    if "anyOf" in schema and not in_choice:
        schema["anyOf"] = _without_null(schema["anyOf"])
    if isinstance(kinds := schema.get("type"), list):
        _say_kinds_as_choice(schema, cast("list[Any]", kinds))
    if isinstance(values := schema.get("enum"), list):
        _clean_enum(schema, cast("list[Any]", values), in_choice=in_choice)
    if schema.get("type") == "array" and not schema.get("items"):
        schema["items"] = {"type": "object"}
    if not schema.keys() & {"type", *_CHOICES}:
        schema["type"] = "object"
    _clean_properties(schema)
    if choices := schema.get("anyOf"):
        named = {key: schema[key] for key in ("title", "description") if schema.get(key)}
        return {"anyOf": [_cleaned({**choice, **named}, depth + 1, in_choice=True) for choice in choices]}
    return {
        key: _clean_field(key, value, depth, in_choice=in_choice)
        for key, value in schema.items()
        if key in _FIELDS and (key != "format" or value in _FORMATS)
    }


def _clean_field(key: str, value: Any, depth: int, *, in_choice: bool) -> Any:
    match key:
        case "properties":
            named = cast("Mapping[str, Any]", value)
            return {name: _cleaned(schema, depth + 1, in_choice=in_choice) for name, schema in named.items()}
        case "items":
            return _cleaned(value, depth + 1, in_choice=in_choice)
        case _:
            return value


def _without_null(choices: Any) -> list[Schema]:
    """Return the choices; where `null` is a choice, the other choices are nullable. Raises NotDirect."""
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in cast("list[Any]", choices)):
        raise NotDirect("the schema of a tool has an unknown form")
    schemas = cast("list[Schema]", choices)
    others = [schema for schema in schemas if schema.get("type") != "null"]
    if not others or len(others) < len(schemas) - 1:
        raise NotDirect("the schema of a tool has no choice but `null`")
    nullable = {"nullable": True} if len(others) < len(schemas) else {}
    return [{**(schema or {"type": "object"}), **nullable} for schema in others]


def _say_kinds_as_choice(schema: Schema, kinds: Sequence[Any]) -> None:
    """Say a list of types as a choice between types. Raises NotDirect."""
    if len(kinds) == 1:
        schema["type"] = kinds[0]
        return
    if "anyOf" in schema or not kinds or not all(isinstance(kind, str) for kind in kinds) or _COMPOUND & {*kinds}:
        raise NotDirect("the schema of a tool has an unknown form")
    del schema["type"]
    schema["anyOf"] = [{"type": kind} for kind in kinds]


def _clean_enum(schema: Schema, values: Sequence[Any], *, in_choice: bool) -> None:
    """Drop the values of another type than text: Gemini knows lists of texts only."""
    choices = cast("list[Any]", schema.get("anyOf") or [])
    kinds = (cast("Schema", choice).get("type") for choice in choices if isinstance(choice, dict))
    if "string" not in (schema.get("type"), *kinds):
        del schema["enum"]
    elif not in_choice:
        schema["enum"] = [None if value == "" else value for value in values]


def _clean_properties(schema: Schema) -> None:
    if (properties := schema.get("properties")) is None:
        return
    if not isinstance(properties, dict):
        raise NotDirect("the schema of a tool has an unknown form")
    schema["type"] = "object"
    if schema.get("required", ()) is None or not properties:
        schema.pop("required", None)
    if not properties:
        del schema["properties"]
