"""The messages of LSP itself: types of lsprotocol, made and read by its converter, with no message made by hand."""

import ast
import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from lsprotocol import types

import placet.frontends.lsp as room
from corpus_support import corpus
from lsp_link.links import OurLink
from placet.frontends.lsp.connection.editor_client import EditorError
from placet.frontends.lsp.connection.showing import show_document
from placet.frontends.lsp.protocol.standard import Unfit, dump, read

ROOM = Path(room.__file__).parent
READ_BEFORE_LSPROTOCOL = {
    "handshake.py": "answers `initialize` before lsprotocol is loaded",
    "initialize.py": "the table of that answer",
    "connection/profile.py": "reads the abilities in the params of `initialize`",
    "connection/workspace.py": "reads the folders in the params of `initialize`",
}
PASSED_ON = {
    "protocol/editor_messages.py": "names the methods of `editor/languageFeature`, whose params are passed on",
    "protocol/wire.py": "describes the member `agent` of `workspace/applyEdit`",
    "ports/features.py": "passes params and results of language features on",
    "protocol/positions.py": "converts the positions in these",
    "shared/features.py": "finds the document of these params",
}
"""Modules that name messages of LSP in plain JSON, with the reason."""


def camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.title() for word in rest)


def shapes() -> list[tuple[str, set[str], set[str]]]:
    """The objects of LSP: the name, the members that must be there, and all members. One member alone says little."""
    found: list[tuple[str, set[str], set[str]]] = []
    for name, kind in types.ALL_TYPES_MAP.items():
        if isinstance(kind, type) and attrs.has(kind):
            fields = attrs.fields(kind)
            needed = {camel(field.name) for field in fields if field.default is attrs.NOTHING}
            if len(needed) > 1:
                found.append((name, needed, {camel(field.name) for field in fields}))
    return found


SHAPES = shapes()


def handmade(source: str) -> Iterator[str]:
    """The names of methods, the objects and the looks at members that a module makes by hand."""
    tree = ast.parse(source)
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text in types.METHOD_TO_TYPES and id(node) not in documents:
                yield f"line {node.lineno}: the name {text}"
            case ast.Dict(keys=keys):
                members = {key.value for key in keys if isinstance(key, ast.Constant)}
                names = [name for name, needed, every in SHAPES if needed <= members <= every]
                if names:
                    yield f"line {node.lineno}: {', '.join(names[:3])}"
            case ast.Constant(value="textDocument" | "contentChanges" | "workspaceFolders") if (
                id(node) not in documents
            ):
                yield f"line {node.lineno}: the member {node.value}"


def modules() -> list[str]:
    return sorted(path.relative_to(ROOM).as_posix() for path in ROOM.rglob("*.py"))


@corpus("module", modules())
def test_no_message_of_lsp_is_made_by_hand(module: str) -> None:
    found = list(handmade((ROOM / module).read_text()))
    if module in {**READ_BEFORE_LSPROTOCOL, **PASSED_ON}:
        assert found, f"{module} is no exception any more"
    else:
        assert found == []


@corpus(
    ("source", "expected"),
    [
        ('client.notify("window/showMessage", params)', 1),
        ('{"type": 3, "message": text}', 1),
        ('{"uri": uri, "version": None}', 1),
        ('{"line": 1, "character": 2}', 1),
        ('params["textDocument"]', 1),
        ('"""window/showMessage"""', 0),
        ('{"uri": uri, "sha256": sha256, "version": 1}', 0),
        ('client.notify("agent/update", {"sessionId": 1})', 0),
    ],
)
def test_a_message_made_by_hand_is_found(source: str, expected: int) -> None:
    assert len(list(handmade(source))) == expected


@corpus(
    ("kind", "value"),
    [
        (types.ShowDocumentResult, {"success": "true"}),
        (types.ApplyWorkspaceEditResult, {"applied": 1}),
        (types.TextDocumentItem, {"uri": "a", "languageId": "b", "version": 1, "text": 5}),
        (types.TextDocumentItem, {"uri": "a", "languageId": "b", "version": True, "text": "c"}),
        (types.TextDocumentItem, {"uri": "a", "languageId": "b", "version": 1.5, "text": "c"}),
        (types.Position, {"line": -1, "character": 0}),
        (types.Range, {"start": {"line": 0, "character": 0}}),
        (types.ExecuteCommandParams, None),
        (types.MessageActionItem, {"title": ["a"]}),
    ],
)
def test_a_value_of_another_type_is_no_value_of_lsp(kind: type[Any], value: Any) -> None:
    with pytest.raises(Unfit):
        read(kind, value)


