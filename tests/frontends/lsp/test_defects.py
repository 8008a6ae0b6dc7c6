"""The defects of pygls 2.1 and lsprotocol 2025.0: each test fails on a stock server."""

import asyncio
import gc
import logging
import os
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidRequest
from pygls.io_ import StdoutWriter
from pygls.protocol import LanguageServerProtocol

from lsp_link.links import OurLink, StockLink, stock_and_ours
from lsp_link.process import ServerProcess
from placet.core.stdio.outbound import Outbound
from placet.frontends.lsp.connection.connection import Connection
from placet.frontends.lsp.connection.mended_protocol import MendedProtocol

Link = StockLink | OurLink


async def _echo(params: Any) -> Any:
    return params


@stock_and_ours("D1: keys that are no Python names are renamed")
async def test_every_key_of_custom_params_comes_through(link: Link) -> None:
    link.feature("x/echo", _echo)
    await link.start()
    params = {"class": 1, "b-c": {"from": 2, "_private": [{"def": None}]}}

    assert (await link.call("x/echo", params)).get("result") == params


@stock_and_ours("D2: never answered")
async def test_a_custom_request_without_params_is_answered(link: Link) -> None:
    link.feature("x/echo", _echo)
    await link.start()

    assert "result" in await link.call("x/echo")


@stock_and_ours("D3: taken for a message, and the request never answered")
async def test_a_nested_object_may_have_a_key_jsonrpc(link: Link) -> None:
    link.feature("x/keys", _keys_of_arguments)
    await link.start()

    answer = await link.call("x/keys", {"arguments": {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}})

    assert answer["result"] == ["id", "jsonrpc", "method"]


async def _keys_of_arguments(params: Any) -> list[str]:
    arguments = params["arguments"] if isinstance(params, dict) else params.arguments._asdict()
    return sorted(arguments)


@stock_and_ours("D4: no answer at all")
async def test_invalid_params_of_a_standard_request_are_answered(link: Link) -> None:
    await link.start()

    assert (await link.call("workspace/executeCommand", {"arguments": []}))["error"]["code"] == -32602


@stock_and_ours("D5: the answer is dropped, and the request waits for ever")
async def test_a_client_may_answer_without_a_result(link: Link) -> None:
    await link.start()
    asking = asyncio.create_task(link.ask("x/ask", {}))
    request = await link.sent.first(lambda one: one.get("method") == "x/ask")

    link.send({"id": request["id"]})

    assert await asking is None


@stock_and_ours("D6: U+2028 counts as a line end, and the edit lands elsewhere")
async def test_only_real_line_ends_count_in_an_edit(link: Link) -> None:
    link.feature("x/echo", _echo)
    await link.start()
    uri = "file:///a.txt"
    document = {"uri": uri, "languageId": "text", "version": 1, "text": "a\u2028b\x0cc\nsecond\n"}
    link.notify("textDocument/didOpen", {"textDocument": document})
    change = {"range": {"start": _at(1, 0), "end": _at(1, 6)}, "text": "2nd"}

    link.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]})
    await link.call("x/echo", {})

    assert link.text_of(uri) == "a\u2028b\x0cc\n2nd\n"


@stock_and_ours("D7: line ends are changed, and the BOM becomes text")
async def test_a_closed_file_is_read_as_it_is(link: Link, tmp_path: Path) -> None:
    await link.start()
    file = tmp_path / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")

    assert await link.read_closed(file) == "one\r\ntwo\r\n"


@stock_and_ours("D8: the client is told it was cancelled, and the command runs on")
async def test_a_command_is_answered_at_once_and_truthfully(link: Link) -> None:
    going_on, finished = asyncio.Event(), []

    async def command() -> None:
        await going_on.wait()
        finished.append(True)

    link.command("x.command", command)
    await link.start()
    request = link.begin("workspace/executeCommand", {"command": "x.command"})
    link.notify("$/cancelRequest", {"id": request})

    answer = await link.answer(request)
    going_on.set()
    await asyncio.sleep(0)

    assert "error" not in answer


