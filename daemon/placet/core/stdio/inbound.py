"""Pipe from the client: read by a thread of its own, from before the event loop exists until the end of the input.

The handshake imports the module, so the module imports little.
"""

from __future__ import annotations

import os
import queue
import threading
from dataclasses import dataclass
from functools import partial

from placet.core.framing import Malformed
from placet.core.stdio.garbage import collect_only_the_young
from placet.core.stdio.wire import claim_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Iterator
    from typing import Protocol

    class Decoder(Protocol):
        """Decoder of a stream of bytes into messages."""

        def feed(self, data: bytes) -> Iterator[bytes | Malformed]: ...


_READ_BYTES = 64 * 1024
_MESSAGES_AHEAD = 32


class Inbound:
    """Reader of the client's messages. Messages wait in order, a few at most, until somebody takes the messages."""

    def __init__(self, descriptor: int, decoder: Decoder) -> None:
        self._descriptor = descriptor
        self._decoder = decoder
        self._slots = threading.Semaphore(_MESSAGES_AHEAD)
        self._waiting: queue.SimpleQueue[bytes | Malformed | None] = queue.SimpleQueue()
        """Messages read and not taken yet; None is the end of the input."""
        self._wake: Callable[[], object] | None = None
        """Function that has the loop take a message; None until the loop exists."""
        # A daemon thread: nothing can interrupt a read of a pipe that stays open.
        self._thread = threading.Thread(target=self._run, name="placet-inbound", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def take(self) -> bytes | Malformed | None:
        """Wait for the next message, before `deliver` is called; return None at the end of the input."""
        message = self._waiting.get()
        self._slots.release()
        return message

    def deliver(
        self, loop: AbstractEventLoop, receive: Callable[[bytes | Malformed], None], on_end: Callable[[], None]
    ) -> None:
        """Deliver the waiting and the later messages on the loop, in order, and tell the end of the input."""
        take = partial(self._take_on_loop, receive, on_end)
        self._wake = partial(loop.call_soon_threadsafe, take)
        # A message that the thread queues meanwhile may wake the loop twice, and never not at all.
        for _ in range(self._waiting.qsize()):
            self._wake()

    def _take_on_loop(self, receive: Callable[[bytes | Malformed], None], on_end: Callable[[], None]) -> None:
        try:
            message = self._waiting.get_nowait()
        except queue.Empty:
            return
        self._slots.release()
        if message is None:
            on_end()
        else:
            receive(message)

    def _run(self) -> None:
        try:
            for message in self._messages():
                self._slots.acquire()
                self._waiting.put(message)
                if self._wake is not None:
                    self._wake()
        except RuntimeError:
            # The loop is closed: nobody is left to deliver to.
            return

    def _messages(self) -> Iterator[bytes | Malformed | None]:
        while data := self._read():
            yield from self._decoder.feed(data)
        yield None

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ_BYTES)
        except OSError:
            return b""


@dataclass(frozen=True, slots=True)
class Begun:
    """Begun connection to the client, made once for each process and passed to the loaded server."""

    output: int
    """File descriptor leading to the client."""
    inbound: Inbound
    """Reader of the messages behind the first message."""
    first: bytes | Malformed
    """First message of the client."""


def begin(decoder: Decoder) -> Begun | None:
    """Claim stdin and stdout, and wait for the client's first message. Call this function first of all.

    Return None if the client is gone before the first message. The loaded server ends the sparing collection of garbage
    (`collect_as_usual`).
    """
    collect_only_the_young()
    wire = claim_stdio()
    inbound = Inbound(wire.read, decoder)
    inbound.start()
    first = inbound.take()
    return None if first is None else Begun(wire.write, inbound, first)
