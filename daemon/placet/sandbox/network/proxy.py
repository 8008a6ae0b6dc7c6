"""Proxy at the edge of a session's network namespace: HTTP (CONNECT and absolute form) and SOCKS5 on one port.

The daemon accepts on a socket that was opened inside the namespace. The target of the first request decides for the
whole connection: later bytes of a tunnel are only copied, and a plain request is the only request of a connection. TLS
stays closed to the proxy. Nothing of a request is logged.
"""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from placet.sandbox.domains import Host, parse_host
from placet.sandbox.network.connections import CommandConnections, Refusal, Refused
from placet.sandbox.network.destination import (
    HEAD_BYTES,
    LOOPBACK,
    Outside,
    Streams,
    Unreachable,
    Way,
    open_tunnel,
    open_way,
)
from placet.sandbox.network.requests import (
    NO_LOGIN,
    SOCKS_VERSION,
    PlainRequest,
    RequestReader,
    TunnelRequest,
    UnfitRequest,
    socks_reply,
    socks_target,
)

MAX_CONNECTIONS = 256
HEAD_SECONDS = 15.0
"""Time for a client to send the head of a request."""
LINGER_SECONDS = 1.0
"""Time for a client to read a refusal, while the rest of the request is dropped."""

_COPY_BYTES = 1 << 16
_REASONS = {
    400: "Bad Request",
    403: "Refused by the sandbox",
    431: "Request Header Fields Too Large",
    501: "Not Implemented",
    502: "Bad Gateway",
    505: "HTTP Version Not Supported",
}
_SOCKS_CONNECT = 1
_SOCKS_LENGTHS = {1: 4, 4: 16}
"""Lengths of the addresses by kind; a name (kind 3) begins with the length."""

Newest = Callable[[], CommandConnections]
"""Function that returns the connections of the newest running command."""


class Proxy:
    """Server of a session's connections; the session's network owns and closes the proxy."""

    def __init__(self, newest: Newest, outside: Outside) -> None:
        self._newest = newest
        self._outside = outside
        self._servers: list[asyncio.Server] = []
        self._clients: set[asyncio.Task[None]] = set()

    async def listen(self, listener: socket.socket) -> None:
        """Serve HTTP and SOCKS5 on a listening socket, which now belongs to the proxy."""

        def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._start(writer, _serve_client((reader, writer), self._newest(), self._outside))

        self._servers.append(await asyncio.start_server(serve, sock=listener, limit=HEAD_BYTES))

    async def forward(self, listener: socket.socket, port: int) -> None:
        """Carry the connections of a listening socket to a port of this machine, while the list opens the port."""

        def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._start(writer, _serve_port(port, (reader, writer), self._newest(), self._outside))

        self._servers.append(await asyncio.start_server(serve, sock=listener))

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def _start(self, writer: asyncio.StreamWriter, service: Coroutine[Any, Any, None]) -> None:
        """Run the service of a client, unless the clients are too many."""
        if len(self._clients) >= MAX_CONNECTIONS:
            service.close()
            writer.close()
            return
        client = asyncio.create_task(_run(service, writer), name="client of the sandbox's proxy")
        self._clients.add(client)
        client.add_done_callback(self._clients.discard)


async def _run(service: Coroutine[Any, Any, None], writer: asyncio.StreamWriter) -> None:
    """Run the service of a client, and close the connection at the end."""
    try:
        await service
    except (OSError, EOFError):
        pass  # One side has left, or the client has sent no request within the time (TimeoutError).
    finally:
        writer.close()


async def _serve_client(client: Streams, connections: CommandConnections, outside: Outside) -> None:
    async with asyncio.timeout(HEAD_SECONDS):
        first = await client[0].readexactly(1)
    serve = _serve_socks if first[0] == SOCKS_VERSION else _serve_http
    await serve(first, client, connections, outside)


async def _serve_port(port: int, client: Streams, connections: CommandConnections, outside: Outside) -> None:
    try:
        server = await open_tunnel(parse_host(LOOPBACK[0]), port, connections, outside)
    except Refused as error:
        connections.note(Refusal("localhost", port, str(error)))
    except Unreachable:
        pass  # The client sees a closed connection, as from a port without a service.
    else:
        await _join(client, server)


