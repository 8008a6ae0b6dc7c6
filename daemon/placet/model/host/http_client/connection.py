"""Connection to a server, and the response which the connection brings. No response is buffered beyond BUFFER_BYTES."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from placet.model.host.http_client.bounded_body import BoundedBody
from placet.model.host.http_client.failures import ConnectionLost, HttpFailure, UnfitResponse

BUFFER_BYTES = 1 << 18
"""Bytes of a body which wait for the reader before the connection stops the server."""
_MOST_OVERHEAD_BYTES = 1 << 20
"""Limit of heads and trailers of one response, and of the lines between chunks without content."""


class HttpResponse:
    """Response whose body has not been read: placet.model.host.reading.Body.

    The reader owns the response, and reads the body to its end or closes the response.
    """

    def __init__(self, connection: "Connection") -> None:
        self.status = 0
        self.reason = ""
        self.headers: Mapping[str, str] = {}
        """Headers by lower-case name; several headers of one name are joined by commas."""
        self._connection: Connection | None = connection
        """Connection of the unfinished body."""
        self._body: BoundedBody | None = None
        self._chunks: list[bytes] = []
        self._size = 0
        self._is_complete = False
        self._failure: HttpFailure | None = None
        self._waiter: asyncio.Future[None] | None = None

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the unpacked body in pieces as the pieces come. Raises HttpFailure."""
        assert self._body is not None, "the connection hands over the response after the head"
        try:
            while data := await self._received():
                for piece in self._body.unpack(data):
                    yield piece
                if self._body.is_full:
                    await self.close()
                    return
        except HttpFailure:
            await self.close()
            raise

    async def drain(self) -> None:
        """Read the rest of the body and ignore errors, so that the connection can serve the next request."""
        with contextlib.suppress(HttpFailure):
            while await self._received():
                pass

    async def read(self) -> bytes:
        """Return the whole body. Raises HttpFailure."""
        return b"".join([piece async for piece in self.chunks()])

    async def close(self) -> None:
        """End the connection at once unless the whole body has come."""
        if self._connection is not None:
            self._connection.abort()

    async def head_received(self) -> None:
        """Wait for the head. Raises HttpFailure."""
        while self._body is None:
            await self._wait()

    def take_head(self, status: int, reason: str, headers: Mapping[str, str]) -> None:
        """Take the head from the connection. Raises UnfitResponse."""
        self._body = BoundedBody(status, headers)
        self.status, self.reason, self.headers = status, reason, headers
        self._wake()

    def take_data(self, data: bytes) -> bool:
        """Take a part of the body from the connection; return whether the connection shall go on reading."""
        self._chunks.append(data)
        self._size += len(data)
        self._wake()
        return self._size < BUFFER_BYTES

    def take_end(self, failure: HttpFailure | None) -> None:
        """Take the end of the body, or the failure in place of the rest, and let the connection go."""
        self._connection = None
        self._is_complete, self._failure = failure is None, failure
        self._wake()

    async def _received(self) -> bytes:
        """Return the bytes received since the last call; wait for bytes; return no bytes at the end."""
        while not self._chunks:
            if self._is_complete:
                return b""
            await self._wait()
        data = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks.clear()
        self._size = 0
        if self._connection is not None:
            self._connection.resume()
        return data

    async def _wait(self) -> None:
        if self._failure is not None:
            raise self._failure
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Connection(asyncio.Protocol):
    """Connection which carries one request at a time. The client owns the connection while no request runs."""

    def __init__(self, on_free: Callable[["Connection"], None] | None) -> None:
        """Call `on_free` when the connection can carry the next request; None for a tunnel through a proxy.

        The connection belongs to another protocol once the tunnel is open.
        """
        self._on_free = on_free
        self._transport: asyncio.Transport | None = None
        self._parser = HttpResponseParser(self)
        self._response: HttpResponse | None = None
        """Response under way."""
        self._reason = b""
        self._headers: dict[str, str] = {}
        self._has_head = False
        self._ends_with_connection = False
        self._is_paused = False
        self._overhead = 0
        """Bytes received since the last part of a body."""

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None, "connection_made comes first"
        return self._transport

    @property
    def is_usable(self) -> bool:
        """Return whether a new request can be sent."""
        return self._response is None and not self.transport.is_closing()

    async def send(self, message: list[bytes]) -> HttpResponse:
        """Send a request, and return the response after its head. Raises HttpFailure."""
        response = self._response = HttpResponse(self)
        self._has_head, self._overhead, self._reason, self._headers = False, 0, b"", {}
        self.transport.writelines(message)
        try:
            await response.head_received()
        except BaseException:
            self.abort()
            raise
        return response

    def abort(self) -> None:
        """End the connection at once."""
        self._end_response(ConnectionLost("the connection was closed"))
        self.transport.abort()

    def resume(self) -> None:
        """Go on reading after a pause."""
        if self._is_paused:
            self._is_paused = False
            self.transport.resume_reading()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is None and self._has_head and self._ends_with_connection:
            self._end_response(None)
        elif self._has_head:
            self._end_response(ConnectionLost("the connection was lost"))
        else:
            self._end_response(ConnectionLost("the server closed the connection without an answer"))

    def data_received(self, data: bytes) -> None:
        self._overhead += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if self._has_head:
                self._end_response(ConnectionLost(f"its answer is damaged: {error}"))
            self._spoil(f"its answer is no HTTP: {error}")
        if self._overhead > _MOST_OVERHEAD_BYTES:
            self._spoil("the head of its answer is larger than any that can be read")

    # Callbacks of the parser:

    def on_message_begin(self) -> None:
        if self._response is None:
            self.transport.abort()  # The server sent more than a response, which would be the next response.

    def on_status(self, status: bytes) -> None:
        self._reason += status

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._has_head:
            key, text = name.decode("latin-1").lower(), value.decode("utf-8", "replace")
            self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200 or self._response is None:
            return
        self._has_head = True
        is_chunked = "chunked" in self._headers.get("transfer-encoding", "").lower()
        self._ends_with_connection = not is_chunked and "content-length" not in self._headers
        try:
            self._response.take_head(status, self._reason.decode("latin-1"), self._headers)
        except UnfitResponse as error:
            self._end_response(error)
            self.transport.abort()

    def on_body(self, body: bytes) -> None:
        self._overhead = 0
        if self._response is not None and not self._response.take_data(body) and not self._is_paused:
            self._is_paused = True
            self.transport.pause_reading()

    def on_message_complete(self) -> None:
        if not self._has_head:
            self._reason, self._headers = b"", {}  # An interim response (RFC 9110 section 15.2) has ended.
            return
        self._end_response(None)
        if self._on_free is None:
            return
        if self._parser.should_keep_alive() and not self.transport.is_closing():
            self.resume()
            self._on_free(self)
        else:
            self.transport.abort()

    def _spoil(self, words: str) -> None:
        self._end_response(UnfitResponse(words))
        self.transport.abort()

    def _end_response(self, failure: HttpFailure | None) -> None:
        if self._response is not None:
            self._response.take_end(failure)
            self._response = None
