"""Forms of MCP servers as questions, and the user's answers as the servers take them."""

from typing import Any

import pytest

from corpus_support import corpus
from placet.extensions.mcp.elicitation import WrongAnswer, address_question, content, questions

TITLED = [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]
DEFAULTS: dict[str, tuple[dict[str, Any], Any, str]] = {
    "string": ({"type": "string", "default": "Ada"}, "Ada", "default: Ada"),
    "integer": ({"type": "integer", "default": 30}, 30, "default: 30"),
    "number": ({"type": "number", "default": 95.5}, 95.5, "default: 95.5"),
    "boolean": ({"type": "boolean", "default": False}, False, "default: No"),
    "enum": ({"type": "string", "enum": ["on", "off"], "default": "off"}, "off", "default: off"),
    "named enum": ({"enum": ["r", "g"], "enumNames": ["Red", "Green"], "default": "g"}, "g", "default: Green"),
    "titled enum": ({"type": "string", "oneOf": TITLED, "default": "r"}, "r", "default: Red"),
    "many": (
        {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "default": ["a", "c"]},
        ["a", "c"],
        "default: a, c",
    ),
    "whole number as JSON may write it": ({"type": "integer", "default": 5.0}, 5, "default: 5"),
    "number without a fraction": ({"type": "number", "default": 2}, 2.0, "default: 2"),
    "number among others": ({"enum": [0, 1, 2], "default": 1}, 1, "default: 1"),
    "falsehood beside zero": (
        {"enum": [0, False], "enumNames": ["Zero", "Off"], "default": False},
        False,
        "default: Off",
    ),
    "free list": ({"type": "array", "items": {"type": "string"}, "default": ["a", "c"]}, ["a", "c"], "default: a, c"),
    "titled many": ({"type": "array", "items": {"anyOf": TITLED}, "default": ["g"]}, ["g"], "default: Green"),
}


def form(field: dict[str, Any], *, required: bool = True) -> dict[str, Any]:
    return {"type": "object", "properties": {"it": field}, "required": ["it"] if required else []}


@corpus("kind", DEFAULTS)
def test_a_default_is_shown_and_stands_for_what_is_not_answered(kind: str) -> None:
    field, value, note = DEFAULTS[kind]
    for required in (True, False):
        schema = form(field, required=required)
        (question,) = questions("odd", "Which?", schema)
        assert note in question.question
        defaults = [option.label for option in question.options if option.description == "The default."]
        assert defaults == note.removeprefix("default: ").split(", ")
        given = content(schema, [[]])
        assert given == {"it": value}
        assert type(given["it"]) is type(value)


@corpus("word", ["nan", "inf", "-inf", "1e999", "many", "1.5.2"])
def test_what_json_has_no_number_for_is_no_number(word: str) -> None:
    with pytest.raises(WrongAnswer):
        content(form({"type": "number"}), [[word]])


def test_an_answer_outweighs_the_default() -> None:
    schema = form({"type": "boolean", "default": True})
    assert content(schema, [["No"]]) == {"it": False}


@corpus(
    "field",
    [
        {"type": "integer", "default": "many"},
        {"type": "string", "enum": ["on", "off"], "default": "other"},
        {"type": "array", "items": {"enum": ["a"]}, "default": ["a", "b"]},
        {"type": "string", "default": 5},
        {"type": "boolean", "default": "yes"},
        {"type": "boolean", "default": 1},
        {"type": "integer", "default": True},
        {"type": "integer", "default": 5.5},
        {"type": "integer", "default": None},
        {"type": "number", "default": "NaN"},
        {"type": "string", "default": {"a": 1}},
        {"enum": [0, 1], "default": True},
    ],
)
def test_a_default_that_the_field_could_not_take_is_none(field: dict[str, Any]) -> None:
    schema = form(field, required=False)
    (question,) = questions("odd", "Which?", schema)
    assert "default" not in question.question
    assert content(schema, [[]]) == {}


@corpus("url", ["file:///etc/passwd", "https://", "https://a.test/\u202e", "https://a.test/ b", "data:,x"])
def test_only_an_address_of_the_web_that_can_be_shown_is_offered(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        address_question("s", "Sign", url)