async def _serve_http(first: bytes, client: Streams, connections: CommandConnections, outside: Outside) -> None:
    try:
        async with asyncio.timeout(HEAD_SECONDS):
            request = await _read_http(first, client[0])
    except UnfitRequest as error:
        await _refuse(client, error.status, f"Placet's sandbox cannot serve the request: {error}.")
        return
    except asyncio.LimitOverrunError:
        await _refuse(client, 431, f"The head of the request is longer than {HEAD_BYTES // 1024} KB.")
        return
    place = f"{request.host}:{request.port}"
    try:
        match request:
            case TunnelRequest(host, port):
                server = await open_tunnel(host, port, connections, outside)
                client[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await _join(client, server)
            case PlainRequest(host, port):
                way = await open_way("http", host, port, connections, outside)
                await _exchange(client, way, request)
    except Refused as error:
        connections.note(Refusal(str(request.host), request.port, str(error)))
        await _refuse(client, 403, f"Placet's sandbox refuses the connection to {place}: {error}.")
    except Unreachable as error:
        await _refuse(client, 502, f"{place} cannot be reached: {error}.")


async def _read_http(first: bytes, source: asyncio.StreamReader) -> TunnelRequest | PlainRequest:
    """Return the request. Raises UnfitRequest, LimitOverrunError and EOFError."""
    reader = RequestReader()
    reader.feed(first + await source.readuntil(b"\r\n\r\n"))
    return reader.request()


async def _refuse(client: Streams, status: int, sentence: str) -> None:
    body = f"{sentence}\n".encode()
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    client[1].write(head.encode() + body)
    client[1].write_eof()
    # A close with unread bytes would be a reset, and the client could lose the answer.
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while await client[0].read(_COPY_BYTES):
                pass


async def _serve_socks(first: bytes, client: Streams, connections: CommandConnections, outside: Outside) -> None:
    reader, writer = client
    try:
        async with asyncio.timeout(HEAD_SECONDS):
            target = await _read_socks(client)
    except UnfitRequest as error:
        writer.write(socks_reply(7 if error.status == 501 else 8))
        return
    if target is None:
        return
    host, port = target
    try:
        server = await open_tunnel(host, port, connections, outside)
    except Refused as error:
        connections.note(Refusal(str(host), port, str(error)))
        writer.write(socks_reply(2))
    except Unreachable:
        writer.write(socks_reply(4))
    else:
        writer.write(socks_reply(0))
        await _join((reader, writer), server)


async def _read_socks(client: Streams) -> tuple[Host, int] | None:
    """Return the target after the greeting; None for a client that wants to log in. Raises UnfitRequest, EOFError."""
    reader, writer = client
    methods = await reader.readexactly((await reader.readexactly(1))[0])
    if NO_LOGIN not in methods:
        writer.write(bytes((SOCKS_VERSION, 0xFF)))
        return None
    writer.write(bytes((SOCKS_VERSION, NO_LOGIN)))
    version, command, _, kind = await reader.readexactly(4)
    length = (await reader.readexactly(1))[0] if kind == 3 else _SOCKS_LENGTHS.get(kind)
    if version != SOCKS_VERSION or length is None:
        raise UnfitRequest("the kind of address is unknown")
    address, port = await reader.readexactly(length), await reader.readexactly(2)
    if command != _SOCKS_CONNECT:
        raise UnfitRequest("only CONNECT is served", 501)
    return socks_target(kind, address, port)


async def _exchange(client: Streams, way: Way, request: PlainRequest) -> None:
    """Send one request, and copy the answer until the server closes; later requests of the client are not read."""
    upstream = way.upstream
    authorization = None if upstream is None else upstream.authorization
    way.writer.write(request.head(is_for_proxy=upstream is not None, authorization=authorization))
    answering = asyncio.create_task(_copy(way.reader, client[1]))
    sending = asyncio.create_task(_send_body(client[0], way.writer, request.body))
    try:
        await asyncio.wait((answering, sending), return_when=asyncio.FIRST_COMPLETED)
        if answering.done() or not sending.result():
            await answering
    except UnfitRequest:
        pass  # The body is broken off: the server sees an incomplete request, and the client a closed connection.
    finally:
        way.writer.close()
        answering.cancel()
        sending.cancel()
        await asyncio.gather(answering, sending, return_exceptions=True)


async def _send_body(source: asyncio.StreamReader, server: asyncio.StreamWriter, body: RequestReader) -> bool:
    """Send the rest of the request; then wait, and return whether the client has left. Raises UnfitRequest."""
    while not body.is_complete:
        data = await source.read(_COPY_BYTES)
        if not data:
            return True
        server.write(body.feed(data))
        try:
            await server.drain()
        except OSError:  # The server reads no more, and has perhaps answered.
            return False
    return not await source.read(1)


async def _join(client: Streams, server: Streams) -> None:
    """Copy both ways until both sides have ended, and close the server's side."""
    try:
        async with asyncio.TaskGroup() as copies:
            copies.create_task(_copy(client[0], server[1]))
            copies.create_task(_copy(server[0], client[1]))
    except* OSError:
        pass  # A side has left without a goodbye.
    finally:
        server[1].close()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(_COPY_BYTES):
        sink.write(data)
        await sink.drain()
    sink.write_eof()
