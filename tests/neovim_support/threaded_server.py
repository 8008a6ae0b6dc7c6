"""A server of asyncio in a thread of its own, for tests that are not asynchronous."""

import asyncio
import threading
from contextlib import AbstractAsyncContextManager
from typing import Any

from time_support import wait_seconds


class ThreadedServer:
    """Thread with a loop in which the server runs from `start` to `stop`."""

    def __init__(self, server: AbstractAsyncContextManager[Any]) -> None:
        self.loop = asyncio.new_event_loop()
        self._server = server
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def start(self) -> None:
        self._thread.start()
        self.run(self._server.__aenter__())

    def stop(self) -> None:
        self.run(self._server.__aexit__(None, None, None))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(wait_seconds())
        self.loop.close()

    def run(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self.loop).result(wait_seconds())
