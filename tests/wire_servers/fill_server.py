"""A server on 127.0.0.1 that fills holes over the interfaces of llama.cpp, Ollama, Mistral and OpenAI, with faults."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from aiohttp import web

Interface = Literal["infill", "ollama", "mistral", "completions", "chat"]
PATHS: dict[str, Interface] = {
    "/infill": "infill",
    "/api/generate": "ollama",
    "/fim/completions": "mistral",
    "/chat/completions": "chat",
    "/completions": "completions",
}


@dataclass(slots=True)
class FillAnswer:
    """Answer to one hole."""

    pieces: Sequence[str] = ()
    reason: str = "stop"
    breaks_off: bool = False
    """The connection is closed in the middle of the answer."""
    status: int = 200
    error: str = ""
    waits: asyncio.Event | None = None
    """The first piece is sent once the event is set."""
    goes_on: bool = False
    """The last piece is sent again and again until the client leaves."""


@dataclass(slots=True)
class FillRequest:
    """Request as it came."""

    interface: Interface
    body: dict[str, Any]
    headers: dict[str, str]
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client left before the end of the answer."""


Script = Callable[[FillRequest], FillAnswer]


class FillServer:
    """`async with FillServer(script) as server:`; the answers follow the script."""

    def __init__(self, script: Script | Sequence[str] = ()) -> None:
        self.requests: list[FillRequest] = []
        self._arrived = asyncio.Condition()
        self._port = 0
        self.play(script)

    def play(self, script: Script | Sequence[str]) -> None:
        """Answer from now on by the script, or by the texts in their order."""
        if callable(script):
            self._script: Script = script
        else:
            texts = iter(script)

            def answer(_: FillRequest) -> FillAnswer:
                return FillAnswer([next(texts, "")])

            self._script = answer

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def wait_for_requests(self, count: int) -> FillRequest:
        """Return the request number `count`, once it is there."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=1 << 24)
        application.router.add_post("/{path:.*}", self._serve)
        application.router.add_get("/{path:.*}", self._serve_none)
        self._runner = web.AppRunner(application, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _serve_none(self, _: web.Request) -> web.Response:
        return web.json_response({}, status=404)

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        interface: Interface = next(found for path, found in PATHS.items() if request.path.endswith(path))
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = FillRequest(interface, await request.json(), headers)
        answer = self._script(asked)
        async with self._arrived:
            self.requests.append(asked)
            self._arrived.notify_all()
        if answer.status != 200:
            return web.json_response({"error": answer.error}, status=answer.status)
        try:
            return await _stream(request, interface, answer)
        except (asyncio.CancelledError, ConnectionError):
            asked.disconnected.set()
            raise


async def _stream(request: web.Request, interface: Interface, answer: FillAnswer) -> web.StreamResponse:
    kind = "application/x-ndjson" if interface == "ollama" else "text/event-stream"
    response = web.StreamResponse(headers={"content-type": kind})
    await response.prepare(request)
    if answer.waits is not None:
        await answer.waits.wait()
    async for event in _events(interface, answer):
        await response.write(event)
    if answer.breaks_off and request.transport is not None:
        request.transport.abort()
    return response


async def _events(interface: Interface, answer: FillAnswer) -> AsyncIterator[bytes]:
    for piece in answer.pieces:
        yield _event(interface, piece)
    while answer.goes_on:
        yield _event(interface, answer.pieces[-1])
        await asyncio.sleep(0)
    if not answer.breaks_off:
        yield _end(interface, answer.reason)


def _event(interface: Interface, text: str) -> bytes:
    match interface:
        case "infill":
            return _sent({"content": text, "stop": False})
        case "ollama":
            return json.dumps({"response": text, "done": False}).encode() + b"\n"
        case "mistral" | "chat":
            return _sent({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})
        case "completions":
            return _sent({"choices": [{"index": 0, "text": text, "finish_reason": None}]})


def _end(interface: Interface, reason: str) -> bytes:
    match interface:
        case "infill":
            return _sent({"content": "", "stop": True, "stop_type": "limit" if reason == "length" else "eos"})
        case "ollama":
            return json.dumps({"response": "", "done": True, "done_reason": reason}).encode() + b"\n"
        case "mistral" | "chat":
            ended = _sent({"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": reason}]})
        case "completions":
            ended = _sent({"choices": [{"index": 0, "text": "", "finish_reason": reason}]})
    return ended + b"data: [DONE]\n\n"


def _sent(event: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(event).encode() + b"\n\n"
