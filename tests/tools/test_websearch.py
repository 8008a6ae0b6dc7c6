import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from corpus_support import corpus
from placet.core.errors import InvalidArguments, Rejected, ToolError
from placet.core.ports import PermissionAnswer
from placet.settings import Settings
from placet.tools.framework.builtin import BUILTIN
from placet.tools.framework.define import AgentView
from placet.tools.web import search_service
from placet.tools.websearch import TOOL
from time_support import LoopClock, wait_seconds
from tools_support.workbench import Workbench
from web_site import Site


@pytest.fixture
async def site(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """The search service; the bench's agent asks it, with a key and without the user."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    async with Site() as site:
        search = {"address": site.url("/mcp"), "apiKey": "exa-key"}
        bench.agent = AgentView("build", settings=Settings.model_validate({"search": search}))
        bench.permission = {"websearch": "allow"}
        yield site


def answer_with(*texts: str, **more: Any) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"content": [{"type": "text", "text": text} for text in texts], **more},
    }


def answer(site: Site, message: Any) -> None:
    site.put("/mcp", json.dumps(message).encode(), "application/json")


def stream(site: Site, *events: str) -> None:
    site.put("/mcp", "".join(events).encode(), "text/event-stream; charset=utf-8")


async def test_the_search_is_one_call_of_the_services_tool(bench: Workbench, site: Site) -> None:
    asked: list[Any] = []

    async def service(request: web.Request) -> web.Response:
        asked.append((request.method, request.headers["x-api-key"], await request.json()))
        return web.json_response(answer_with("Title: A\nText", "Title: B"))

    site.pages["/mcp"] = service
    result = await bench.run(TOOL, query="asyncio timeouts", numResults=3, contextMaxCharacters=500)
    assert result.output == "Title: A\nText\n\nTitle: B"
    assert result.title == "Web search: asyncio timeouts"
    [(method, key, body)] = asked
    assert (method, key, body["method"]) == ("POST", "exa-key", "tools/call")
    assert body["params"] == {
        "name": "web_search_exa",
        "arguments": {
            "query": "asyncio timeouts",
            "numResults": 3,
            "livecrawl": "fallback",
            "type": "auto",
            "contextMaxCharacters": 500,
        },
    }


async def test_an_answer_as_an_event_stream_is_read(bench: Workbench, site: Site) -> None:
    message = json.dumps(answer_with("Found \u2028 \x85 it."), ensure_ascii=False)
    middle = message.index('"result"')
    note = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n'
    stream(site, ": hello\n\n", note, f"event: message\r\ndata: {message[:middle]}\r\ndata:{message[middle:]}\r\n\r\n")
    assert (await bench.run(TOOL, query="x")).output == "Found \u2028 \x85 it."


async def test_an_event_stream_that_lacks_its_last_empty_line_is_read(bench: Workbench, site: Site) -> None:
    stream(site, f"data: {json.dumps(answer_with('Found.'))}")
    assert (await bench.run(TOOL, query="x")).output == "Found."


async def test_nothing_found_is_said(bench: Workbench, site: Site) -> None:
    answer(site, answer_with())
    assert "Nothing was found" in (await bench.run(TOOL, query="x")).output


@corpus(
    ("message", "expected"),
    [
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Tool not found"}}, "Tool not found"),
        (answer_with("quota reached", isError=True), "quota reached"),
        ({"jsonrpc": "2.0", "id": 1, "result": None}, None),
        (["what"], "cannot be read"),
        ("text", "cannot be read"),
    ],
)
async def test_what_goes_wrong_in_the_service_is_told(
    bench: Workbench, site: Site, message: Any, expected: str | None
) -> None:
    answer(site, message)
    if expected is None:
        assert "Nothing was found" in (await bench.run(TOOL, query="x")).output
        return
    with pytest.raises(ToolError, match=expected):
        await bench.run(TOOL, query="x")


@corpus(("status", "expected"), [(401, "EXA_API_KEY"), (429, "enough requests"), (503, "answered 503")])
async def test_a_refusal_of_the_service_is_told(bench: Workbench, site: Site, status: int, expected: str) -> None:
    async def refuse(request: web.Request) -> web.Response:
        return web.Response(status=status)

    site.pages["/mcp"] = refuse
    with pytest.raises(ToolError, match=expected):
        await bench.run(TOOL, query="x")


async def test_a_service_that_is_not_there_is_told(bench: Workbench, site: Site) -> None:
    search = {"address": "http://127.0.0.1:1/mcp"}
    bench.agent = AgentView("build", settings=Settings.model_validate({"search": search}))
    with pytest.raises(ToolError, match="cannot be reached"):
        await bench.run(TOOL, query="x")


async def silent(request: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_service_that_is_silent_runs_into_the_time_limit(site: Site, bench: Workbench) -> None:
    site.pages["/mcp"] = silent
    with pytest.raises(ToolError, match=r"not answer within 0\.1 seconds"):
        await search_service.search(bench.agent.settings.search, "web_search_exa", {}, seconds=0.1)


@pytest.mark.timeout(30)  # Nothing else ends the wait of a stop that needs time.
async def test_a_stop_needs_no_time(bench: Workbench, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.pages["/mcp"] = silent
    searching = asyncio.create_task(bench.run(TOOL, query="x"))
    await site.asked.wait()
    clock = LoopClock(monkeypatch, stands_still=True)
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    clock.skip(0)
    await asyncio.wait_for(site.left.wait(), wait_seconds())


async def test_the_query_is_what_permission_is_asked_for(bench: Workbench, site: Site) -> None:
    bench.permission, bench.user.answers = {}, [PermissionAnswer("reject")]
    with pytest.raises(Rejected):
        await bench.run(TOOL, query="my words")
    assert bench.user.asked == [("websearch", ("my words",))]
    assert site.requests == []


async def test_the_limits_are_checked(bench: Workbench, site: Site) -> None:
    with pytest.raises(InvalidArguments, match="numResults"):
        await bench.run(TOOL, query="x", numResults=0)


@corpus("name", ["websearch", "codesearch"])
def test_it_is_there_for_who_has_a_key(name: str) -> None:
    (tool,) = (tool for tool in BUILTIN if tool.id == name)
    assert "EXA_API_KEY" in tool.lacks(AgentView("build"))
    assert tool.lacks(AgentView("build", settings=Settings.model_validate({"search": {"apiKey": "k"}}))) == ""


def test_the_key_is_not_shown_with_the_settings() -> None:
    assert "exa-key" not in repr(Settings.model_validate({"search": {"apiKey": "exa-key"}}))
