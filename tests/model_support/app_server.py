"""A server of a test on 127.0.0.1, on a port of its own, from `async with` to its end."""

from abc import ABC, abstractmethod
from typing import Self

from aiohttp import web


class AppServer(ABC):
    """Server of the routes that a subclass gives to the application."""

    _port = 0

    @abstractmethod
    def route(self, application: web.Application) -> None:
        """Give the application its routes."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=1 << 28)
        self.route(application)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
