import json
from typing import Literal

from pydantic import Field

from corpus_support import corpus
from placet.tools.framework.builtin import BUILTIN
from placet.tools.framework.define import AgentView, Arguments
from placet.tools.framework.schema import inline_schema


class Point(Arguments):
    title: str
    """A parameter may be called as a keyword is."""
    kind: Literal["a", "b"] = "a"


class Tree(Arguments):
    children: "tuple[Tree, ...]" = ()


class Everything(Arguments):
    file_path: str = Field(description="Where.")
    limit: int | None = Field(default=None, ge=1, description="How many.")
    either: int | str | None = None
    here: Point
    there: Point | None = None
    points: tuple[Point, ...] = ()


def test_references_are_inlined_titles_go_and_nulls_become_optional() -> None:
    schema = inline_schema(Everything.model_json_schema())
    point = {
        "properties": {"title": {"type": "string"}, "kind": {"default": "a", "enum": ["a", "b"], "type": "string"}},
        "required": ["title"],
        "type": "object",
    }
    assert schema == {
        "properties": {
            "filePath": {"type": "string", "description": "Where."},
            "limit": {"type": "integer", "minimum": 1, "description": "How many."},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "here": point,
            "there": point,
            "points": {"type": "array", "items": point, "default": []},
        },
        "required": ["filePath", "here"],
        "type": "object",
    }


def test_a_schema_that_holds_itself_ends_in_any_object() -> None:
    schema = inline_schema(Tree.model_json_schema())
    assert "$ref" not in json.dumps(schema)
    assert schema["properties"]["children"]["items"] == {"type": "object"}


@corpus("tool", BUILTIN)
async def test_the_built_in_schemas_are_plain(tool) -> None:
    ready = await tool.init(AgentView("build"))
    text = json.dumps(ready.schema)
    assert ready.schema["type"] == "object"
    for word in ("$ref", "$defs", "anyOf", '"null"', '"title"'):
        assert word not in text
    assert all(entry["description"] for entry in ready.schema["properties"].values())
