"""The server as editors start it: a process, and pipes."""

import asyncio
import json
import math
import subprocess
import sys
from pathlib import Path

from lsp_link.process import ServerProcess
from placet.core.framing import frame


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


async def test_initialize_is_answered_about_as_soon_as_by_an_empty_pygls_server(tmp_path: Path) -> None:
    """A coarse guard; the benchmark measures it (the goal is 1.15).

    What else the machine does only ever adds to a start, so that the quickest of each counts; where it does much, that
    takes more of them.
    """
    seconds = {"stock": math.inf, "ours": math.inf}
    for number in range(20):
        for kind, quickest in seconds.items():
            begun = asyncio.get_running_loop().time()
            async with ServerProcess(kind, tmp_path) as process:
                await process.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
                seconds[kind] = min(quickest, asyncio.get_running_loop().time() - begun)
        if number >= 2 and seconds["ours"] < 1.5 * seconds["stock"]:
            break

    assert seconds["ours"] < 1.5 * seconds["stock"]
