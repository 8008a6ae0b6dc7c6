"""Pipe to the client: queued by the loop alone, and written by a thread of its own as fast as the client reads.

The event loop never waits for the pipe.
"""

import asyncio
import os
import queue
import threading
from collections.abc import Callable

_WRITE_BYTES = 256 * 1024
_ROOM_BYTES = 1024 * 1024


class Outbound:
    """Queue of the data to be written. The queue belongs to the loop, except for the thread that writes."""

    def __init__(self, descriptor: int, on_lost: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._queued_bytes = 0
        """Bytes queued ever; counted by the loop alone."""
        self._written_bytes = 0
        """Bytes written ever; counted by the thread alone."""
        self._lost = False
        self._thread = threading.Thread(target=self._run, name="placet-outbound", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def has_room(self) -> bool:
        """Return whether the client keeps up. Callers able to wait, or to put messages together, should do so when
        False.
        """
        return self._lost or self._queued_bytes - self._written_bytes < _ROOM_BYTES

    def write(self, data: bytes) -> None:
        """Queue the bytes. The bytes are lost when the connection is lost."""
        if not self._lost:
            self._queued_bytes += len(data)
            self._queue.put(data)

    def close(self) -> None:
        """Accept no more data; queued data is still written."""
        self._queue.put(None)

    async def finish(self, timeout_seconds: float) -> None:
        """Close, and wait until all data is written, at most for the given time."""
        self.close()
        await asyncio.to_thread(self._thread.join, timeout_seconds)

    def _run(self) -> None:
        try:
            while (data := self._next()) is not None:
                self._write(data)
                self._written_bytes += len(data)
        except OSError:
            self._tell_lost()

    def _next(self) -> bytes | None:
        """Return the queued data, put together up to a bound, or None at the end."""
        data = self._queue.get()
        if data is None or len(data) >= _WRITE_BYTES or self._queue.empty():
            return data
        gathered = [data]
        size = len(data)
        while size < _WRITE_BYTES and not self._queue.empty():
            more = self._queue.get()
            if more is None:
                self._queue.put(None)
                break
            gathered.append(more)
            size += len(more)
        return b"".join(gathered)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view[:_WRITE_BYTES]) :]

    def _tell_lost(self) -> None:
        self._lost = True
        try:
            self._loop.call_soon_threadsafe(self._on_lost)
        except RuntimeError:
            # The loop is closed, and so is everything.
            return
