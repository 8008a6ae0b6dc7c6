"""A server on 127.0.0.1 that answers with bytes, also with bytes that are no HTTP."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

OK = b"HTTP/1.1 200 OK\r\n"


Reply = bytes | list[bytes | asyncio.Event | None]
"""Bytes to send; in a list an event is awaited, and None closes the connection."""


class RawServer:
    """Server on 127.0.0.1 that reads requests and answers each with the bytes of `reply`, a piece at a time."""

    def __init__(self, *replies: Reply) -> None:
        """Reply to the requests in turn, to the rest with the last reply."""
        self._replies = list(replies)
        self.asked = asyncio.Event()
        self.requests: list[bytes] = []
        self.peers: set[object] = set()
        self.closed = asyncio.Event()
        """Set when a client has closed a connection."""
        self.sent = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def run(self, **options: object) -> AsyncGenerator["RawServer"]:
        self.scheme = "https" if "ssl" in options else "http"
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, **options)  # pyright: ignore[reportArgumentType]
        self.port = server.sockets[0].getsockname()[1]
        yield self
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            self.closed.set()
        except asyncio.CancelledError:
            pass  # The end of `run`.
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next((line[16:] for line in head.split(b"\r\n") if line.startswith(b"content-length: ")), b"0")
        self.requests.append(head + await reader.readexactly(int(length)))
        self.peers.add(writer.get_extra_info("peername"))
        self.asked.set()
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        for piece in reply if isinstance(reply, list) else [reply]:
            if piece is None:
                return False
            if isinstance(piece, asyncio.Event):
                await piece.wait()
                continue
            writer.write(piece)
            await writer.drain()
            self.sent += len(piece)
        return True


def whole(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = [b"HTTP/1.1 " + status, b"content-length: %d" % len(body), *headers]
    return b"\r\n".join([*lines, b"", b""]) + body


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return OK + b"transfer-encoding: chunked\r\n\r\n" + b"".join(b"%x\r\n%b\r\n" % (len(c), c) for c in chunks) + end
