"""The defects of pygls 2.1 that ../shared/reference/lsp.md lists as D1 to D13: each test fails on a stock server."""

import asyncio
import logging
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from pygls.io_ import StdoutWriter

from lsp_link.links import OurLink, StockLink, stock_and_ours
from lsp_link.process import ServerProcess
from placet.core.stdio.outbound import Outbound

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


def _at(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}
