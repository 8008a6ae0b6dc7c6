"""A server that fills holes for the true daemon, played from a test that is not asynchronous."""

import asyncio
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from time_support import wait_seconds
from wire_servers.fill_server import FillRequest, FillServer, Script


class FillModel:
    """Server in a thread of its own."""

    def __init__(self, script: Script | Sequence[str]) -> None:
        self._loop = asyncio.new_event_loop()
        self._server = FillServer(script)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def settings(self) -> dict[str, Any]:
        """The daemon's settings that name the server."""
        provider = {"kind": "llamafile", "apiBase": f"{self._server.address}/v1", "key": False}
        return {"providers": {"mine": provider}, "completion": {"model": "mine/qwen2.5-coder"}}

    @property
    def requests(self) -> list[FillRequest]:
        return self._server.requests

    def start(self) -> None:
        self._thread.start()
        self._run(self._server.__aenter__())

    def stop(self) -> None:
        self._run(self._server.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(wait_seconds())
        self._loop.close()

    def _run(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(wait_seconds())


@contextmanager
def fill_model(script: Script | Sequence[str]) -> Generator[FillModel]:
    """A server on this machine, stopped at the end."""
    model = FillModel(script)
    model.start()
    try:
        yield model
    finally:
        model.stop()
