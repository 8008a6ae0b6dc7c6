"""The settings as a JSON Schema, with the docstrings under the fields as descriptions."""

import ast
import copy
import inspect
import itertools
import json
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from placet.settings import mcp, model_options, models, providers

Json = dict[str, Any]

_MODULES = (models, model_options, mcp, providers)
"""Modules with the groups of settings."""
_ACTION = {"enum": ["allow", "ask", "deny"]}
_EXAMPLES = {"type": "array", "items": {"type": "string"}}
_RULE = {
    "anyOf": [
        _ACTION,
        {
            "type": "object",
            "properties": {"action": _ACTION, "match": _EXAMPLES, "notMatch": _EXAMPLES, "not_match": _EXAMPLES},
            "required": ["action"],
            "additionalProperties": False,
        },
    ]
}
_PERMISSION = {
    "description": (
        "Action for everything, or actions by permission, or by permission and pattern; the last matching pattern wins."
    ),
    "anyOf": [
        _ACTION,
        {
            "type": "object",
            "additionalProperties": {"anyOf": [_ACTION, {"type": "object", "additionalProperties": _RULE}]},
        },
    ],
}


def main() -> int:
    """Print the schema: `placet schema settings`."""
    sys.stdout.buffer.write((json.dumps(settings_schema(), indent=2, ensure_ascii=False) + "\n").encode())
    return 0


def settings_schema() -> Json:
    """Return the JSON Schema of `placet.json`. References stand under `$defs`."""
    whole = models.Settings.model_json_schema(by_alias=True)
    agent = models.AgentSettings.model_json_schema(by_alias=True)
    definitions: Json = {**whole.pop("$defs"), **agent.pop("$defs", {}), "AgentSettings": agent}
    definitions["Permission"] = copy.deepcopy(_PERMISSION)
    whole["properties"]["agent"]["additionalProperties"] = {"$ref": "#/$defs/AgentSettings"}
    described = {name: fields for module in _MODULES for name, fields in field_docstrings(module).items()}
    for name, definition in (("Settings", whole), *definitions.items()):
        model = next((vars(module)[name] for module in _MODULES if name in vars(module)), None)
        bases = reversed(model.__mro__) if model is not None else ()
        texts = {field: text for base in bases for field, text in described.get(base.__name__, {}).items()}
        _describe(definition, texts)
        if model is not None:
            _with_other_names(definition, model)
    for definition in (whole, agent):
        about = definition["properties"]["permission"].get("description", "")
        definition["properties"]["permission"] = {"$ref": "#/$defs/Permission", "description": about}
    schema = {"type": "string", "description": "The JSON Schema of this file, for editors."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **whole,
        "title": "Placet's settings",
        "description": "placet.json and placet.jsonc: docs/SETTINGS.md.",
        "properties": {"$schema": schema, **whole["properties"]},
        "$defs": dict(sorted(definitions.items())),
    }


def field_docstrings(module: ModuleType) -> dict[str, dict[str, str]]:
    """The docstrings under the fields, by class and name on the wire; read here, as pydantic would on every start."""
    return {
        node.name: {
            to_camel(field.target.id): inspect.cleandoc(text.value.value)
            for field, text in itertools.pairwise(node.body)
            if isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        }
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.ClassDef)
    }


def _describe(definition: Json, docstrings: Mapping[str, str]) -> None:
    definition.pop("title", None)
    if "description" in definition:
        definition["description"] = _first_paragraph(definition["description"])
    for name, field in definition.get("properties", {}).items():
        field.pop("title", None)
        if name in docstrings:
            field["description"] = _first_paragraph(docstrings[name])


def _with_other_names(definition: Json, model: type[BaseModel]) -> None:
    """Add the further names of a setting, which are the names in other programs."""
    for field in model.model_fields.values():
        first, *others = _names(field)
        for other in others:
            about = f"Another name of `{first}`."
            definition["properties"][other] = {**definition["properties"][first], "description": about}


def _names(field: FieldInfo) -> tuple[str, ...]:
    alias = field.validation_alias
    return tuple(map(str, alias.choices)) if isinstance(alias, AliasChoices) else (str(field.alias),)


def _first_paragraph(text: str) -> str:
    """Return the first paragraph, which is for users; the rest of a docstring is for readers of the code."""
    return " ".join(inspect.cleandoc(text).partition("\n\n")[0].split())
