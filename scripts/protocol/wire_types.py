"""Types of the wire as an editor sees the types, in no language: typescript.py and luacats.py write them."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Json = Mapping[str, Any]
Direction = Literal["sent", "received"]
"""Direction of a message as the editor sees the message. A sent message may leave out every field with a default; a
received message lacks only nulls.
"""


@dataclass(frozen=True, slots=True)
class Plain:
    name: Literal["string", "boolean", "integer", "number", "null", "any"]


@dataclass(frozen=True, slots=True)
class Constant:
    value: Any


@dataclass(frozen=True, slots=True)
class Named:
    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Choice between two or more distinct types."""

    types: tuple["Type", ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    item: "Type"


@dataclass(frozen=True, slots=True)
class MapOf:
    """Map from names to values."""

    values: "Type"


Type = Plain | Constant | Named | Choice | ListOf | MapOf


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: Type
    is_optional: bool
    about: str


@dataclass(frozen=True, slots=True)
class Record:
    name: str
    fields: tuple[Field, ...]
    about: str


@dataclass(frozen=True, slots=True)
class Definition:
    """Name for a type that is no record."""

    name: str
    type: Type
    about: str


@dataclass(frozen=True, slots=True)
class Method:
    name: str
    params: Type
    result: Type | None
    """None for a notification."""
    about: str


@dataclass(frozen=True, slots=True)
class MethodTable:
    name: str
    methods: tuple[Method, ...]
    about: str


@dataclass(frozen=True, slots=True)
class WireTypes:
    version: int
    declarations: tuple[Record | Definition, ...]
    unions: tuple[Definition, ...]
    """Unions with a name in Python and no name in the schema."""
    tables: tuple[MethodTable, ...]


_UNIONS = (
    ("Update", "SessionEvent", "update"),
    ("Part", "UserMessage", "parts"),
    ("ToolState", "ToolPart", "state"),
    ("PromptPart", "Prompt", "parts"),
)
"""Name of a union, and a record and field that hold the union or a list of the union."""

_TABLES = (
    ("EditorRequests", "editor", "request", "Requests from the editor to the daemon."),
    ("EditorNotifications", "editor", "notification", "Notifications from the editor to the daemon."),
    ("DaemonRequests", "daemon", "request", "Requests from the daemon to the editor."),
    ("DaemonNotifications", "daemon", "notification", "Notifications from the daemon to the editor."),
)


def wire_types(schema: Json) -> WireTypes:
    """Return the types of the wire, from the result of `protocol_schema`. A type whose sent and received forms differ
    has two declarations.
    """
    reader = _Reader(schema["$defs"], _directions(schema))
    declarations = tuple(
        reader.declaration(name, direction) for name in sorted(schema["$defs"]) for direction in reader.directions(name)
    )
    records = {record.name: record for record in declarations if isinstance(record, Record)}
    return WireTypes(
        version=schema["version"],
        declarations=declarations,
        unions=(
            *(_union(name, records[record], field) for name, record, field in _UNIONS),
            Definition("Message", Choice((Named("UserMessage"), Named("AssistantMessage"))), ""),
        ),
        tables=tuple(
            MethodTable(
                name,
                tuple(
                    reader.method(method, message)
                    for method, message in schema["messages"].items()
                    if (message["from"], message["kind"]) == (sender, kind)
                ),
                about,
            )
            for name, sender, kind, about in _TABLES
        ),
    )


def _union(name: str, record: Record, field: str) -> Definition:
    of = next(candidate for candidate in record.fields if candidate.name == field).type
    return Definition(name, of.item if isinstance(of, ListOf) else of, "")


@dataclass(frozen=True, slots=True)
class _Reader:
    definitions: Json
    travels: Mapping[str, frozenset[Direction]]
    """Directions in which a type travels."""

    def directions(self, name: str) -> tuple[Direction, ...]:
        """Return the forms that a type needs: two when the type travels both ways and the forms differ."""
        both = self.travels[name]
        if len(both) == 2 and self._has_two_forms(name):
            return ("received", "sent")
        return ("received",) if "received" in both else ("sent",)

    def declaration(self, name: str, direction: Direction) -> Record | Definition:
        definition = self.definitions[name]
        about = _prose(definition)
        if "properties" not in definition and definition.get("type") != "object":
            return Definition(self._name(name, direction), self._type(definition, direction), about)
        return Record(self._name(name, direction), tuple(self._fields(definition, direction)), about)

    def method(self, name: str, message: Json) -> Method:
        asks: Direction = "sent" if message["from"] == "editor" else "received"
        answers: Direction = "received" if asks == "sent" else "sent"
        return Method(
            name,
            params=self._type(message["params"], asks),
            result=self._type(message["result"], answers) if "result" in message else None,
            about=_prose(message),
        )

    def _fields(self, definition: Json, direction: Direction) -> Iterator[Field]:
        required = definition.get("required", ())
        for name, schema in definition.get("properties", {}).items():
            is_optional = name not in required and not _is_always_there(schema, direction)
            present = _without_null(schema) if is_optional and direction == "received" else schema
            yield Field(name, self._type(present, direction), is_optional, _prose(schema))

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

    def _type(self, field: Json, direction: Direction) -> Type:
        if "$ref" in field:
            return Named(self._name(_target(field["$ref"]), direction))
        if "const" in field:
            return Constant(field["const"])
        if "enum" in field:
            return _choice(Constant(value) for value in field["enum"])
        if choices := field.get("anyOf") or field.get("oneOf"):
            return _choice(self._type(choice, direction) for choice in choices)
        match field.get("type"):
            case "array":
                return ListOf(self._type(field.get("items", {}), direction))
            case "object":
                values = field.get("additionalProperties")
                return MapOf(self._type(values, direction) if isinstance(values, dict) else Plain("any"))
            case "integer" | "number" | "string" | "boolean" | "null" as name:
                return Plain(name)
            case _:
                return Plain("any")


def _choice(types: Iterator[Type]) -> Type:
    distinct = tuple(dict.fromkeys(types))
    return distinct[0] if len(distinct) == 1 else Choice(distinct)


def _is_always_there(field: Json, direction: Direction) -> bool:
    """Return whether a message always holds the field. The daemon leaves out nulls and keeps defaults; a tag is never
    left out.
    """
    return "const" in field or (direction == "received" and _without_null(field) == field)


def _without_null(field: Json) -> Json:
    choices = field.get("anyOf")
    if not choices:
        return field
    return {**field, "anyOf": [choice for choice in choices if choice.get("type") != "null"]}


def _directions(schema: Json) -> dict[str, frozenset[Direction]]:
    """Return, for each type, the directions in which the type travels."""
    directions: dict[str, set[Direction]] = {name: set() for name in schema["$defs"]}

    def mark(names: set[str], direction: Direction) -> None:
        for name in names:
            if direction not in directions[name]:
                directions[name].add(direction)
                mark(_references(schema["$defs"][name]), direction)

    for message in schema["messages"].values():
        asks: Direction = "sent" if message["from"] == "editor" else "received"
        mark(_references(message["params"]), asks)
        mark(_references(message.get("result", {})), "received" if asks == "sent" else "sent")
    return {name: frozenset(both) for name, both in directions.items()}


def _references(value: Any) -> set[str]:
    return set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(value)))


def _target(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]


def _prose(schema: Json) -> str:
    return " ".join(schema.get("description", "").split())
