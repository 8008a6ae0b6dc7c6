"""A message from the editor is one declaration: its name, schema, documentation and types follow."""

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import pytest

from placet.frontends.lsp import handlers
from placet.frontends.lsp.handlers import table
from placet.frontends.lsp.handlers.define import Handler, HandlerContext
from placet.frontends.lsp.schema import protocol_schema
from scripts.protocol import luacats, typescript
from scripts.protocol.method_names import declared_handlers, method_names_text

ECHO = '''
from placet.core.messages import Value
from placet.frontends.lsp.handlers.define import HandlerContext, notification, request


class Echo(Value):
    """Return the words in capitals."""

    words: str


class Echoed(Value):
    answer: str


class Hush(Value):
    """Be silent."""


@notification("agent/hush")
async def hush(context: HandlerContext, params: Hush) -> None:
    pass


@request("agent/echo")
async def echo(context: HandlerContext, params: Echo) -> Echoed:
    return Echoed(answer=params.words.upper())
'''
MODULE = "placet.frontends.lsp.handlers.echo"


@pytest.fixture
def declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[dict[str, Handler]]:
    """The handlers of all modules and of one in a folder of its own."""
    (tmp_path / "echo.py").write_text(ECHO, "utf-8")
    monkeypatch.setattr(handlers, "__path__", [*handlers.__path__, str(tmp_path)])
    yield declared_handlers()
    del sys.modules[MODULE]


async def test_a_declared_message_is_answered_by_its_handler(
    declared: dict[str, Handler], monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, Any] = {}
    exec(method_names_text(declared), {}, names)
    assert names["NOTIFICATIONS"]["agent/hush"] == names["REQUESTS"]["agent/echo"] == "echo"

    monkeypatch.setattr(table, "_MODULES", names["REQUESTS"] | names["NOTIFICATIONS"])
    handler = table.HANDLERS["agent/echo"]
    params = handler.message.params.model_validate({"words": "hello"})
    answer = await handler.run(cast("HandlerContext", None), params)
    assert answer is not None
    assert answer.dump() == {"answer": "HELLO"}


def test_a_declared_message_is_in_the_schema_and_in_the_clients_types(declared: dict[str, Handler]) -> None:
    schema = protocol_schema(declared)
    assert schema["messages"]["agent/echo"]["description"] == "Return the words in capitals."
    assert schema["messages"]["agent/hush"] == {
        "from": "editor",
        "kind": "notification",
        "description": "Be silent.",
        "params": {"$ref": "#/$defs/Hush"},
    }
    for types in (typescript.types(schema), luacats.types(schema)):
        assert "Echoed" in types
        assert "agent/echo" in types


def test_the_generated_names_are_the_declared_names() -> None:
    assert list(declared_handlers()) == list(table.HANDLERS)