def test_the_data_of_servers_and_the_arguments_of_commands_stay_as_they_are() -> None:
    data = {"class": 1, "b-c": {"jsonrpc": "2.0", "id": 7, "_private": [{"def": None}]}}
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    problem = {"range": span, "message": "m", "data": data}
    action = {"title": "t", "kind": "quickfix", "command": {"title": "t", "command": "c", "arguments": [data]}}
    params = {"textDocument": {"uri": "file:///a"}, "range": span, "context": {"diagnostics": [problem]}}

    assert dump(read(types.CodeActionParams, params)) == params
    assert dump(read(types.CodeAction, action)) == action


def test_a_change_of_folders_may_lack_what_is_not_read() -> None:
    event = read(types.WorkspaceFoldersChangeEvent, {"added": [{"uri": "file:///a"}]})
    assert ([folder.uri for folder in event.added], event.removed) == (["file:///a"], [])


def test_the_reason_of_a_completion_is_not_read() -> None:
    asked = {"textDocument": {"uri": "a"}, "position": {"line": 0, "character": 0}}
    assert read(types.CompletionParams, {**asked, "context": {"triggerKind": "typed"}}).context is None
    assert read(types.CompletionParams, asked).context is None


async def test_the_wrong_field_of_a_request_is_named(link: OurLink) -> None:
    await link.start()

    answer = await link.call("textDocument/completion", {"textDocument": {"uri": "file:///a"}, "position": {"line": 1}})

    assert "message.params.position" in answer["error"]["message"]


@pytest.mark.parametrize("change", [{"text": 5}, {"range": {"start": {"line": 0}}, "text": "new"}, {}])
async def test_a_malformed_change_of_a_document_is_dropped_as_a_whole(
    link: OurLink, change: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await link.start()
    document = {"uri": "file:///a.txt", "languageId": "text", "version": 1, "text": "old"}
    link.notify("textDocument/didOpen", {"textDocument": document})
    changes = [{"text": "first"}, change]
    identifier = {"uri": "file:///a.txt", "version": 2}
    link.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})
    await link.call("x/unknown")

    assert link.text_of("file:///a.txt") == "old"
    assert "Dropped `textDocument/didChange`, which is malformed" in caplog.text


async def test_the_params_of_messages_without_params_are_not_read(link: OurLink) -> None:
    link.attach()
    await link.call("initialize", {"capabilities": {}})
    link.notify("initialized", [])
    answer = await link.call("shutdown", ["unread"])
    link.notify("exit", {"unread": 1})

    assert answer["result"] is None
    assert await link.connection.ended == 0


async def test_messages_that_nothing_serves_are_not_read(link: OurLink, caplog: pytest.LogCaptureFixture) -> None:
    await link.start()
    link.notify("$/setTrace", {"value": 5})
    link.notify("workspace/didChangeWatchedFiles", None)
    answer = await link.call("textDocument/hover", 5)

    assert answer["error"]["code"] == -32601
    assert not caplog.records


async def test_a_malformed_answer_of_the_editor_is_an_error(link: OurLink) -> None:
    await link.start(capabilities={"window": {"showDocument": {"support": True}}})
    asking = asyncio.create_task(link.ask(types.WINDOW_SHOW_DOCUMENT, types.ShowDocumentParams("file:///a")))
    request = await link.sent.first(lambda one: one.get("method") == types.WINDOW_SHOW_DOCUMENT)
    link.send({"id": request["id"], "result": None})
    with pytest.raises(EditorError, match="malformed answer"):
        await asking

    showing = asyncio.create_task(show_document(link.connection, "file:///b"))
    again = await link.sent.first(lambda one: one.get("params") == {"uri": "file:///b", "external": False})
    link.send({"id": again["id"], "result": {"success": "yes"}})
    assert not await showing
