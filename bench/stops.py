"""Stops of what waits for a server: how long one takes, beside the end of a bare connection that waits likewise."""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web

from bench.report import Figure
from placet.settings import Settings
from placet.tools import webfetch, websearch
from placet.tools.framework.define import AgentView

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from model_support.http_client import post
from tools_support.workbench import open_workbench
from web_site import Site

RUNS = 11
GOAL = 10.0


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        async with open_workbench(Path(directory)) as bench, Site() as site:
            site.pages["/"] = site.pages["/mcp"] = _silent
            bench.permission = {"webfetch": "allow", "websearch": "allow", "private_address": "allow"}
            search = {"search": {"address": site.url("/mcp")}}
            bench.agent = AgentView("build", settings=Settings.model_validate(search))
            floor = await _stopped(site, lambda: _bare(site.port))
            waits = {
                "webfetch": await _stopped(site, lambda: bench.run(webfetch.TOOL, url=site.url("/"))),
                "websearch": await _stopped(site, lambda: bench.run(websearch.TOOL, query="x")),
                "a request of the model host": await _stopped(site, lambda: post(site.url("/"))),
            }
    return [
        Figure(name, seconds * 1000, "ms", floor=floor * 1000, floor_name="a bare connection", goal=GOAL)
        for name, seconds in waits.items()
    ]


async def _stopped(site: Site, begin: Callable[[], Awaitable[object]]) -> float:
    """Return the median time from the cancel until the caller goes on and the server has seen the end, in seconds."""
    taken: list[float] = []
    for _ in range(RUNS):
        site.asked.clear()
        site.left.clear()
        waiting = asyncio.ensure_future(begin())
        await site.asked.wait()
        begun = time.perf_counter()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await site.left.wait()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


async def _bare(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.read()
    finally:
        writer.close()


async def _silent(request: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError
