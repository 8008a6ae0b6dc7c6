"""Schemas of other programs' tools in the form that every provider takes. Pure.

| in the schema | refused by | here |
|---|---|---|
| lists of `items`, `prefixItems` | Anthropic (draft 2020-12), OpenAI, Gemini | one choice for all items |
| `anyOf`, `oneOf`, `allOf` and the like at the top | Anthropic, OpenAI, Bedrock | the properties of all |
| names other than `[a-zA-Z0-9_.-]{1,64}` | Anthropic | a plain name, translated back in the call |
| `exclusiveMinimum: true`, `required: true` (drafts 3 and 4) | Anthropic | today's keyword |
| what is no JSON Schema | all | BadSchema |
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from placet.core.json.schema import with_inner_schemas
from placet.core.messages import JsonObject

_PLAIN_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_NOT_PLAIN = re.compile(r"[^a-zA-Z0-9_.-]")
_LONGEST = 64
_CHOICES = ("anyOf", "oneOf")
_NOT_AT_THE_TOP = frozenset((*_CHOICES, "allOf", "const", "else", "enum", "if", "not", "then"))
_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


class BadSchema(ValueError):
    """Error for a schema that no model can be given; the text says why."""


@dataclass(frozen=True, slots=True)
class PortableSchema:
    """Schema of an object for every provider, and what the schema cannot say itself."""

    schema: JsonObject
    note: str = ""
    """Sentence for the tool's description."""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """The tool's own names of properties, by the names in the schema."""

    def own_arguments(self, arguments: JsonObject) -> JsonObject:
        """Return the arguments of a call with the tool's own names."""
        return _renamed_keys(arguments, self.names) if self.names else arguments


def portable_schema(schema: JsonObject) -> PortableSchema:
    """Return the portable form of an object's schema without references. Raises BadSchema."""
    try:
        modern = _modern(schema)
        _check(modern)
        flat, note = _flat(modern)
        names: dict[str, str] = {}
        return PortableSchema(_with_plain_names(flat, names), note, names)
    except RecursionError as error:
        raise BadSchema("it is nested too deep") from error


def _modern(schema: JsonObject) -> JsonObject:
    """Return the schema with the keywords of older drafts in today's form, and without tuples."""
    made = with_inner_schemas({key: value for key, value in schema.items() if key != "$schema"}, _modern)
    for exclusive, bound in _BOUNDS.items():
        if isinstance(is_exclusive := made.get(exclusive), bool):
            del made[exclusive]
            if is_exclusive and bound in made:
                made[exclusive] = made.pop(bound)
    if isinstance(made.get("required"), bool):
        del made["required"]
    needed = [
        name
        for name, inner in _mapping(schema.get("properties")).items()
        if isinstance(inner, dict) and inner.get("required") is True
    ]
    if needed and isinstance(required := made.get("required", []), list):
        made["required"] = list(dict.fromkeys((*cast("list[str]", required), *needed)))
    for key in ("prefixItems", "items"):
        if isinstance(items := made.get(key), list):
            _join_items(made, key, cast("list[Any]", items))
    return made


def _join_items(made: JsonObject, key: str, items: Sequence[Any]) -> None:
    """Let a choice between the items stand for a tuple; the order of simple items is said in the description."""
    rest = made.pop("additionalItems", None) if key == "items" else made.get("items")
    del made[key]
    kinds = [item for item in (*items, *([rest] if isinstance(rest, dict) else [])) if isinstance(item, dict)]
    different = list({json.dumps(kind, sort_keys=True): kind for kind in cast("list[JsonObject]", kinds)}.values())
    made["items"] = different[0] if len(different) == 1 else {"anyOf": different} if different else {}
    if rest is False:
        made.setdefault("maxItems", len(items))
    order = ", ".join(str(cast("JsonObject", item).get("type", "any")) for item in items if isinstance(item, dict))
    if len(different) > 1:
        made["description"] = f"{made.get('description', '')} Items in this order: {order}.".strip()


def _check(schema: JsonObject) -> None:
    """Raise BadSchema unless the schema is valid under draft 2020-12."""
    # The package is loaded only where other programs offer tools.
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        where = ".".join(str(part) for part in error.absolute_path)
        raise BadSchema(f"{where or 'it'}: {error.message}"[:200]) from error


def _flat(schema: JsonObject) -> tuple[JsonObject, str]:
    """Return an object's schema without choices at the top, and a sentence about the choices."""
    made = {key: value for key, value in schema.items() if key not in _NOT_AT_THE_TOP}
    properties, required = dict(_mapping(made.get("properties"))), _names(made)
    for part in _schemas(schema, "allOf"):
        inner, _ = _flat(part)
        _add_properties(properties, inner)
        required += _names(inner)
    notes: list[str] = []
    for keyword in _CHOICES:
        choices = [_flat(choice)[0] for choice in _schemas(schema, keyword)]
        for choice in choices:
            _add_properties(properties, choice)
        if choices:
            required += [name for name in _names(choices[0]) if all(name in _names(other) for other in choices)]
            ways = list(dict.fromkeys(", ".join(_names(choice)) or "none" for choice in choices))
            notes.append(f"Give the arguments of one of these: {'; '.join(ways)}.")
    if required:
        made["required"] = list(dict.fromkeys(required))
    return {**made, "properties": properties, "type": "object"}, " ".join(notes)


def _add_properties(properties: JsonObject, part: JsonObject) -> None:
    """Add the properties of the part; where two parts differ about a property, each form is allowed."""
    for name, schema in _mapping(part.get("properties")).items():
        known = properties.get(name, schema)
        properties[name] = schema if known == schema else {"anyOf": [known, schema]}


def _with_plain_names(schema: JsonObject, names: dict[str, str]) -> JsonObject:
    """Return the schema with plain names of properties; adds each changed name with the original to `names`."""
    made = with_inner_schemas(schema, lambda inner: _with_plain_names(inner, names))
    if isinstance(properties := made.get("properties"), dict):
        plain = {name: _plain_name(name) for name in cast("JsonObject", properties)}
        names |= {new: name for name, new in plain.items() if new != name}
        made["properties"] = {plain[name]: inner for name, inner in cast("JsonObject", properties).items()}
        if isinstance(required := made.get("required"), list):
            made["required"] = [plain.get(name, name) for name in cast("list[str]", required)]
    return made


def _plain_name(name: str) -> str:
    """Return the name if every provider takes it, else a plain name that no other name becomes."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_NOT_PLAIN.sub('_', name)[: _LONGEST - len(digest) - 1]}_{digest}"


def _renamed_keys(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        items = cast("JsonObject", value).items()
        return {names.get(key, key): _renamed_keys(item, names) for key, item in items}
    return [_renamed_keys(item, names) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _schemas(schema: JsonObject, keyword: str) -> list[JsonObject]:
    return [item for item in schema.get(keyword) or () if isinstance(item, dict)]


def _names(schema: JsonObject) -> list[str]:
    return list(schema.get("required") or ())


def _mapping(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}
