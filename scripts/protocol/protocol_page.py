"""docs/PROTOCOL.md: the messages that Placet adds to LSP, with the golden examples."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from scripts.protocol import generic_commands

Json = dict[str, Any]
Examples = dict[str, list[Json]]
"""Golden examples by method."""

_TEXTS = Path(__file__).parent / "texts"
_LINE_WIDTH = 100


def read_examples(directory: Path) -> Examples:
    """Return the golden messages: files with `method`, `params` and, for a request, `result`."""
    examples: Examples = {}
    for file in sorted(directory.glob("*.json")):
        example = json.loads(file.read_text("utf-8"))
        examples.setdefault(example["method"], []).append(example)
    return examples


def protocol_page(schema: Json, examples: Examples) -> str:
    """Return the page as Markdown, from the result of `protocol_schema`."""
    definitions, messages = schema["$defs"], schema["messages"]
    types = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(definitions)))
    lines = [(_TEXTS / "protocol.md").read_text("utf-8").rstrip()]
    for sender in ("editor", "daemon"):
        lines += ["", f"## From the {sender}"]
        for method, message in messages.items():
            if message["from"] != sender:
                continue
            lines += ["", f"### `{method}`", ""]
            lines += _message(message, definitions, types)
            lines += _examples(examples.get(method, []))
    lines += ["", *(_TEXTS / "generic.md").read_text("utf-8").rstrip().split("\n")]
    lines += ["", *generic_commands.table()]
    lines += ["", "## Types"]
    for name in sorted(types):
        lines += ["", f"### {name}", "", *_type(definitions[name])]
    return "\n".join(lines) + "\n"


def _message(message: Json, definitions: Json, types: set[str]) -> Iterator[str]:
    yield f"A {message['kind']}. {message['description']}"
    for key in ("params", "result"):
        if key not in message:
            continue
        name = message[key]["$ref"].rsplit("/", 1)[-1] if "$ref" in message[key] else "null"
        fields = [] if name in types or name == "null" else list(_fields(definitions[name]))
        if fields:
            yield from ("", f"`{key}`:", "", *fields)
        else:
            yield from ("", f"`{key}`: {name if name in types or name == 'null' else 'none'}")


def _examples(examples: list[Json]) -> Iterator[str]:
    for example in examples:
        for key in ("params", "result"):
            if key in example:
                yield from ("", f"Example of `{key}`:", "", "```json", _pretty(example[key]), "```")


def _type(definition: Json) -> Iterator[str]:
    if description := definition.get("description"):
        yield from (" ".join(description.split()), "")
    if "properties" in definition:
        yield from _fields(definition)
    else:
        yield f"`{_type_of(definition)}`"


def _fields(definition: Json) -> Iterator[str]:
    properties: Json = definition.get("properties", {})
    if not properties:
        return
    yield from ("| field | type | |", "|---|---|---|")
    for name, field in properties.items():
        optional = "" if name in definition.get("required", ()) or "const" in field else "?"
        about = " ".join(field.get("description", "").split()).replace("|", "\\|")
        yield f"| `{name}{optional}` | {_type_of(field)} | {about} |"


def _type_of(field: Json) -> str:
    """Return a type in a few words, escaped for a table's cell."""
    if "$ref" in field:
        return field["$ref"].rsplit("/", 1)[-1]
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " \\| ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    if choices := field.get("anyOf") or field.get("oneOf"):
        return " \\| ".join(_type_of(choice) for choice in choices if choice.get("type") != "null") or "null"
    if field.get("type") == "array":
        item = field.get("items", {})
        return f"list of {_type_of(item)}"
    if field.get("type") == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"map to {_type_of(field['additionalProperties'])}"
    return field.get("type", "any")


def _pretty(value: Any, indent: str = "") -> str:
    """Return JSON in which every value that fits stands on a single line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _LINE_WIDTH or not isinstance(value, dict | list):
        return line
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inner = indent + "  "
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(key)}: {_pretty(item, inner)}" for key, item in cast("Json", value).items()]
    else:
        items = [f"{inner}{_pretty(item, inner)}" for item in cast("list[Any]", value)]
    return "\n".join((opening, ",\n".join(items), indent + closing))
