"""Connection to the shared daemon: the first line says who connects, and the rest is LSP.

An editor speaking LSP at once may do so on a socket of the user's own; on the network the token comes first.
"""

import asyncio
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from placet.core.framing import FrameDecoder, Malformed
from placet.frontends.lsp.shared import endpoint_address
from placet.frontends.lsp.shared.endpoint_address import Greeting

_READ_BYTES = 64 * 1024
_ROOM_BYTES = 1024 * 1024

Refusal = Literal["leaving", "busy", "refused"]


@dataclass(frozen=True, slots=True)
class Welcome:
    """Receiver of the messages of an admitted editor, held by the editor's wire."""

    deliver: Callable[[bytes | Malformed], None]
    on_end: Callable[[], None]
    """Function called when the editor sends no more, and again when the socket is closed."""


class SocketWire(asyncio.BufferedProtocol):
    """Connection's writer over a socket; the writer belongs to the event loop."""

    def __init__(self, version: str, on_greeting: "Callable[[SocketWire, Greeting | None], Welcome | Refusal]") -> None:
        """Create the writer of a connection. `version` is the daemon's version, sent in the daemon's answer.

        `on_greeting` decides on the editor; None in place of the greeting stands for LSP without a greeting.
        """
        self._version = version
        self._on_greeting = on_greeting
        self._view = memoryview(bytearray(_READ_BYTES))
        self._decoder = FrameDecoder()
        self._greeting: bytearray | None = bytearray()
        self._transport: asyncio.Transport | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._welcome: Welcome | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    # ---------------------------------------------------------------- to the editor

    @property
    def has_room(self) -> bool:
        """Return whether the editor keeps up."""
        transport = self._transport
        return transport is None or transport.is_closing() or transport.get_write_buffer_size() < _ROOM_BYTES

    def write(self, data: bytes) -> None:
        """Queue the bytes. The bytes are lost when the connection is lost."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """Accept no more data; queued data is still written."""
        if self._transport is not None:
            self._transport.close()

    async def finish(self, timeout_seconds: float) -> None:
        """Close, and wait until all data is written, at most for the given time."""
        self.close()
        _, unwritten = await asyncio.wait([self.ended], timeout=timeout_seconds)
        if unwritten and self._transport is not None:
            self._transport.abort()

    # ---------------------------------------------------------------- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if not _is_ours(self._transport):
            self._transport.abort()
            return
        self._patience = asyncio.get_running_loop().call_later(endpoint_address.GREETING_SECONDS, self.close)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._view

    def buffer_updated(self, nbytes: int) -> None:
        data = bytes(self._view[:nbytes])
        if self._greeting is not None:
            self._greeting += data
            data = self._greet(self._greeting)
        if data and self._welcome is not None:
            for body in self._decoder.feed(data):
                self._welcome.deliver(body)

    def eof_received(self) -> bool:
        self._end()
        return True  # Bytes on their way to the editor are still written; the server of the connection closes it.

    def connection_lost(self, exc: Exception | None) -> None:
        self._be_patient_no_more()
        if not self.ended.done():
            self.ended.set_result(None)
        self._end()

    def _end(self) -> None:
        """Tell the receiver of the end; without a receiver nobody else closes the socket."""
        if self._welcome is None:
            self.close()
        else:
            self._welcome.on_end()

    def _greet(self, received: bytearray) -> bytes:
        """Take the first line, if the line is whole, and return the LSP bytes behind the line."""
        greeting, rest = None, bytes(received)
        if Greeting.may_begin(rest):
            first, ended, rest = rest.partition(b"\n")
            if not ended:
                if len(received) > endpoint_address.GREETING_LIMIT_BYTES:
                    self.close()
                return b""
            greeting = Greeting.read(first)
        self._greeting = None
        self._be_patient_no_more()
        answer = self._on_greeting(self, greeting)
        word = "welcome" if isinstance(answer, Welcome) else answer
        if greeting is not None:
            self.write(endpoint_address.answer_line(word, self._version if word != "refused" else "-"))
        if isinstance(answer, Welcome):
            self._welcome = answer
            return rest
        if answer != "leaving":
            self.close()
        return b""

    def _be_patient_no_more(self) -> None:
        if self._patience is not None:
            self._patience.cancel()


def _is_ours(transport: asyncio.BaseTransport) -> bool:
    """Return whether the other side of a socket is this user's, as far as the system tells (Linux)."""
    end = transport.get_extra_info("socket")
    if sys.platform != "linux" or end is None or end.family != socket.AF_UNIX:
        return True
    import os

    _, user, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return user in (os.getuid(), 0)
