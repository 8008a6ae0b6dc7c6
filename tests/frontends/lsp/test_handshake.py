"""The answer to `initialize` before the server is loaded: the same as the loaded server's."""

import asyncio
import json
import logging
import os
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from fake_editor.editor import FakeEditor
from fake_editor.profiles import SIX, STOCK_NEOVIM, STOCK_VSCODE, UNVERSIONED, EditorProfile
from lsp_link.links import OurLink
from placet.core.framing import FrameDecoder, Malformed
from placet.core.stdio.inbound import Inbound
from placet.core.stdio.outbound import Outbound
from placet.core.values import replace
from placet.frontends.lsp.handshake import Answered, Handshake, answer_to
from placet.frontends.lsp.server import take_first

Json = dict[str, Any]

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def some_of(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object with some of the fields, each as expected or not."""
    return st.fixed_dictionaries({}, optional={name: field | JUNK for name, field in fields.items()})


NAMES = st.lists(st.sampled_from(["utf-8", "utf-16", "utf-32", "utf-7", "editor/save"]) | JUNK, max_size=4)
URIS = st.sampled_from(["file:///project", "untitled:a", "file://[", "file:///%ff%00", "", "file://C:/a"]) | st.text()
CLIENTS = st.sampled_from(["Neovim", "Visual Studio Code", "Emacs", "Kate", "helix", ""]) | st.text()
PARAMS = JUNK | some_of(
    processId=st.sampled_from([None, os.getpid(), 2**22 + 1, 2**70, -1, 0]),
    clientInfo=some_of(name=CLIENTS, version=st.text()),
    rootUri=URIS,
    rootPath=st.text(),
    workspaceFolders=st.lists(some_of(uri=URIS, name=st.text()), max_size=3),
    capabilities=some_of(
        general=some_of(positionEncodings=NAMES),
        workspace=some_of(applyEdit=st.booleans(), workspaceEdit=some_of(documentChanges=st.booleans())),
        textDocument=some_of(inlineCompletion=some_of(dynamicRegistration=st.booleans())),
        window=some_of(workDoneProgress=st.booleans(), showDocument=some_of(support=st.booleans())),
    ),
    initializationOptions=some_of(
        settings=some_of(model=st.text()),
        agent=some_of(
            protocol=st.integers(0, 3),
            strictApply=st.booleans(),
            trusted=st.booleans(),
            requests=NAMES,
            languageFeatures=NAMES,
        ),
    ),
)
IDS = st.integers() | st.text() | JUNK


def loaded_answer(message: Json) -> Json:
    """The loaded server's answer to its first message, read as the editor reads it."""

    async def ask() -> Json:
        link = OurLink()
        link.attach()
        link.connection.receive(json.dumps(message).encode())
        await link.stop()
        return link.sent.messages[0]

    return asyncio.run(ask())


def assert_as_loaded(message: Json) -> None:
    early = answer_to(json.dumps(message).encode())
    loaded = loaded_answer(message)
    if early is None:
        assert "error" in loaded or message["id"] is None
    else:
        assert json.loads(early.body) == loaded


@given(message_id=IDS, params=PARAMS)
def test_the_early_answer_is_the_loaded_servers(message_id: Any, params: Any) -> None:
    assert_as_loaded({"jsonrpc": "2.0", "id": message_id, "method": "initialize", "params": params})


@corpus("editor", [*SIX, STOCK_VSCODE, STOCK_NEOVIM, UNVERSIONED])
def test_each_editor_gets_the_loaded_servers_answer_early(editor: EditorProfile) -> None:
    params = FakeEditor(editor, Path("/project")).initialize_params()
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}

    assert answer_to(json.dumps(message).encode()) is not None
    assert_as_loaded(message)


@corpus(
    "message",
    [
        Malformed("no header"),
        b"",
        b"{",
        b"[" * 100_000,
        b"\xff\xfe\xfd",
        b"[]",
        b"null",
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": []}',
        b'{"jsonrpc": "2.0", "method": "initialize", "params": {}}',
        b'{"jsonrpc": "2.0", "id": null, "method": "initialize", "params": {}}',
        b'{"jsonrpc": "2.0", "id": true, "method": "initialize", "params": {}}',
        b'{"jsonrpc": "2.0", "id": 1.5, "method": "initialize", "params": {}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"initializationOptions": {"settings": 1}}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown", "params": {}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": ["initialize"], "params": {}}',
        b'{"jsonrpc": "2.0", "method": "exit"}',
    ],
)
def test_every_other_message_is_left_to_the_loaded_server(message: bytes | Malformed) -> None:
    assert answer_to(message) is None


INITIALIZE = b'{"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": {"capabilities": {}}}'


def handshake_with(first: bytes, answered: Answered | None) -> Handshake:
    return Handshake(output=-1, inbound=Inbound(-1, FrameDecoder()), first=first, answered=answered)


async def test_the_server_takes_an_answered_initialize_without_a_second_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    link = OurLink()
    take_first(link.door, handshake_with(INITIALIZE, answer_to(INITIALIZE)), cast("Outbound", link.sent))
    link.send({"id": "second", "method": "initialize", "params": {}})
    answer = await link.answer("second")
    await link.stop()

    assert answer["error"]["message"] == "`initialize` may be sent only once."
    assert [message["id"] for message in link.sent.messages] == ["second"]
    assert not caplog.records


async def test_the_server_answers_a_first_message_that_was_not_answered() -> None:
    link = OurLink()
    body = b'{"jsonrpc": "2.0", "id": "first", "method": "agent/status"}'
    take_first(link.door, handshake_with(body, None), cast("Outbound", link.sent))
    answer = await link.answer("first")
    await link.stop()

    assert answer["error"]["code"] == -32002


@pytest.mark.parametrize("first", [INITIALIZE, INITIALIZE.replace(b'{"capabilities": {}}', b"null")])
async def test_an_early_answer_that_the_server_would_not_give_is_logged(
    first: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    link = OurLink()
    answer = Answered(b'{"jsonrpc": "2.0", "id": "first", "result": {}}', None)
    take_first(link.door, handshake_with(first, answer), cast("Outbound", link.sent))
    await link.stop()

    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert link.sent.messages == []


async def test_an_editor_that_ended_while_the_server_was_loading_is_known() -> None:
    link = OurLink()
    answered = answer_to(INITIALIZE)
    assert answered is not None
    gone = replace(answered, process_id=2**22 + 1)
    take_first(link.door, handshake_with(INITIALIZE, gone), cast("Outbound", link.sent))
    await link.stop()

    assert await link.door.parent_process_id == 2**22 + 1
