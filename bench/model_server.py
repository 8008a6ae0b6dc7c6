"""A model server for the bench: sends answers made beforehand as fast as the client takes them. Runs as a process.

`GET /play/<answer>,<answer>…` says what the next requests to `/v1/chat/completions` get: `text`, `arguments`, `short`
or `endless`; the last one for ever. `GET /sent` gives the moment the first byte of the first of them was sent, by
time.monotonic, which all processes of a machine share; `GET /gone` waits until the client of an endless one has left,
and gives that moment.
"""

import asyncio
import json
import sys
import time

TEXT_DELTAS = 20_000
ARGUMENT_DELTAS = 19_000
PIECES = tuple(f"word after word, about {number:05} characters of it, " for number in range(TEXT_DELTAS))
"""About 50 characters each, and numbered: an answer that repeats itself is stopped."""
_BLOCK_BYTES = 16 * 1024


def _event(delta: object, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    head = {"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "bench"}
    return b"data: " + json.dumps({**head, "choices": [choice]}).encode() + b"\n\n"


def _call(arguments: str, **named: object) -> dict[str, object]:
    function = {"arguments": arguments, **({"name": "nothing"} if named else {})}
    return {"tool_calls": [{"index": 0, "function": function, **named}]}


def _answers() -> dict[str, bytes]:
    end = b"data: [DONE]\n\n"
    value = [_event(_call("40 characters of a tool call's argument. "))] * ARGUMENT_DELTAS
    opened, closed = _event(_call('{"content": "', id="call_1", type="function")), _event(_call('"}'))
    return {
        "text": b"".join(_event({"content": piece}) for piece in PIECES) + _event({}, "stop") + end,
        "arguments": opened + b"".join(value) + closed + _event({}, "tool_calls") + end,
        "short": _event({"content": "Seen."}) + _event({}, "stop") + end,
        "endless": _event({"content": PIECES[0]}),
    }


class Server:
    def __init__(self) -> None:
        self._answers = _answers()
        self._playing = ["short"]
        self._sent: float | None = None
        self._gone: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                path = line.split()[1].decode()
                length = 0
                while (header := await reader.readline()).strip():
                    name, _, value = header.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                await reader.readexactly(length)
                await self._answer(path, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        match path.split("/")[1:]:
            case ["play", names]:
                self._playing, self._sent = names.split(","), None
                self._gone = asyncio.get_running_loop().create_future()
                _tell(writer, 0.0)
            case ["sent"]:
                _tell(writer, self._sent or 0.0)
            case ["gone"]:
                _tell(writer, await self._gone)
            case _:
                await self._stream(reader, writer)

    async def _stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = self._playing.pop(0) if len(self._playing) > 1 else self._playing[0]
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        self._sent = self._sent or time.monotonic()
        body = self._answers[name]
        for start in range(0, len(body), _BLOCK_BYTES):
            block = body[start : start + _BLOCK_BYTES]
            writer.write(b"%x\r\n%b\r\n" % (len(block), block))
            await writer.drain()
        if name == "endless":
            await reader.read()
            self._gone.set_result(time.monotonic())
            raise ConnectionResetError
        writer.write(b"0\r\n\r\n")


def _tell(writer: asyncio.StreamWriter, moment: float) -> None:
    body = repr(moment).encode()
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))


async def main() -> None:
    server = await asyncio.start_server(Server().serve, "127.0.0.1", 0, limit=1 << 24)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
