"""Pipes to the daemon, read and written in threads: only threads work alike on every platform."""

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import BinaryIO

from placet.core.length_frames import BrokenFrame, write_whole
from placet.model import frames

_LONGEST_HOLD_SECONDS = 1.5
"""Limit for work after the end of the input; the daemon kills the host soon after."""


class EndGate:
    """Gate before the end of the process: work that must not be cut off holds the end back, for a short while."""

    def __init__(self) -> None:
        self._holders = 0
        self._changed = threading.Condition()

    @contextmanager
    def held(self) -> Generator[None]:
        """Hold the end back within the block."""
        with self._changed:
            self._holders += 1
        try:
            yield
        finally:
            with self._changed:
                self._holders -= 1
                self._changed.notify_all()

    def wait(self) -> None:
        """Wait until nothing holds the end back. Blocks."""
        with self._changed:
            self._changed.wait_for(lambda: self._holders == 0, _LONGEST_HOLD_SECONDS)


class Channel:
    """Frames in and out. The end of the input ends the process at once, but for work that holds the gate."""

    def __init__(self, source: BinaryIO, target: BinaryIO, gate: EndGate) -> None:
        self._gate = gate
        self._source = source
        self._target = target
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting: list[frames.Order] = []
        self._deliver: Callable[[frames.Order], object] = self._waiting.append
        self._delivery = threading.Lock()
        self._writer = threading.Thread(target=self._write, name="frames out", daemon=True)
        self._reader = threading.Thread(target=self._read, name="frames in", daemon=True)
        self._writer.start()
        self._reader.start()

    def send(self, frame: frames.Report) -> None:
        """Queue a frame; the order is kept."""
        self._outgoing.put(frames.REPORTS.pack(frame))

    def listen(self, loop: asyncio.AbstractEventLoop, receive: Callable[[frames.Order], None]) -> None:
        """Call `receive` in the loop for each order from now on, first for the orders received already."""
        with self._delivery:
            for order in self._waiting:
                loop.call_soon_threadsafe(receive, order)
            self._deliver = lambda order: loop.call_soon_threadsafe(receive, order)

    def close(self) -> None:
        """Write the queued frames, then stop the writer."""
        self._outgoing.put(None)
        self._writer.join()

    def _read(self) -> None:
        try:
            while order := frames.ORDERS.read(self._source):
                with self._delivery:
                    self._deliver(order)
        except BrokenFrame as error:
            print(f"placet model host: the daemon sent a broken frame: {error}", file=sys.stderr, flush=True)  # noqa: T201
            os._exit(2)
        self._gate.wait()
        os._exit(0)

    def _write(self) -> None:
        while data := self._outgoing.get():
            try:
                write_whole(self._target, data)
            except OSError:
                os._exit(0)
