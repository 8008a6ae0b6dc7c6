"""The settings' JSON Schema, and all that is made from it: each is up to date, and says what the tree takes."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from corpus_support import corpus
from placet.__main__ import main
from placet.settings import AgentSettings, ModelSettings, ProviderSettings, Section, Settings
from placet.settings.mcp import McpSettings
from placet.settings.schema import settings_schema
from scripts.protocol.generated import generated_files
from scripts.protocol.settings_forms import inlined, settings_page, vscode_properties

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "clients" / "vscode" / "package.json"
GENERATED = (
    ROOT / "docs" / "settings.schema.json",
    ROOT / "docs" / "SETTINGS.md",
    ROOT / "clients" / "neovim" / "lua" / "placet" / "_meta" / "settings.lua",
)

RIGHT: list[dict[str, Any]] = [
    {},
    {"$schema": "./settings.schema.json"},
    {"model": "a/b", "maxCost": {"turn": 0.5, "day": None}},
    {"permission": "allow"},
    {"permission": {"edit": "deny", "bash": {"git *": "allow", "rm *": {"action": "deny", "match": ["rm -r x"]}}}},
    {"agent": {"x": {"mode": "subagent", "maxSteps": 3, "tools": {"bash": False}, "permission": {"edit": "ask"}}}},
    {"command": {"x": {"template": "Do $1.", "argumentHint": "[what]", "subtask": True}}},
    {
        "mcp": {
            "waitSeconds": 0,
            "x": {"command": ["a"], "environment": {"A": "b"}},
            "y": {"url": "https://a", "oauth": {"scope": "s"}},
        }
    },
    {"diagnostics": {"minSeverity": "error"}, "languages": {"servers": {"x": {"enabled": False}}}},
]
WRONG: list[dict[str, Any]] = [
    {"modle": "a/b"},
    {"model": 3},
    {"permission": {"edit": "perhaps"}},
    {"permission": {"bash": {"x": {"match": []}}}},
    {"agent": {"x": {"mode": "boss"}}},
    {"command": {"x": {"description": "no template"}}},
    {"diagnostics": {"minSeverity": "fatal"}},
    {"maxCost": {"turn": -1}},
]


@pytest.fixture(scope="module")
def generated() -> dict[Path, str]:
    return generated_files(ROOT)


@corpus("file", GENERATED)
def test_what_is_made_from_the_settings_is_up_to_date(file: Path, generated: dict[Path, str]) -> None:
    assert file.read_text("utf-8") == generated[file], "make docs"


def test_the_vscode_extension_knows_the_settings_of_now(generated: dict[Path, str]) -> None:
    assert PACKAGE.read_text("utf-8") == generated[PACKAGE], "make docs"


def test_the_command_prints_the_schema_and_refuses_what_there_is_not(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["schema", "settings"]) == 0
    assert capfdbinary.readouterr().out == GENERATED[0].read_bytes()
    for wrong in (["settings", "--typescript"], ["--vscode"], ["nothing"]):
        with pytest.raises(SystemExit) as ended:
            main(["schema", *wrong])
        assert ended.value.code == 2
    assert main(["schema"]) == 0


@corpus("values", RIGHT)
def test_what_the_tree_takes_is_valid(values: dict[str, Any]) -> None:
    _settings().validate(values)
    _vscode().validate({name: one for name, one in values.items() if name != "$schema" and one is not None})
    Settings.model_validate({name: value for name, value in values.items() if name != "$schema"})


@corpus("values", WRONG)
def test_what_the_tree_refuses_is_not(values: dict[str, Any]) -> None:
    for schema in (_settings(), _vscode()):
        with pytest.raises(jsonschema.ValidationError):
            schema.validate(values)


def test_every_setting_is_in_the_schema_and_those_with_a_docstring_are_described() -> None:
    schema = settings_schema()
    groups = _below(Section)
    assert {Settings, AgentSettings, McpSettings, ModelSettings, ProviderSettings} <= set(groups)
    for model in groups:
        definition = schema if model is Settings else schema["$defs"][model.__name__]
        assert {field.alias for field in model.model_fields.values()} <= definition["properties"].keys() | {None}
        others = {"$ref": "#/$defs/McpServerSettings"} if model is McpSettings else False
        assert definition["additionalProperties"] == others
    assert schema["$defs"]["DiagnosticsSettings"]["properties"]["minSeverity"]["description"] == (
        "Weakest severity told to the agent."
    )


def test_nothing_refers_to_anything_once_it_is_inlined() -> None:
    assert "$ref" not in json.dumps(inlined(settings_schema()))
    assert "default" not in json.dumps(list(vscode_properties(settings_schema())["properties"]["diagnostics"].keys()))


def test_no_description_tells_of_the_code() -> None:
    for line in settings_page(settings_schema()).splitlines():
        assert ".py" not in line.replace("example `.py`", ""), line


@cache
def _settings() -> jsonschema.Draft202012Validator:
    return _checked(settings_schema())


@cache
def _vscode() -> jsonschema.Draft202012Validator:
    return _checked({"type": "object", **vscode_properties(settings_schema())})


def _checked(schema: dict[str, Any]) -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def _below(group: type[Section]) -> list[type[Section]]:
    return [below for direct in group.__subclasses__() for below in (direct, *_below(direct))]