@stock_and_ours("D9: it exits the process, with all other connections in it")
async def test_exit_ends_one_connection_only(link: Link) -> None:
    await link.start()
    other = type(link)()
    other.feature("x/echo", _echo)
    await other.start()

    await link.exit()

    assert (await other.call("x/echo", {"a": 1}))["result"] == {"a": 1}
    await other.stop()


@stock_and_ours("D10: the client is never told")
async def test_a_request_that_is_given_up_is_cancelled_at_the_client(link: Link) -> None:
    await link.start()

    with pytest.raises(TimeoutError):
        await link.ask("x/never", {}, timeout_seconds=0.01)

    request = await link.sent.first(lambda one: one.get("method") == "x/never")
    cancel = await link.sent.first(lambda one: one.get("method") == "$/cancelRequest")
    assert cancel["params"] == {"id": request["id"]}


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            "stock", marks=pytest.mark.xfail(strict=True, reason="D11: the loop waits for the client to read")
        ),
        "ours",
    ],
)
async def test_a_client_that_does_not_read_does_not_hold_up_the_loop(kind: str) -> None:
    read, write = os.pipe()
    has_gone_on = threading.Event()
    # Stock pygls is known not to go on, and is not waited for.
    patience_seconds = 0.5 if kind == "stock" else 60.0
    reading = asyncio.get_running_loop().run_in_executor(None, _read_all, read, has_gone_on, patience_seconds)
    data = b"x" * 1_000_000
    if kind == "ours":
        outbound = Outbound(write, on_lost=lambda: None)
        outbound.start()
        outbound.write(data)
    else:
        with os.fdopen(write, "wb", closefd=False) as stream:
            StdoutWriter(stream).write(data)
    has_gone_on.set()
    if kind == "ours":
        await outbound.finish(60)
    os.close(write)

    assert await reading, "it went on only when it was read"


def _read_all(descriptor: int, has_gone_on: threading.Event, patience_seconds: float) -> bool:
    """Read once the writer has gone on, or after so long; whether it had."""
    had_gone_on = has_gone_on.wait(patience_seconds)
    while os.read(descriptor, 1 << 20):
        pass
    os.close(descriptor)
    return had_gone_on


