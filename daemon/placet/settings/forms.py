"""The settings' schema as a table for people, as LuaCATS types, and as what VS Code completes and checks."""

import json
import sys
import textwrap
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

from placet.settings.schema import Json, inlined, settings_schema

Form = Literal["json", "markdown", "lua", "vscode"]

_LINE_WIDTH = 100
_PLAIN = {"string": "string", "boolean": "boolean", "integer": "integer", "number": "number", "null": "nil"}


def settings_as(form: Form) -> str:
    """The text, with a line feed at its end."""
    match form:
        case "json":
            return json.dumps(settings_schema(), indent=2, ensure_ascii=False) + "\n"
        case "markdown":
            text = (files("placet.settings") / "texts" / "settings.md").read_text("utf-8")
            return text.replace("{table}", "\n".join(_tables(settings_schema()))).rstrip() + "\n"
        case "lua":
            return "\n".join(_lua(settings_schema())) + "\n"
        case "vscode":
            return json.dumps(vscode_properties(), indent=2, ensure_ascii=False) + "\n"


def vscode_properties() -> Json:
    """What the setting `placet.settings` may hold.

    One object and not a setting each: VS Code hands over the defaults of all settings that it knows of, and these
    would outweigh the user's files.
    """
    schema = inlined(settings_schema())
    properties = {name: _for_vscode(field) for name, field in schema["properties"].items() if name != "$schema"}
    return {"properties": properties, "additionalProperties": False}


def with_vscode_properties(package: str) -> str:
    """The text of the extension's package.json with them."""
    content = json.loads(package)
    content["contributes"]["configuration"]["properties"]["placet.settings"].update(vscode_properties())
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


# ---------------------------------------------------------------- Markdown


def _tables(schema: Json) -> Iterator[str]:
    yield from _table("", schema["properties"], schema["$defs"])
    for path, name in _maps(schema["properties"], schema["$defs"], ""):
        definition = schema["$defs"][name]
        yield from ("", f"### `{path}.NAME`", "", definition.get("description", ""), "")
        yield from _table("", definition["properties"], schema["$defs"])


def _table(prefix: str, properties: Json, definitions: Json) -> Iterator[str]:
    yield from ("| setting | type | default | |", "|---|---|---|---|")
    yield from _rows(prefix, properties, definitions)


def _rows(prefix: str, properties: Json, definitions: Json) -> Iterator[str]:
    for name, field in properties.items():
        section = _section(field, definitions)
        if name == "$schema":
            continue
        if section is not None:
            yield from _rows(f"{prefix}{name}.", section["properties"], definitions)
            continue
        default = field.get("default")
        shown = "" if default in (None, "", [], {}) else f"`{json.dumps(default)}`"
        about = field.get("description", "").replace("|", "\\|")
        yield f"| `{prefix}{name}` | {_type(field).replace('|', chr(92) + '|')} | {shown} | {about} |"


def _section(field: Json, definitions: Json) -> Json | None:
    """The group of settings that the field is; permissions are none."""
    name = field.get("$ref", "").rpartition("/")[2]
    definition = definitions.get(name, {})
    return definition if "properties" in definition else None


def _maps(properties: Json, definitions: Json, prefix: str) -> Iterator[tuple[str, str]]:
    """Path and definition of each setting that holds things by name."""
    for name, field in properties.items():
        if (section := _section(field, definitions)) is not None:
            yield from _maps(section["properties"], definitions, f"{prefix}{name}.")
        entry = (section or field).get("additionalProperties")
        if isinstance(entry, dict) and "$ref" in entry:
            yield f"{prefix}{name}", entry["$ref"].rpartition("/")[2]


def _type(field: Json) -> str:
    """In a few words."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return "[rules](PERMISSIONS.md)" if name == "Permission" else "object"
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " | ".join(f"`{json.dumps(one)}`" for one in field["enum"])
    if choices := field.get("anyOf"):
        return " | ".join(_type(one) for one in choices if one.get("type") != "null")
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    if isinstance(entry := field.get("additionalProperties"), dict):
        return f"map to {_type(entry)}"
    return field.get("type", "any")


# ---------------------------------------------------------------- Lua


def _lua(schema: Json) -> Iterator[str]:
    yield "---@meta"
    yield "-- Made by `placet schema settings --lua`. Do not edit: change the Python classes, then `make docs`."
    yield "error('Cannot require a meta file')"
    yield from _lua_class("Settings", schema)
    for name, definition in schema["$defs"].items():
        if "properties" in definition:
            yield from _lua_class(f"settings.{name}", definition)


def _lua_class(name: str, definition: Json) -> Iterator[str]:
    yield ""
    yield from _comment(definition.get("description", ""))
    yield f"---@class placet.{name}"
    for key, field in definition["properties"].items():
        if key == "$schema":
            continue
        yield from _comment(field.get("description", ""))
        yield f"---@field {key}? {_lua_type(field)}"
    if isinstance(entry := definition.get("additionalProperties"), dict):
        yield f"---@field [string] {_lua_type(entry)}"


def _lua_type(field: Json) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return "string|table<string, any>" if name == "Permission" else f"placet.settings.{name}"
    if "const" in field or "enum" in field:
        return "|".join(f"'{one}'" for one in field.get("enum", [field.get("const")]))
    if choices := field.get("anyOf"):
        return "|".join(dict.fromkeys(_lua_type(one) for one in choices if one.get("type") != "null"))
    if field.get("type") == "array":
        item = _lua_type(field.get("items", {}))
        return f"({item})[]" if "|" in item else f"{item}[]"
    if isinstance(entry := field.get("additionalProperties"), dict):
        return f"table<string, {_lua_type(entry)}>"
    return _PLAIN.get(field.get("type", ""), "table" if field.get("type") == "object" else "any")


def _comment(text: str) -> Iterator[str]:
    yield from (f"---{line}" for line in textwrap.wrap(text, _LINE_WIDTH - 3))


# ---------------------------------------------------------------- VS Code


def _for_vscode(field: Any) -> Any:
    """No defaults: VS Code would write them into a file in which the user begins an object."""
    if isinstance(field, list):
        return [_for_vscode(one) for one in cast("list[Any]", field)]
    if not isinstance(field, dict):
        return field
    entries = cast("Json", field)
    choices = entries.get("anyOf", ())
    if len(choices) == 2 and choices[1] == {"type": "null"} and "enum" not in choices[0]:  # In one line, not six.
        only = {**choices[0], "type": [choices[0]["type"], "null"]}
        entries = {**{name: value for name, value in entries.items() if name != "anyOf"}, **only}
    return {name: _for_vscode(value) for name, value in entries.items() if name != "default"}


if __name__ == "__main__":  # For `make docs`: the extension's package.json.
    package = Path(sys.argv[1])
    package.write_text(with_vscode_properties(package.read_text("utf-8")), "utf-8")
