"""A model server for long sessions, as a process: every answer is one tool call, until a turn's calls are spent.

`GET /turn/<calls>/<first line>` begins a turn of so many reads; `GET /gaps` gives, as JSON, for each request since
then the milliseconds from the answer before it to its last byte, and its size in bytes.
"""

import asyncio
import json
import sys
import time
from typing import cast

_HEAD = {"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "bench"}
LINES_READ = 50
_LARGEST_REQUEST_BYTES = 1 << 23
_LARGEST_HEAD_BYTES = 1 << 14


def _event(delta: object, finish: str | None = None) -> bytes:
    return (
        b"data: " + json.dumps({**_HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).encode()
    )


def _answer(line: int | None) -> bytes:
    if line is None:
        events = [_event({"content": "Done."}), _event({}, "stop")]
    else:
        arguments = json.dumps({"filePath": "file.py", "offset": line, "limit": LINES_READ})
        function = {"name": "read", "arguments": arguments}
        call = {"index": 0, "id": f"call_{line}", "type": "function", "function": function}
        events = [
            _event({"content": f"I read on at {line}."}),
            _event({"tool_calls": [call]}),
            _event({}, "tool_calls"),
        ]
    return b"\n\n".join([*events, b"data: [DONE]", b""])


class Server:
    """What is played, and what was measured."""

    def __init__(self) -> None:
        self._lines = iter(range(0))
        self._gaps: list[tuple[float, int]] = []
        self._ended: float | None = None

    def answer(self, path: str, length: int) -> bytes:
        """To a request whose last byte has just come in."""
        match path.split("/")[1:]:
            case ["turn", calls, first]:
                self._lines = iter(range(int(first), int(first) + int(calls)))
                self._gaps, self._ended = [], None
                return _response(b"{}", "application/json")
            case ["gaps"]:
                return _response(json.dumps(self._gaps).encode(), "application/json")
            case _:
                if self._ended is not None:
                    self._gaps.append(((time.perf_counter() - self._ended) * 1000, length))
                response = _response(_answer(next(self._lines, None)), "text/event-stream")
                self._ended = time.perf_counter()
                return response


class Connection(asyncio.BufferedProtocol):
    """Takes a request into one buffer and looks at nothing but its head: the server must not be what is measured."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._buffer = memoryview(bytearray(_LARGEST_REQUEST_BYTES))
        self._filled = 0
        self._end = 0
        """Of the request, once its head is there."""
        self._path, self._length = "", 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        self._filled += nbytes
        if not self._end:
            self._read_head()
        if self._end and self._filled >= self._end:
            self._filled = self._end = 0
            self._transport.write(self._server.answer(self._path, self._length))

    def _read_head(self) -> None:
        head, found, _ = bytes(self._buffer[: min(self._filled, _LARGEST_HEAD_BYTES)]).partition(b"\r\n\r\n")
        if not found:
            return
        first, *others = head.decode("latin-1").split("\r\n")
        lengths = [line.partition(":")[2] for line in others if line.lower().startswith("content-length:")]
        self._path, self._length = first.split()[1], int(lengths[0]) if lengths else 0
        self._end = len(head) + len(found) + self._length


def _response(body: bytes, kind: str) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n%b" % (kind.encode(), len(body), body)


async def main() -> None:
    played = Server()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(played), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
