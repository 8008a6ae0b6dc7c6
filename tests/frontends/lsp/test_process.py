"""The server as editors start it: a process, and pipes."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_link.process import ServerProcess
from placet.core.framing import frame
from time_support import limited


async def test_a_whole_life_with_everything_that_is_malformed(tmp_path: Path) -> None:
    async with ServerProcess("ours", tmp_path) as process:
        assert (await process.call("agent/status"))["error"]["code"] == -32002
        await process.handshake(rootUri=tmp_path.as_uri(), initializationOptions={"agent": {"protocol": 1}})
        assert (await process.call("initialize", {}))["error"]["code"] == -32600

        process.write(frame(b"{no json"))
        assert (await process.answer(None))["error"]["code"] == -32700
        process.write(b"X-Nothing: 1\r\n\r\n")
        assert (await process.answer(None, count=2))["error"]["code"] == -32700
        process.write(frame(b'{"text": "\xc3\xa4"}').replace(b": 14", b": 13"))
        assert (await process.answer(None, count=3))["error"]["code"] == -32700
        body = json.dumps({"jsonrpc": "2.0", "id": "odd", "method": "agent/status"}).encode()
        process.write(b"content-type: application/vscode-jsonrpc; charset=UTF-8\r\n")
        process.write(b"CONTENT-LENGTH:%d\r\n\r\n%b" % (len(body), body))
        odd = await process.answer("odd")
        assert "result" in odd, odd

        document = {"uri": "file:///big", "languageId": "text", "version": 1, "text": "x" * 50_000_000}
        process.notify("textDocument/didOpen", {"textDocument": document})
        assert (await process.call("agent/nothing", document))["error"]["code"] == -32601

        assert (await process.call("agent/status"))["result"]["pid"] == process.process.pid
        assert (await process.call("shutdown"))["result"] is None
        process.notify("exit", None)
        assert await process.ended() == 0


async def test_exit_right_behind_shutdown_ends_without_an_error_and_both_requests_are_answered(tmp_path: Path) -> None:
    async with ServerProcess("ours", tmp_path) as process:
        await process.handshake()
        messages = [{"id": "last", "method": "agent/status"}, {"id": "end", "method": "shutdown"}, {"method": "exit"}]
        process.write(b"".join(frame(json.dumps({"jsonrpc": "2.0", **message}).encode()) for message in messages))
        assert await process.ended() == 0
        assert (await process.answer("end"))["result"] is None
        assert (await process.answer("last"))["id"] == "last"


async def test_it_ends_with_its_editor_although_the_pipe_stays_open(tmp_path: Path) -> None:
    editor = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE)
    async with ServerProcess("ours", tmp_path) as process:
        await process.handshake(processId=editor.pid)
        editor.kill()
        await editor.wait()

        assert await process.ended() == 1


async def test_it_ends_when_its_pipe_is_closed(tmp_path: Path) -> None:
    async with ServerProcess("ours", tmp_path) as process:
        await process.handshake()
        process.close_input()

        assert await process.ended() == 1


INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


async def test_messages_sent_behind_initialize_at_once_are_served_in_order(tmp_path: Path) -> None:
    """The server that serves these messages is not loaded yet when the messages come."""
    async with ServerProcess("ours", tmp_path) as process:
        process.begin("initialize", INITIALIZE)
        process.notify("initialized", {})
        unknown = process.begin("agent/nothing")
        cancelled = process.begin("agent/status")
        process.notify("$/cancelRequest", {"id": cancelled})
        document = {"uri": "file:///a", "languageId": "text", "version": 1, "text": "x" * 1_000_000}
        for number in range(100):
            process.notify("textDocument/didOpen", {"textDocument": {**document, "uri": f"file:///{number}"}})
        again = process.begin("initialize", INITIALIZE)
        shutdown = process.begin("shutdown")
        await process.answer(shutdown)
        process.notify("exit", None)

        assert await process.ended() == 0
        answers = {answer["id"]: answer for answer in process.messages if "method" not in answer}

    assert list(answers) == [1, unknown, cancelled, again, shutdown]
    assert answers[1]["result"]["serverInfo"]["name"] == "placet"
    codes = [answers[number]["error"]["code"] for number in (unknown, cancelled, again)]
    assert codes == [-32601, -32800, -32600]
    assert answers[shutdown]["result"] is None


async def test_what_comes_before_initialize_is_answered_as_after_loading(tmp_path: Path) -> None:
    async with ServerProcess("ours", tmp_path) as process:
        process.write(b"X-Nothing: 1\r\n\r\n")
        process.notify("initialized", {})
        assert (await process.answer(None))["error"]["code"] == -32700
        assert (await process.call("shutdown"))["error"]["code"] == -32002
        assert (await process.call("initialize", [1]))["error"]["code"] == -32602
        assert "result" in await process.call("initialize", INITIALIZE)
        assert (await process.call("initialize", INITIALIZE))["error"]["code"] == -32600


async def test_exit_before_initialize_ends_with_an_error(tmp_path: Path) -> None:
    async with ServerProcess("ours", tmp_path) as process:
        process.notify("exit", None)

        assert await process.ended() == 1


@pytest.mark.parametrize("messages", [0, 1])
async def test_it_ends_with_its_input_also_while_it_loads(tmp_path: Path, messages: int) -> None:
    async with ServerProcess("ours", tmp_path) as process:
        for _ in range(messages):
            process.begin("initialize", INITIALIZE)
        process.close_input()

        assert await process.ended() == 1
        assert len(process.messages) == messages


async def test_it_ends_when_nobody_reads_the_answer_to_initialize(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    program = [sys.executable, "-m", "placet", "--stdio"]
    editor = await asyncio.create_subprocess_exec(*program, stdin=asyncio.subprocess.PIPE, stdout=write)
    os.close(write)
    assert editor.stdin is not None
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    editor.stdin.write(frame(json.dumps(message).encode()))

    async with limited(lambda: "the end of the server"):
        assert await editor.wait() == 1


def test_nothing_heavy_is_loaded_before_initialize_is_answered() -> None:
    """Each of these would be felt by the user on every start of the editor."""
    program = "import sys, placet.frontends.lsp.server, placet.frontends.lsp.lsp_server; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.split()

    heavy = {
        "pydantic",
        "sqlite3",
        "rich",
        "litellm",
        "mcp",
        "httpx",
        "tree_sitter",
        "placet.core.messages",
        "placet.core.ports",
    }
    assert heavy.isdisjoint(loaded)
