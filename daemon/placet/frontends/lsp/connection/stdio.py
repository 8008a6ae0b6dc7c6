"""The two pipes to the editor: claimed before anything can print, read and written by a thread each.

The event loop never waits for either pipe. Incoming messages are delivered to the loop in order, a few messages ahead
at most; outgoing data is queued by the loop alone and written as fast as the editor reads.
"""

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

from placet.core.framing import FrameDecoder, Malformed

_READ_BYTES = 64 * 1024
_WRITE_BYTES = 256 * 1024
_MESSAGES_AHEAD = 32
_ROOM_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Wire:
    """File descriptors leading to the editor; children do not inherit the descriptors."""

    read: int
    write: int


def claim_stdio() -> Wire:
    """Take stdin and stdout for the wire. Call this function first of all.

    From then on descriptor 1 leads where stderr does, so that a print of any library, also from C, does no harm;
    descriptor 0 is empty, so that no child reads the editor's messages.
    """
    sys.stdout.flush()
    wire = Wire(read=os.dup(0), write=os.dup(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        # The editor gave us no stderr.
        os.dup2(nothing, 1)
    os.close(nothing)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(wire.read, os.O_BINARY)
        msvcrt.setmode(wire.write, os.O_BINARY)
    return wire


class Inbound:
    """Reader of messages on a thread of its own; each message is delivered on the loop."""

    def __init__(
        self, descriptor: int, deliver: Callable[[bytes | Malformed], None], on_end: Callable[[], None]
    ) -> None:
        self._descriptor = descriptor
        self._deliver = deliver
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._slots = threading.Semaphore(_MESSAGES_AHEAD)
        # A daemon thread: nothing can interrupt a read of a pipe that stays open.
        self._thread = threading.Thread(target=self._run, name="placet-inbound", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        decoder = FrameDecoder()
        try:
            while data := self._read():
                for item in decoder.feed(data):
                    self._slots.acquire()
                    self._loop.call_soon_threadsafe(self._take, item)
            self._loop.call_soon_threadsafe(self._on_end)
        except RuntimeError:
            # The loop is closed: nobody is left to deliver to.
            return

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ_BYTES)
        except OSError:
            return b""

    def _take(self, item: bytes | Malformed) -> None:
        self._slots.release()
        self._deliver(item)


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
        """Return whether the editor keeps up. Callers able to wait, or to put messages together, should do so when
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
