"""A model server on 127.0.0.1 that answers by script on the wires of OpenAI, Anthropic and Gemini."""

import asyncio
import contextlib
import json
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal, Self, assert_never

from aiohttp import web

from wire_servers import anthropic_wire, gemini_wire, openai_wire, responses_wire
from wire_servers.answers import Answer, Drop, Pause, Status, Truncate, Wait

Wire = Literal["openai", "anthropic", "responses", "gemini"]
_WIRES: Mapping[Wire, ModuleType] = {
    "openai": openai_wire,
    "anthropic": anthropic_wire,
    "responses": responses_wire,
    "gemini": gemini_wire,
}
ACCEPTING_STEPS = 3
"""Steps of the event loop from a client that is accepted to its connection."""
_EXHAUSTED = Status(500, "the script of the local model server is exhausted")


@dataclass(slots=True)
class RecordedRequest:
    wire: Wire
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: dict[str, Any]
    received: float
    """By time.perf_counter."""
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client left before the answer's end."""
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when all of the answer is sent."""
    peer: object = None
    """The client's end of the connection."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]

    @property
    def question(self) -> str:
        """The first text of the last message, on any wire."""
        last = next(self.body[name] for name in ("messages", "input", "contents") if name in self.body)[-1]
        content = last.get("content", last.get("parts"))
        return content if isinstance(content, str) else content[0]["text"]


Script = Iterable[Answer] | Callable[[RecordedRequest], Answer]
"""Answers in the order of the requests, or a function of the request."""


class WireServer:
    """`async with WireServer(script) as server:`; asked at `openai_base` and `anthropic_base`."""

    def __init__(self, script: Script = (), *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[RecordedRequest] = []
        self.compresses = False
        """Streams are sent with gzip."""
        self._port = port
        self._tls = tls
        self._arrived = asyncio.Condition()
        self._lines: tuple[Mapping[str, Any], ...] = ()
        self.listed: Any = None
        """Body of the answer to `/models`; None: there is no list."""
        self.list_requests: list[Mapping[str, str]] = []
        """Headers of the requests for the list, names in lower case, and the path as `:path`."""
        self.play(script)

    def play(self, script: Script) -> None:
        """From now on answer by this script."""
        if callable(script):
            self._answer = script
        else:
            answers = iter(script)
            self._answer = lambda _: next(answers, (_EXHAUSTED,))

    def play_lines(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """What is answered at `/api/chat`, the wire of Ollama: one JSON object a line."""
        self._lines = tuple(lines)

    @property
    def address(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self._port}"

    @property
    def openai_base(self) -> str:
        return f"{self.address}/v1"

    @property
    def anthropic_base(self) -> str:
        return self.address

    def base(self, wire: Wire) -> str:
        """The address for models which are asked over this wire."""
        return self.openai_base if wire in {"openai", "responses"} else self.address

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=1 << 28)
        application.router.add_post("/{path:.*chat/completions}", self._serve_openai)
        application.router.add_post("/{path:.*messages}", self._serve_anthropic)
        application.router.add_post("/{path:.*responses}", self._serve_responses)
        application.router.add_post("/{path:.*streamGenerateContent}", self._serve_gemini)
        application.router.add_post("/{path:api/chat}", self._serve_lines)
        application.router.add_get("/{path:.*models}", self._serve_list)
        self._runner = web.AppRunner(application, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        self._listening = socket.create_server(("127.0.0.1", self._port), backlog=128)
        await web.SockSite(self._runner, self._listening, ssl_context=self._tls).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        # In Python 3.11 a client that is accepted while the server closes gets a transport that nobody ever closes.
        with contextlib.suppress(NotImplementedError):  # On Windows.
            asyncio.get_running_loop().remove_reader(self._listening)
        for _ in range(ACCEPTING_STEPS):
            await asyncio.sleep(0)
        await self._runner.cleanup()

    async def wait_for_requests(self, count: int) -> RecordedRequest:
        """The request number `count`, once it is there."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def _serve_openai(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "openai")

    async def _serve_anthropic(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "anthropic")

    async def _serve_responses(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "responses")

    async def _serve_gemini(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "gemini")

    async def _serve_lines(self, _: web.Request) -> web.Response:
        body = "".join(json.dumps(line) + "\n" for line in self._lines)
        return web.Response(text=body, content_type="application/x-ndjson")

    async def _serve_list(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.list_requests.append({**headers, ":path": request.path})
        if self.listed is None:
            return web.Response(status=404)
        return web.Response(text=json.dumps(self.listed), content_type="application/json")

    async def _serve(self, request: web.Request, wire: Wire) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = await request.read()
        received = time.perf_counter()  # Before a long body is parsed.
        record = RecordedRequest(wire, request.path, headers, json.loads(body), received)
        record.peer = request.transport.get_extra_info("peername") if request.transport else None
        async with self._arrived:
            self.requests.append(record)
            self._arrived.notify_all()
        answer = self._answer(record)
        match answer:
            case (Status() as status,):
                return _refusal(status, wire)
            case _:
                return await _stream(request, record, answer, compressed=self.compresses)


def _refusal(status: Status, wire: Wire) -> web.Response:
    headers = dict(status.headers)
    if status.retry_after is not None:
        headers["retry-after"] = f"{status.retry_after:g}"
    return web.json_response(_WIRES[wire].error_body(status), status=status.status, headers=headers)


async def _stream(
    request: web.Request, record: RecordedRequest, answer: Answer, *, compressed: bool
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream", "cache-control": "no-cache"})
    if compressed:
        response.enable_compression(web.ContentCoding.gzip)
    try:
        await response.prepare(request)
        for item in _WIRES[record.wire].stream(answer, record.body):
            match item:
                case bytes():
                    await response.write(item)
                case Wait():
                    await (item.event or asyncio.Event()).wait()
                case Pause():
                    await asyncio.sleep(item.seconds)
                case Truncate():
                    break
                case Drop():
                    if request.transport is not None:
                        request.transport.abort()
                    return response
                case _:
                    assert_never(item)
        await response.write_eof()
        record.finished.set()
    except (asyncio.CancelledError, ConnectionResetError):
        record.disconnected.set()
        raise
    return response
