"""The settings' schema as docs/SETTINGS.md, as LuaCATS types, and as the object that VS Code completes and checks."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

Json = dict[str, Any]

_TEXT = Path(__file__).parent / "texts" / "settings.md"
_LINE_WIDTH = 100
_PLAIN = {"string": "string", "boolean": "boolean", "integer": "integer", "number": "number", "null": "nil"}


def settings_page(schema: Json) -> str:
    """Return docs/SETTINGS.md."""
    return _TEXT.read_text("utf-8").replace("{table}", "\n".join(_tables(schema))).rstrip() + "\n"


def settings_luacats(schema: Json) -> str:
    """Return the LuaCATS types of the settings."""
    return "\n".join(_lua(schema)) + "\n"


def vscode_properties(schema: Json) -> Json:
    """Return the schema of VS Code's setting `placet.settings`.

    The setting is a single object: VS Code hands over the defaults of all settings that are declared in package.json,
    and the defaults would outweigh the user's files.
    """
    whole = inlined(schema)
    properties = {name: _for_vscode(field) for name, field in whole["properties"].items() if name != "$schema"}
    return {"properties": properties, "additionalProperties": False}


def with_vscode_properties(package: str, schema: Json) -> str:
    """Return the text of the extension's package.json with the present settings."""
    content = json.loads(package)
    content["contributes"]["configuration"]["properties"]["placet.settings"].update(vscode_properties(schema))
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def inlined(schema: Json) -> Json:
    """Return the schema with every reference replaced by its definition, as VS Code follows no references there."""
    definitions = schema["$defs"]

    def inline(part: Any) -> Any:
        if isinstance(part, list):
            return [inline(item) for item in part]
        if not isinstance(part, Mapping):
            return part
        if "$ref" in part:
            target = inline(definitions[part["$ref"].rpartition("/")[2]])
            return {**target, **{name: inline(value) for name, value in part.items() if name != "$ref"}}
        return {name: inline(value) for name, value in part.items()}

    left_out = ("$defs", "$schema")
    return inline({name: value for name, value in schema.items() if name not in left_out})


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
    """Return the group of settings behind a field, or None for a single setting. Permissions are a single setting."""
    name = field.get("$ref", "").rpartition("/")[2]
    definition = definitions.get(name, {})
    return definition if "properties" in definition else None


def _maps(properties: Json, definitions: Json, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the definition of each setting whose value maps names to objects."""
    for name, field in properties.items():
        if (section := _section(field, definitions)) is not None:
            yield from _maps(section["properties"], definitions, f"{prefix}{name}.")
        entry = (section or field).get("additionalProperties")
        if isinstance(entry, dict) and "$ref" in entry:
            entry_name = entry["$ref"].rpartition("/")[2]
            yield f"{prefix}{name}", entry_name
            yield from _maps(definitions[entry_name].get("properties", {}), definitions, f"{prefix}{name}.NAME.")


def _type(field: Json) -> str:
    """Return the type in a few words."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return "[rules](PERMISSIONS.md)" if name == "Permission" else "object"
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " | ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    if choices := field.get("anyOf"):
        return " | ".join(_type(choice) for choice in choices if choice.get("type") != "null")
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    if isinstance(entry := field.get("additionalProperties"), dict):
        return f"map to {_type(entry)}"
    return field.get("type", "any")


# ---------------------------------------------------------------- Lua


def _lua(schema: Json) -> Iterator[str]:
    yield "---@meta"
    yield "-- Generated by `make docs` from daemon/placet/settings. Do not edit."
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
        return "|".join(f"'{value}'" for value in field.get("enum", [field.get("const")]))
    if choices := field.get("anyOf"):
        return "|".join(dict.fromkeys(_lua_type(choice) for choice in choices if choice.get("type") != "null"))
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
    """Return the field without defaults: VS Code would write the defaults into a file in which the user begins an
    object.
    """
    if isinstance(field, list):
        return [_for_vscode(item) for item in cast("list[Any]", field)]
    if not isinstance(field, dict):
        return field
    entries = cast("Json", field)
    choices = entries.get("anyOf", ())
    if len(choices) == 2 and choices[1] == {"type": "null"} and "enum" not in choices[0]:  # Keeps package.json short.
        only = {**choices[0], "type": [choices[0]["type"], "null"]}
        entries = {**{name: value for name, value in entries.items() if name != "anyOf"}, **only}
    return {name: _for_vscode(value) for name, value in entries.items() if name != "default"}
