"""Tool schemas in the form which a provider takes (quirks.py). Pure."""

from typing import Any

from placet.core.json.schema import with_inner_schemas
from placet.core.messages import JsonObject
from placet.model.quirks import Quirks


def suited_schema(schema: JsonObject, quirks: Quirks) -> JsonObject:
    """Return the schema with the changes for the provider, or the schema itself if no change is needed."""
    if not (quirks.bare_references or quirks.one_item_schema or quirks.text_enums or quirks.strict_shapes):
        return schema
    return _suited(schema, quirks)


def _suited(schema: JsonObject, quirks: Quirks) -> JsonObject:
    if quirks.bare_references and isinstance(schema.get("$ref"), str):
        return {"$ref": schema["$ref"]}
    made = with_inner_schemas(schema, lambda inner: _suited(inner, quirks))
    if quirks.one_item_schema:
        _say_one_item(made)
    if quirks.text_enums and isinstance(values := made.get("enum"), list):
        made["enum"] = [value if isinstance(value, str) else _as_text(value) for value in values]
        if made.get("type") in {"integer", "number", "boolean"}:
            made["type"] = "string"
    if quirks.strict_shapes:
        _keep_shape(made)
    return made


def _say_one_item(made: JsonObject) -> None:
    """Let the first schema of a tuple stand for all."""
    tuple_schema = made.pop("prefixItems", None)
    items = made.get("items")
    for schemas in (items, tuple_schema):
        if isinstance(schemas, list):
            made["items"] = schemas[0] if schemas else {}
            return


def _keep_shape(made: JsonObject) -> None:
    kind = made.get("type")
    properties = made.get("properties")
    if kind is not None and kind != "object":
        for key in ("properties", "required", "additionalProperties"):
            made.pop(key, None)
    elif isinstance(required := made.get("required"), list) and isinstance(properties, dict):
        made["required"] = [name for name in required if name in properties]
    if kind == "array" and not made.get("items"):
        made["items"] = {"type": "string"}


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
