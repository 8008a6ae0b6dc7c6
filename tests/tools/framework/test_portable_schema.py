"""Schemas of other programs' tools, in the form that every provider takes."""

import re
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from corpus_support import corpus
from placet.core.messages import JsonObject
from placet.tools.framework.portable_schema import BadSchema, portable_schema

NAMES = st.sampled_from(("a", "b", "a b", "é", "x" * 80, "c/d.$"))
LEAVES: st.SearchStrategy[JsonObject] = st.sampled_from(
    ({"type": "string"}, {"type": "number", "minimum": 0, "exclusiveMinimum": True}, {})
)


def an_object(properties: JsonObject, needed: int) -> JsonObject:
    return {"type": "object", "properties": properties, "required": [*properties][:needed]}


def a_tuple(items: list[JsonObject], key: str) -> JsonObject:
    return {"type": "array", key: items}


def a_choice(items: list[JsonObject], key: str) -> JsonObject:
    return {"type": "object", key: items}


def grown(schemas: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    some = st.lists(schemas, min_size=1, max_size=3)
    objects = st.builds(an_object, st.dictionaries(NAMES, schemas, max_size=3), st.integers(0, 2))
    tuples = st.builds(a_tuple, some, st.sampled_from(("items", "prefixItems")))
    return objects | tuples | st.builds(a_choice, some, st.sampled_from(("anyOf", "oneOf", "allOf")))


SCHEMAS: st.SearchStrategy[JsonObject] = st.recursive(LEAVES, grown, max_leaves=8)


def refusals(schema: JsonObject, place: str = "", *, is_top: bool = True) -> list[str]:
    """Why strict providers refuse the schema."""
    found = [f"{place} holds a list of items"] if isinstance(schema.get("items"), list) else []
    if "prefixItems" in schema or (schema.get("type") == "array" and "items" not in schema):
        found.append(f"{place} does not say its items")
    if is_top and {"anyOf", "oneOf", "allOf", "not", "enum", "const"} & schema.keys():
        found.append("a choice stands at the top")
    names: JsonObject = schema.get("properties") or {}
    found += [f"{place} names {name}" for name in names if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name)]
    inner: list[tuple[str, Any]] = [*names.items(), ("items", schema.get("items"))]
    inner += [(key, item) for key in ("anyOf", "oneOf", "allOf") for item in schema.get(key) or ()]
    for key, part in inner:
        if isinstance(part, dict):
            found += refusals(cast("JsonObject", part), f"{place}/{key}", is_top=False)
    return found


@given(SCHEMAS)
def test_no_provider_refuses_the_portable_form(schema: JsonObject) -> None:
    made = portable_schema({"type": "object", "properties": {"x": schema}, "anyOf": [schema]})
    assert refusals(made.schema) == []
    Draft202012Validator.check_schema(made.schema)
    assert made.schema["type"] == "object"


@corpus(
    ("schema", "portable"),
    [
        (
            {"properties": {"a": {"type": "array", "items": [{"type": "string"}, {"type": "number"}]}}},
            {
                "properties": {
                    "a": {
                        "type": "array",
                        "items": {"anyOf": [{"type": "string"}, {"type": "number"}]},
                        "description": "Items in this order: string, number.",
                    }
                }
            },
        ),
        (
            {"properties": {"a": {"type": "array", "items": [{"type": "string"}] * 2, "additionalItems": False}}},
            {"properties": {"a": {"type": "array", "items": {"type": "string"}, "maxItems": 2}}},
        ),
        (
            {"properties": {"n": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}}},
            {"properties": {"n": {"type": "integer", "exclusiveMinimum": 0}}},
        ),
        (
            {"properties": {"n": {"type": "string", "required": True}}},
            {"properties": {"n": {"type": "string"}}, "required": ["n"]},
        ),
        (
            {"allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}], "required": ["b"]},
            {"properties": {"a": {}, "b": {}}, "required": ["b", "a"]},
        ),
        ({"not": {"required": ["a"]}, "if": {}, "then": {}}, {"properties": {}}),
    ],
)
def test_an_old_or_rare_form_becomes_a_common_form(schema: JsonObject, portable: JsonObject) -> None:
    assert portable_schema({"type": "object", **schema}).schema == {"type": "object", **portable}


def test_of_choices_at_the_top_the_properties_stay_and_the_description_names_the_ways() -> None:
    made = portable_schema(
        {
            "type": "object",
            "properties": {"all": {"type": "boolean"}},
            "anyOf": [
                {"properties": {"id": {"type": "string"}, "of": {"type": "string"}}, "required": ["id", "of"]},
                {"properties": {"name": {"type": "string"}, "of": {"type": "number"}}, "required": ["name", "of"]},
            ],
        }
    )
    assert list(made.schema["properties"]) == ["all", "id", "of", "name"]
    assert made.schema["properties"]["of"] == {"anyOf": [{"type": "string"}, {"type": "number"}]}
    assert made.schema["required"] == ["of"]
    assert made.note == "Give the arguments of one of these: id, of; name, of."


def test_a_call_goes_back_to_the_tools_own_names_at_every_depth() -> None:
    inner = {"type": "object", "properties": {"x/y": {"type": "string"}, "plain": {}}, "required": ["x/y"]}
    made = portable_schema(
        {"type": "object", "properties": {"a b": {"type": "array", "items": inner}}, "required": ["a b"]}
    )
    [outer_name] = made.schema["properties"]
    items = made.schema["properties"][outer_name]["items"]
    [inner_name] = items["required"]
    assert (made.schema["required"], list(items["properties"])) == ([outer_name], [inner_name, "plain"])
    arguments = {outer_name: [{inner_name: "1", "plain": {"free": 2}}]}
    assert made.own_arguments(arguments) == {"a b": [{"x/y": "1", "plain": {"free": 2}}]}


@corpus(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "str"}}},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"a": {"enum": "x"}}},
        {"type": "object", "properties": {"a": {"minLength": "1"}}},
        {"type": "object", "required": "a"},
    ],
)
def test_what_is_no_schema_is_refused_with_its_place(schema: JsonObject) -> None:
    with pytest.raises(BadSchema, match=r"\w"):
        portable_schema(schema)
