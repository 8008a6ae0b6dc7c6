"""The wire as LuaCATS types, written to clients/neovim/lua/placet/_meta/wire.lua, which is never loaded."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import assert_never

from placet.frontends.lsp.wire_types import (
    Choice,
    Constant,
    Definition,
    Json,
    ListOf,
    MapOf,
    MethodTable,
    Named,
    Plain,
    Record,
    Type,
    wire_types,
)

_PREFIX = "placet.wire."
_LINE_WIDTH = 100
_NULL = Plain("null")

_HEAD = """\
---@meta
-- Made by `placet schema --lua`. Do not edit: change the Python classes, then `make docs`.
error('Cannot require a meta file')
"""


def types(schema: Json) -> str:
    """Return the file's text, from the result of `schema.schema()`."""
    wire = wire_types(schema)
    unions = {union.type: union.name for union in wire.unions}
    lines = [
        _HEAD,
        f"---@alias {_PREFIX}Protocol {wire.version}",
        "",
        *_comment("`vim.NIL`, where a field must be there."),
        f"---@alias {_PREFIX}Null userdata",
    ]
    for declaration in wire.declarations:
        lines += ["", *_declaration(declaration, unions)]
    for union in wire.unions:
        lines += ["", *_declaration(union, {})]
    for table in wire.tables:
        lines += ["", *_table(table, unions)]
    return "\n".join(lines) + "\n"


def _declaration(declaration: Record | Definition, unions: Mapping[Type, str]) -> Iterator[str]:
    yield from _comment(declaration.about)
    if isinstance(declaration, Definition):
        yield from _alias(declaration, unions)
        return
    yield f"---@class {_PREFIX}{declaration.name}"
    for field in declaration.fields:
        yield from _comment(field.about)
        mark, of = ("?", _without_null(field.type)) if field.is_optional else ("", field.type)
        yield f"---@field {field.name}{mark} {_type(of, unions)}"


def _alias(definition: Definition, unions: Mapping[Type, str]) -> Iterator[str]:
    if not isinstance(definition.type, Choice):
        yield f"---@alias {_PREFIX}{definition.name} {_type(definition.type, unions)}"
        return
    yield f"---@alias {_PREFIX}{definition.name}"
    for one in definition.type.types:
        yield f"---| {_type(one, unions)}"


def _table(table: MethodTable, unions: Mapping[Type, str]) -> Iterator[str]:
    yield from _comment(table.about)
    yield f"---@class {_PREFIX}{table.name}"
    for method in table.methods:
        yield from _comment(method.about)
        told = f"params: {_type(method.params, unions)}"
        if method.result is not None:
            told += f", result: {'nil' if method.result == _NULL else _type(method.result, unions)}"
        yield f"---@field ['{method.name}'] {{ {told} }}"


def _without_null(of: Type) -> Type:
    """Return the type without null: a field that may be left out is left out in Lua, where nil is no value."""
    match of:
        case Choice(choices):
            rest = tuple(one for one in choices if one != _NULL)
            return rest[0] if len(rest) == 1 else Choice(rest)
        case _:
            return of


def _type(of: Type, unions: Mapping[Type, str]) -> str:
    if of in unions:
        return f"{_PREFIX}{unions[of]}"
    match of:
        case Plain(name):
            return f"{_PREFIX}Null" if of == _NULL else name
        case Constant(value):
            return f"'{value}'" if isinstance(value, str) else json.dumps(value)
        case Named(name):
            return f"{_PREFIX}{name}"
        case Choice(choices):
            return "|".join(_type(one, unions) for one in choices)
        case ListOf(item):
            text = _type(item, unions)
            return f"({text})[]" if "|" in text else f"{text}[]"
        case MapOf(values):
            return f"table<string, {_type(values, unions)}>"
        case _:
            assert_never(of)


def _comment(text: str) -> Iterator[str]:
    for line in textwrap.wrap(text, _LINE_WIDTH, break_long_words=False, break_on_hyphens=False):
        yield f"---{line}"