@stock_and_ours("D12: every message's body is logged")
async def test_no_content_of_a_message_is_logged(link: Link, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    link.feature("x/echo", _echo)
    link.feature("x/fail", _fail)
    await link.start()
    caplog.clear()

    await link.call("x/echo", {"text": "my-secret"})
    await link.call("x/fail", {"text": "my-secret"})
    link.notify("x/unknown", {"text": "my-secret"})
    link.notify("textDocument/didOpen", {"text": "my-secret"})
    await link.call("x/echo", {})

    assert "my-secret" not in caplog.text


async def _fail(params: Any) -> Any:
    raise ValueError("no")


@pytest.mark.parametrize(
    "server",
    [pytest.param("stock", marks=pytest.mark.xfail(strict=True, reason="D13: it stands in the protocol")), "ours"],
)
async def test_what_a_library_prints_does_not_get_into_the_protocol(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if server == "stock":
        monkeypatch.setattr("time_support.WAIT_SECONDS", 1.0)  # Its answer is garbled, and waited for in vain.
    async with ServerProcess(server, tmp_path) as process:
        await process.handshake()
        await process.call("agent/status")
        await process.call("shutdown")
        process.notify("exit", None)
        await process.ended()

    assert process.garbage == b""
    if server == "ours":
        said = process.stderr.decode()
        assert [said.count(word) for word in ("from-print", "from-write", "from-libc", "from-child")] == [1, 1, 1, 1]


@stock_and_ours("D14: served before `initialize`")
async def test_a_request_before_initialize_is_refused(link: Link) -> None:
    link.feature("x/echo", _echo)
    link.attach()

    assert (await link.call("x/echo", {}))["error"]["code"] == -32002


@stock_and_ours("D15: never answered")
async def test_a_request_after_shutdown_is_refused(link: Link) -> None:
    link.feature("x/echo", _echo)
    await link.start()
    await link.call("shutdown")

    assert (await link.call("x/echo", {}))["error"]["code"] == -32600


@stock_and_ours("D16: the result is dropped, and the asker gets null")
async def test_an_error_of_null_beside_a_result_is_no_error(link: Link) -> None:
    await link.start()
    asking = asyncio.create_task(link.ask("x/ask", {}))
    request = await link.sent.first(lambda one: one.get("method") == "x/ask")

    link.send({"id": request["id"], "result": {"a": 1}, "error": None})

    assert await asking == {"a": 1}


@stock_and_ours("D17: the task of every notification stays in a table for ever")
async def test_the_work_of_a_notification_is_forgotten_at_its_end(link: Link) -> None:
    heard: list[Any] = []

    async def hear(params: Any) -> None:
        heard.append(params)

    link.feature("x/note", hear)
    link.feature("x/echo", _echo)
    await link.start()
    link.notify("x/note", {"a": 1})
    await link.call("x/echo", {})

    assert len(heard) == 1
    assert not any(future.done() for future in link.server.protocol._request_futures.values())


@stock_and_ours("D18: with a trace, which has the paths of the server")
async def test_an_error_of_the_server_shows_nothing_of_the_inside(link: Link) -> None:
    link.feature("x/fail", _fail)
    await link.start()

    assert __file__ not in str(await link.call("x/fail", {}))


@stock_and_ours("D19: as a message on the user's screen")
async def test_an_error_in_a_notification_is_not_shown_to_the_user(link: Link) -> None:
    link.feature("x/note", _fail)
    link.feature("x/echo", _echo)
    await link.start()
    link.notify("x/note", {})
    await link.call("x/echo", {})

    assert [message for message in link.sent.messages if message.get("method") == "window/showMessage"] == []


@stock_and_ours("D20: it never begins, and cannot say how it ended")
async def test_a_request_that_is_cancelled_at_once_begins_before(link: Link) -> None:
    async def stoppable(_params: Any) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "stopped"
        return ""

    link.feature("x/stoppable", stoppable)
    await link.start()
    request = link.begin("x/stoppable", {})
    link.notify("$/cancelRequest", {"id": request})

    assert (await link.answer(request)).get("result") == "stopped"


class _Inner:
    def __init__(self) -> None:
        self.secret = "of the server"


@stock_and_ours("D21: its attributes are sent")
async def test_an_object_that_is_no_json_does_not_go_out(link: Link) -> None:
    async def answer(_params: Any) -> Any:
        return {"inner": _Inner()}

    link.feature("x/inner", answer)
    await link.start()

    assert (await link.call("x/inner", {}))["error"]["code"] == -32603


@stock_and_ours("D22: a cache holds it until 128 other messages have come")
async def test_a_connection_that_has_ended_is_forgotten(link: Link) -> None:
    other = type(link)()
    await other.start()
    asking = asyncio.create_task(other.ask("x/ask", {}))
    request = await other.sent.first(lambda one: one.get("method") == "x/ask")
    other.send({"id": request["id"], "result": 1})
    await asking
    await other.stop()
    protocol = weakref.ref(other.server.protocol)
    del other, asking
    await asyncio.sleep(0)
    gc.unfreeze()  # What is there when the agent is first loaded stays for good.
    gc.collect()

    assert protocol() is None


@stock_and_ours("D23: the id is left out")
async def test_an_answer_to_a_message_that_cannot_be_read_has_an_id_of_null(link: Link) -> None:
    await link.start()
    error = JsonRpcInvalidRequest("no").to_response_error()
    link.server.protocol._send_response(None, error=error)  # pyright: ignore[reportArgumentType]
    await link.sent.first(lambda one: "error" in one)

    assert link.sent.messages[-1]["id"] is None


@stock_and_ours("D24: the request is refused")
async def test_a_value_of_a_newer_lsp_keeps_no_request_from_being_served(link: Link) -> None:
    link.feature("textDocument/codeAction", _severity)
    await link.start()
    problem = {"range": {"start": _at(0, 0), "end": _at(0, 1)}, "message": "m", "severity": 9, "tags": [7]}
    params = {"textDocument": {"uri": "file:///a"}, "range": problem["range"], "context": {"diagnostics": [problem]}}

    assert (await link.call("textDocument/codeAction", params)).get("result") == [9]


async def _severity(params: types.CodeActionParams) -> list[Any]:
    return [diagnostic.severity for diagnostic in params.context.diagnostics]


WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}


@pytest.mark.parametrize(
    ("version", "change"),
    [
        (2, {"range": None, "text": "new"}),
        (2, {"range": {**WHOLE, "end": {"line": 0, "character": 2**32 - 1}}, "text": "new"}),
        (2, {"range": WHOLE, "rangeLength": -1, "text": "new"}),
        (None, {"text": "new"}),
    ],
)
@stock_and_ours("D25: the change is dropped, and the document stays as it was")
async def test_a_change_that_is_written_in_an_older_way_is_taken(link: Link, version: int | None, change: Any) -> None:
    link.feature("x/echo", _echo)
    await link.start()
    uri = "file:///a.txt"
    document = {"uri": uri, "languageId": "text", "version": 1, "text": "old"}
    link.notify("textDocument/didOpen", {"textDocument": document})

    changed = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
    link.notify("textDocument/didChange", changed)
    await link.call("x/echo", {})

    assert link.text_of(uri) == "new"


OVERRIDES = {
    "_register_builtin_features": [
        test_only_real_line_ends_count_in_an_edit,
        test_a_closed_file_is_read_as_it_is,
        test_a_command_is_answered_at_once_and_truthfully,
        test_exit_ends_one_connection_only,
    ],
    "handle_message": [
        test_a_nested_object_may_have_a_key_jsonrpc,
        test_invalid_params_of_a_standard_request_are_answered,
        test_a_request_before_initialize_is_refused,
        test_a_request_after_shutdown_is_refused,
        test_an_error_of_null_beside_a_result_is_no_error,
    ],
    "get_message_type": [test_a_connection_that_has_ended_is_forgotten],
    "get_result_type": [test_a_connection_that_has_ended_is_forgotten],
    "_execute_handler": [
        test_the_work_of_a_notification_is_forgotten_at_its_end,
        test_a_command_is_answered_at_once_and_truthfully,
    ],
    "_send_handler_result": [test_an_error_of_the_server_shows_nothing_of_the_inside],
    "_check_handler_result": [test_an_error_in_a_notification_is_not_shown_to_the_user],
    "_handle_cancel_notification": [test_a_request_that_is_cancelled_at_once_begins_before],
    "_serialize_message": [test_an_object_that_is_no_json_does_not_go_out],
    "_send_data": [
        test_no_content_of_a_message_is_logged,
        test_an_answer_to_a_message_that_cannot_be_read_has_an_id_of_null,
    ],
}
"""Methods of pygls that Placet overrides, each with the tests of its defects."""


def test_placet_overrides_the_methods_of_pygls_that_have_a_defect_and_no_others() -> None:
    placets = [kind for kind in Connection.__mro__ if kind.__module__.startswith("placet.")]
    overridden = {
        name
        for kind in placets
        for name in vars(kind)
        if hasattr(LanguageServerProtocol, name) and not (name.startswith("__") and name.endswith("__"))
    }
    assert overridden == set(OVERRIDES)
    assert placets == [Connection, MendedProtocol]
    for test in {test for tests in OVERRIDES.values() for test in tests}:
        stock, ours = next(mark for mark in vars(test)["pytestmark"] if mark.args[0] == "link").args[1]
        assert (stock.id, [mark.name for mark in stock.marks], ours.id) == ("stock", ["xfail"], "ours")


def _at(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}
