"""A web site on 127.0.0.1 for tests of what fetches: each path answers as the test says."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """`async with Site() as site: site.pages["/a"] = handler`; what is asked for stands in `requests`."""

    def __init__(self) -> None:
        self.pages: dict[str, Handler] = {}
        self.requests: list[web.Request] = []
        self.port = 0
        self.asked = asyncio.Event()
        self.left = asyncio.Event()
        """Set when a client went away in the middle of an answer."""

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def put(self, path: str, body: bytes, content_type: str = "text/html; charset=utf-8", **headers: str) -> str:
        """An answer that is always the same; its address."""

        async def answer(request: web.Request) -> web.Response:
            return web.Response(body=body, headers={"Content-Type": content_type, **headers})

        self.pages[path] = answer
        return self.url(path)

    def redirect(self, path: str, location: str, status: int = 302) -> str:
        async def answer(request: web.Request) -> web.Response:
            return web.Response(status=status, headers={"Location": location})

        self.pages[path] = answer
        return self.url(path)

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=1 << 24)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        listening = web.TCPSite(self._runner, "127.0.0.1", 0)
        await listening.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        self.asked.set()
        page = self.pages.get(request.path)
        if page is None:
            return web.Response(status=404, text="nothing here")
        try:
            return await page(request)
        except (asyncio.CancelledError, ConnectionError):
            self.left.set()
            raise
