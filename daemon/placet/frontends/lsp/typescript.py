"""The wire as TypeScript types, from the same schema as docs/PROTOCOL.md. It makes clients/vscode/src/wire.ts."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from placet.frontends.lsp.wire import FROM_DAEMON, FROM_EDITOR

Json = Mapping[str, Any]
Direction = Literal["sent", "received"]
"""As the editor sees it. What it sends may leave out all that has a default; what it receives lacks only nulls."""

_ALIASES = {
    "Update": "SessionEvent['update']",
    "Part": "UserMessage['parts'][number]",
    "ToolState": "ToolPart['state']",
    "PromptPart": "Prompt['parts'][number]",
    "Message": "UserMessage | AssistantMessage",
}
"""Unions that have a name in Python and none in the schema."""

_TABLES = (
    ("EditorRequests", FROM_EDITOR, "request", "What the editor may ask of the daemon."),
    ("EditorNotifications", FROM_EDITOR, "notification", "What the editor may tell the daemon."),
    ("DaemonRequests", FROM_DAEMON, "request", "What the daemon may ask of the editor."),
    ("DaemonNotifications", FROM_DAEMON, "notification", "What the daemon may tell the editor."),
)


def types(schema: Json) -> str:
    """The module's text, from what `schema.schema()` returns."""
    writer = _Writer(schema["$defs"], _shapes(schema))
    lines = [
        "// Made by `placet schema --typescript`. Do not edit: change the Python classes, then `make docs`.",
        "",
        f"export const PROTOCOL = {schema['version']};",
    ]
    for name in sorted(schema["$defs"]):
        for direction in writer.directions(name):
            lines += ["", *writer.declaration(name, direction)]
    for name, meaning in _ALIASES.items():
        lines += ["", f"export type {name} = {meaning};"]
    for name, table, kind, about in _TABLES:
        lines += ["", f"/** {about} */", f"export interface {name} {{"]
        for method in (method for method, message in table.items() if message.kind == kind):
            lines += writer.method(method, schema["messages"][method])
        lines += ["}"]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _Writer:
    definitions: Json
    shapes: Mapping[str, frozenset[Direction]]
    """The directions in which a type travels."""

    def directions(self, name: str) -> tuple[Direction, ...]:
        """The forms a type needs: two when it goes both ways and reads differently."""
        both = self.shapes[name]
        if len(both) == 2 and self._has_two_forms(name):
            return ("received", "sent")
        return ("received",) if "received" in both else ("sent",)

    def declaration(self, name: str, direction: Direction) -> Iterator[str]:
        definition = self.definitions[name]
        yield from _comment(definition.get("description", ""), "")
        if "properties" not in definition and definition.get("type") != "object":
            yield f"export type {self._name(name, direction)} = {self._type(definition, direction)};"
            return
        yield f"export interface {self._name(name, direction)} {{"
        required = definition.get("required", ())
        for field, schema in definition.get("properties", {}).items():
            yield from _comment(schema.get("description", ""), "  ")
            mark = "" if field in required or _is_always_there(schema, direction) else "?"
            told = schema if mark == "" or direction == "sent" else _without_null(schema)
            yield f"  {field}{mark}: {self._type(told, direction)};"
        yield "}"

    def method(self, method: str, message: Json) -> Iterator[str]:
        asks: Direction = "sent" if message["from"] == "editor" else "received"
        answers: Direction = "received" if asks == "sent" else "sent"
        yield from _comment(message["description"], "  ")
        yield f"  '{method}': {{"
        yield f"    params: {self._type(message['params'], asks)};"
        if "result" in message:
            yield f"    result: {self._type(message['result'], answers)};"
        yield "  };"

    def _name(self, name: str, direction: Direction) -> str:
        is_second = direction == "sent" and self.directions(name) == ("received", "sent")
        return f"{name}Input" if is_second else name

    def _has_two_forms(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        definition = self.definitions[name]
        optional = [
            field
            for key, field in definition.get("properties", {}).items()
            if key not in definition.get("required", ()) and "const" not in field
        ]
        return bool(optional) or any(
            self._has_two_forms(other, seen | {name}) for other in _references(definition) - seen - {name}
        )

    def _type(self, field: Json, direction: Direction) -> str:
        if "$ref" in field:
            return self._name(_target(field["$ref"]), direction)
        if "const" in field:
            return _literal(field["const"])
        if "enum" in field:
            return " | ".join(_literal(one) for one in field["enum"])
        if choices := field.get("anyOf") or field.get("oneOf"):
            return " | ".join(dict.fromkeys(self._type(one, direction) for one in choices))
        match field.get("type"):
            case "array":
                item = self._type(field.get("items", {}), direction)
                return f"({item})[]" if " " in item else f"{item}[]"
            case "object":
                values = field.get("additionalProperties")
                return f"Record<string, {self._type(values, direction) if isinstance(values, dict) else 'unknown'}>"
            case "integer" | "number":
                return "number"
            case "string" | "boolean" | "null" as name:
                return name
            case _:
                return "unknown"


def _is_always_there(field: Json, direction: Direction) -> bool:
    """Nulls are left out of what the daemon sends, defaults are not; a tag is never left out."""
    return "const" in field or (direction == "received" and _without_null(field) == field)


def _without_null(field: Json) -> Json:
    choices = field.get("anyOf")
    if not choices:
        return field
    return {**field, "anyOf": [one for one in choices if one.get("type") != "null"]}


def _shapes(schema: Json) -> dict[str, frozenset[Direction]]:
    """For each type, whether the editor sends it, receives it, or both."""
    found: dict[str, set[Direction]] = {name: set() for name in schema["$defs"]}

    def mark(names: set[str], direction: Direction) -> None:
        for name in names:
            if direction not in found[name]:
                found[name].add(direction)
                mark(_references(schema["$defs"][name]), direction)

    for message in schema["messages"].values():
        asks: Direction = "sent" if message["from"] == "editor" else "received"
        mark(_references(message["params"]), asks)
        mark(_references(message.get("result", {})), "received" if asks == "sent" else "sent")
    return {name: frozenset(directions) for name, directions in found.items()}


def _references(value: Any) -> set[str]:
    return set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(value)))


def _target(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]


def _literal(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def _comment(text: str, indent: str) -> Iterator[str]:
    if told := " ".join(text.split()).replace("*/", "* /"):
        yield f"{indent}/** {told} */"
