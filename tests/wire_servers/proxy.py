"""An HTTP proxy on 127.0.0.1 that keeps what it was asked for, and can refuse."""

import asyncio
import ssl
from typing import Self
from urllib.parse import urlsplit


class Proxy:
    """`async with Proxy() as proxy:`; CONNECT for https, absolute addresses for http; one request a connection."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.asked: list[str] = []
        """The first line of each request."""
        self.logins: list[str] = []
        """The `proxy-authorization` of each request that has one."""
        self.refuses = False
        self.tunnel = b"HTTP/1.1 200 Connected\r\n\r\n"
        """The answer to a CONNECT."""
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        method, target, _ = line.decode().split()
        self.asked.append(line.decode())
        self.logins += [
            header[21:].decode() for header in rest.split(b"\r\n") if header.startswith(b"proxy-authorization: ")
        ]
        if self.refuses:
            writer.write(b"HTTP/1.1 403 Not Today\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            await writer.drain()
            return
        address = urlsplit(f"//{target}" if method == "CONNECT" else target)
        server_reader, server_writer = await asyncio.open_connection(address.hostname, address.port)
        if method == "CONNECT":
            writer.write(self.tunnel)
        else:
            server_writer.write(f"{method} {address.path} HTTP/1.1\r\n".encode() + rest)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_pump(reader, server_writer))
                group.create_task(_pump(server_reader, writer))
        except* ConnectionError:
            pass
        finally:
            server_writer.close()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(1 << 16):
        target.write(data)
        await target.drain()
    if target.can_write_eof():
        target.write_eof()
