"""The wire as TypeScript types, written to clients/vscode/src/wire.ts."""

import json
from collections.abc import Iterator
from typing import assert_never

from placet.frontends.lsp.wire_types import (
    Choice,
    Constant,
    Definition,
    Json,
    ListOf,
    MapOf,
    Method,
    Named,
    Plain,
    Record,
    Type,
    wire_types,
)

_PLAIN = {"integer": "number", "any": "unknown"}
"""TypeScript's names of plain types, where the names differ."""


def types(schema: Json) -> str:
    """Return the module's text, from the result of `schema.schema()`."""
    wire = wire_types(schema)
    lines = [
        "// Made by `placet schema --typescript`. Do not edit: change the Python classes, then `make docs`.",
        "",
        f"export const PROTOCOL = {wire.version};",
    ]
    for declaration in (*wire.declarations, *wire.unions):
        lines += ["", *_declaration(declaration)]
    for table in wire.tables:
        lines += ["", f"/** {table.about} */", f"export interface {table.name} {{"]
        for method in table.methods:
            lines += _method(method)
        lines += ["}"]
    return "\n".join(lines) + "\n"


def _declaration(declaration: Record | Definition) -> Iterator[str]:
    yield from _comment(declaration.about, "")
    if isinstance(declaration, Definition):
        yield f"export type {declaration.name} = {_type(declaration.type)};"
        return
    yield f"export interface {declaration.name} {{"
    for field in declaration.fields:
        yield from _comment(field.about, "  ")
        yield f"  {field.name}{'?' if field.is_optional else ''}: {_type(field.type)};"
    yield "}"


def _method(method: Method) -> Iterator[str]:
    yield from _comment(method.about, "  ")
    yield f"  '{method.name}': {{"
    yield f"    params: {_type(method.params)};"
    if method.result is not None:
        yield f"    result: {_type(method.result)};"
    yield "  };"


def _type(of: Type) -> str:
    match of:
        case Plain(name):
            return _PLAIN.get(name, name)
        case Constant(value):
            return f"'{value}'" if isinstance(value, str) else json.dumps(value)
        case Named(name):
            return name
        case Choice(choices):
            return " | ".join(dict.fromkeys(map(_type, choices)))
        case ListOf(item):
            text = _type(item)
            return f"({text})[]" if " " in text else f"{text}[]"
        case MapOf(values):
            return f"Record<string, {_type(values)}>"
        case _:
            assert_never(of)


def _comment(text: str, indent: str) -> Iterator[str]:
    if text:
        yield f"{indent}/** {text.replace('*/', '* /')} */"
