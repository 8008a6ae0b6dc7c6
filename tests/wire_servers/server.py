"""A model server on 127.0.0.1 that answers by script, on the wires of OpenAI and Anthropic, and keeps the requests."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal, Self, assert_never

from aiohttp import web

from wire_servers import anthropic_wire, openai_wire
from wire_servers.answers import Answer, Drop, Pause, Status, Truncate, Wait

Wire = Literal["openai", "anthropic"]
_WIRES: Mapping[Wire, ModuleType] = {"openai": openai_wire, "anthropic": anthropic_wire}
_EXHAUSTED = Status(500, "the script of the local model server is exhausted")


@dataclass(frozen=True, slots=True)
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

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]


Script = Iterable[Answer] | Callable[[RecordedRequest], Answer]
"""Answers in the order of the requests, or a function of the request."""


class WireServer:
    """`async with WireServer(script) as server:`; asked at `openai_base` and `anthropic_base`."""

    def __init__(self, script: Script = (), *, port: int = 0) -> None:
        self.requests: list[RecordedRequest] = []
        self._port = port
        self._arrived = asyncio.Condition()
        self.play(script)

    def play(self, script: Script) -> None:
        """From now on answer by this script."""
        if callable(script):
            self._answer = script
        else:
            answers = iter(script)
            self._answer = lambda _: next(answers, (_EXHAUSTED,))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def openai_base(self) -> str:
        return f"{self.address}/v1"

    @property
    def anthropic_base(self) -> str:
        return self.address

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=1 << 28)
        application.router.add_post("/{path:.*chat/completions}", self._serve_openai)
        application.router.add_post("/{path:.*messages}", self._serve_anthropic)
        self._runner = web.AppRunner(application, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
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

    async def _serve(self, request: web.Request, wire: Wire) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        record = RecordedRequest(wire, request.path, headers, await request.json(), time.perf_counter())
        async with self._arrived:
            self.requests.append(record)
            self._arrived.notify_all()
        answer = self._answer(record)
        match answer:
            case (Status() as status,):
                return _refusal(status, wire)
            case _:
                return await _stream(request, record, answer)


def _refusal(status: Status, wire: Wire) -> web.Response:
    headers = {} if status.retry_after is None else {"retry-after": f"{status.retry_after:g}"}
    return web.json_response(_WIRES[wire].error_body(status), status=status.status, headers=headers)


async def _stream(request: web.Request, record: RecordedRequest, answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream", "cache-control": "no-cache"})
    try:
        await response.prepare(request)
        for item in _WIRES[record.wire].stream(answer, record.body):
            match item:
                case bytes():
                    await response.write(item)
                case Wait():
                    await item.event.wait()
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
    except (asyncio.CancelledError, ConnectionResetError):
        record.disconnected.set()
        raise
    return response
