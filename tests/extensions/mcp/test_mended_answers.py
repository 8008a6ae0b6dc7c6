"""Half characters in the answers of servers at an address."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from mcp_support import held
from placet.extensions.mcp.transport.mended_stream import mended
from tools_support.workbench import Workbench

HALF = r"cut \ud83d, whole \ud83d\ude00, told \\ud83d, low \ude00."
READ = "cut \N{REPLACEMENT CHARACTER}, whole \N{GRINNING FACE}, told \\ud83d, low \N{REPLACEMENT CHARACTER}."


@asynccontextmanager
async def serving(kind: str) -> AsyncIterator[str]:
    """Address of a server whose only tool answers with half a character; `kind` is the MIME type of its answers."""

    async def answer(request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        match asked.get("method"):
            case "initialize":
                server = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
                result = json.dumps({**server, "serverInfo": {"name": "half", "version": "1"}})
            case "tools/list":
                result = json.dumps({"tools": [{"name": "do", "inputSchema": {"type": "object"}}]})
            case "tools/call":
                result = f'{{"content": [{{"type": "text", "text": "{HALF}"}}]}}'
            case _:
                return web.Response(status=202)
        message = f'{{"jsonrpc": "2.0", "id": {json.dumps(asked["id"])}, "result": {result}}}'
        if kind == "application/json":
            return web.Response(text=message, content_type=kind)
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        for piece in (f"event: message\ndata: {message[:-60]}", f"{message[-60:]}\n", "\n"):
            await response.write(piece.encode())
        return response

    app = web.Application()
    app.router.add_post("/mcp", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_half_a_character_of_a_server_at_an_address_spoils_nothing_beside_it(bench: Workbench, kind: str) -> None:
    async with serving(kind) as url, held(bench, odd={"url": url, "type": "http"}) as mcp:
        await mcp.connected()
        assert (await mcp.run("odd_do")).output == READ


@given(st.text(st.characters(), max_size=20))
def test_of_any_json_only_half_characters_are_changed(text: str) -> None:
    read = json.loads(mended(json.dumps(text).encode()))
    assert read == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
