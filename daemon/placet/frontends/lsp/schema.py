"""`placet schema`: the wire as JSON Schema, as docs/PROTOCOL.md with the golden examples, or as types for a client."""

import json
import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from placet import events, messages
from placet.frontends.lsp import (
    agent_messages,
    change_messages,
    completion_messages,
    editor_messages,
    luacats,
    plain_commands,
    typescript,
)
from placet.frontends.lsp.methods import PROTOCOL_VERSION
from placet.frontends.lsp.wire import FROM_DAEMON, FROM_EDITOR, Message
from placet.sessions import store, usage
from placet.settings.schema import field_docstrings

Json = dict[str, Any]
Examples = dict[str, list[Json]]
"""Golden examples by method."""

GOLDEN = Path(__file__).parents[4] / "tests" / "wire" / "golden"
"""Directory of the examples in a checkout; an installed Placet has no examples."""

_LINE_WIDTH = 100


def main(form: Literal["json", "markdown", "typescript", "lua"] = "json") -> int:
    """Print the schema in the given form."""
    match form:
        case "json":
            text = json.dumps(schema(), indent=2) + "\n"
        case "markdown":
            text = document(read_examples(GOLDEN))
        case "typescript":
            text = typescript.types(schema())
        case "lua":
            text = luacats.types(schema())
    sys.stdout.buffer.write(text.encode())
    return 0


def schema() -> Json:
    """Return all messages, and under `$defs` the types used by messages. A property which is not required may be
    absent.
    """
    models = [model for message in _all().values() for model in (message.params, message.result) if model]
    references, definitions = models_json_schema([(model, "validation") for model in dict.fromkeys(models)])

    def reference(model: type[BaseModel] | None) -> Json:
        return {"type": "null"} if model is None else references[model, "validation"]

    for name, docstrings in _field_docstrings().items():
        for field, docstring in docstrings.items():
            if field in (properties := definitions["$defs"].get(name, {}).get("properties", {})):
                properties[field]["description"] = docstring
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Placet's additions to LSP",
        "version": PROTOCOL_VERSION,
        "messages": {
            method: {
                "from": "editor" if method in FROM_EDITOR else "daemon",
                "kind": message.kind,
                "description": _prose(message.params),
                "params": reference(message.params),
            }
            | ({"result": reference(message.result)} if message.kind == "request" else {})
            for method, message in _all().items()
        },
        "$defs": definitions["$defs"],
    }


def read_examples(directory: Path) -> Examples:
    """Return the golden messages: files with `method`, `params` and, for a request, `result`."""
    examples: Examples = {}
    for file in sorted(directory.glob("*.json")):
        example = json.loads(file.read_text("utf-8"))
        examples.setdefault(example["method"], []).append(example)
    return examples


def document(examples: Examples) -> str:
    """Return the whole document as Markdown."""
    whole = schema()
    definitions = whole["$defs"]
    types = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(definitions)))
    lines = [(files("placet.frontends.lsp") / "texts" / "protocol.md").read_text("utf-8").rstrip()]
    for title, table in (("From the editor", FROM_EDITOR), ("From the daemon", FROM_DAEMON)):
        lines += ["", f"## {title}"]
        for method in table:
            lines += ["", f"### `{method}`", ""]
            lines += _message(whole["messages"][method], definitions, types)
            lines += _examples(examples.get(method, []))
    lines += ["", *(files("placet.frontends.lsp") / "texts" / "plain.md").read_text("utf-8").rstrip().split("\n")]
    lines += ["", *plain_commands.table()]
    lines += ["", "## Types"]
    for name in sorted(types):
        lines += ["", f"### {name}", "", *_type(definitions[name])]
    return "\n".join(lines) + "\n"


def _field_docstrings() -> dict[str, dict[str, str]]:
    """Return the docstrings under the fields, by class and wire name; read here, as pydantic would read them on every
    start.
    """
    found: dict[str, dict[str, str]] = {}
    for module in (
        messages,
        events,
        store,
        usage,
        agent_messages,
        change_messages,
        completion_messages,
        editor_messages,
    ):
        found |= field_docstrings(module)
    return found


def _all() -> dict[str, Message]:
    return {**FROM_EDITOR, **FROM_DAEMON}


def _prose(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


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
        return " \\| ".join(f"`{json.dumps(one)}`" for one in field["enum"])
    if choices := field.get("anyOf") or field.get("oneOf"):
        return " \\| ".join(_type_of(one) for one in choices if one.get("type") != "null") or "null"
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
        items = [f"{inner}{json.dumps(key)}: {_pretty(one, inner)}" for key, one in cast("Json", value).items()]
    else:
        items = [f"{inner}{_pretty(one, inner)}" for one in cast("list[Any]", value)]
    return "\n".join((opening, ",\n".join(items), indent + closing))
