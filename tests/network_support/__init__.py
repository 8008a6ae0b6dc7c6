"""An internet of the test's own for the proxy of the sandbox: names, addresses, and servers on 127.0.0.1.

A public address of a name leads to a local server. An address without a server is unreachable, so that no test connects
anywhere else.
"""

import asyncio
import errno
import os
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from placet.sandbox.domains import Domains
from placet.sandbox.network.connections import AskHost, CommandConnections
from placet.sandbox.network.destination import Outside, Scheme, Streams
from placet.sandbox.network.proxy import Proxy

PUBLIC = "93.184.216.34"
OTHER_PUBLIC = "2606:2800:220:1:248:1893:25c8:1946"
OWN = "198.35.26.96"
"""Public address that the machine itself has."""

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Internet:
    """Names with addresses, and local servers for addresses; `resolved` and `connected` are what the proxy did."""

    names: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    servers: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """Ports of the local servers by (address, port)."""
    upstream: str | None = None
    resolved: list[str] = field(default_factory=list[str])
    connected: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    @property
    def outside(self) -> Outside:
        return Outside(self._resolve, self._connect, self._upstream, lambda: frozenset((OWN,)))

    async def _resolve(self, host: str, port: int) -> list[str]:
        self.resolved.append(host)
        if host not in self.names:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return list(self.names[host])

    async def _connect(self, address: str, port: int) -> Streams:
        self.connected.append((address, port))
        if (address, port) not in self.servers:
            raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))
        return await asyncio.open_connection("127.0.0.1", self.servers[address, port])

    def _upstream(self, scheme: Scheme, host: str) -> str | None:
        return self.upstream

    @asynccontextmanager
    async def server(self, handler: Handler, *places: tuple[str, int]) -> AsyncGenerator[int]:
        """Serve the (address, port) places by a local server, and yield the server's port."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await handler(reader, writer)
            except (OSError, EOFError):
                pass  # The proxy has closed.
            finally:
                writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port: int = server.sockets[0].getsockname()[1]
            self.servers |= dict.fromkeys(places, port)
            yield port


@dataclass
class ProxyClient:
    """Proxy on the loopback, and the connections of the one command that runs."""

    port: int
    connections: CommandConnections

    async def open(self) -> Streams:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def send(self, data: bytes) -> bytes:
        """Send the bytes, and return all bytes of the answer until the proxy closes."""
        reader, writer = await self.open()
        writer.write(data)
        answer = b""
        try:
            while part := await reader.read(1 << 16):
                answer += part
        except ConnectionResetError:
            pass
        writer.close()
        return answer

    async def connect(self, place: str) -> bytes:
        """Return the status line and the text of the answer to CONNECT, for a place that is refused."""
        return await self.send(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())


@asynccontextmanager
async def running_proxy(internet: Internet, *domains: str, ask: AskHost | None = None) -> AsyncGenerator[ProxyClient]:
    connections = CommandConnections(Domains.read(domains), ask)
    proxy = Proxy(lambda: connections, internet.outside)
    listener = socket.create_server(("127.0.0.1", 0))
    await proxy.listen(listener)
    try:
        yield ProxyClient(listener.getsockname()[1], connections)
    finally:
        await proxy.close()
        await connections.close()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send everything back, until the other side has sent everything."""
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()


async def show_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer an HTTP request with its own bytes as the body, as far as they have come with the head."""
    head = await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + head)
    await writer.drain()
