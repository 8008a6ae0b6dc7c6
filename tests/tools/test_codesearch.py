from typing import Any

import pytest
from aiohttp import web

from placet.core.errors import InvalidArguments
from placet.settings import Settings
from placet.tools.codesearch import TOOL
from placet.tools.framework.define import AgentView
from tools_support.workbench import Workbench
from web_site import Site


async def test_code_is_searched_by_one_call_of_the_services_tool(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    asked: list[Any] = []

    async def service(request: web.Request) -> web.Response:
        asked.append((await request.json())["params"])
        assert "x-api-key" not in request.headers
        return web.json_response({"id": 1, "result": {"content": [{"type": "text", "text": "code"}]}})

    async with Site() as site:
        site.pages["/mcp"] = service
        search = {"address": site.url("/mcp")}
        bench.agent = AgentView("build", settings=Settings.model_validate({"search": search}))
        result = await bench.run(TOOL, query="tokio select", tokensNum=1000)
    assert result.output == "code"
    assert asked == [{"name": "get_code_context_exa", "arguments": {"query": "tokio select", "tokensNum": 1000}}]
    assert bench.user.asked == [("codesearch", ("tokio select",))]


async def test_the_number_of_tokens_is_bounded(bench: Workbench) -> None:
    for number in (999, 50_001):
        with pytest.raises(InvalidArguments, match="tokensNum"):
            await bench.run(TOOL, query="x", tokensNum=number)
