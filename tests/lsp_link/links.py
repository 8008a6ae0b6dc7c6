"""Two links with the same face, so that one test can show what stock pygls does and what we do."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer

from placet.core.framing import FrameDecoder, Malformed, frame
from placet.frontends.lsp.lsp_server import LspServer
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.settings import Settings
from time_support import wait_seconds

Json = dict[str, Any]


class Sent:
    """What the server wrote, message by message. A writer in pygls's sense."""

    def __init__(self) -> None:
        self.messages: list[Json] = []
        self.wait_seconds: float | None = None
        """How long a wait may take; None: as long as any."""
        self.has_room = True
        """Whether the client keeps up with what is written to it."""
        self._decoder = FrameDecoder()
        self._news = asyncio.Condition()
        self._loop = asyncio.get_running_loop()

    def write(self, data: bytes) -> None:
        for body in self._decoder.feed(data):
            assert not isinstance(body, Malformed)
            self.messages.append(json.loads(body))
        self._loop.create_task(self._tell())

    def close(self) -> None:
        """Nothing to close."""

    async def first(self, fits: Callable[[Json], bool]) -> Json:
        """The first message that fits, waiting for it. Raises TimeoutError."""
        try:
            async with asyncio.timeout(self.wait_seconds or wait_seconds()), self._news:
                await self._news.wait_for(lambda: any(fits(one) for one in self.messages))
        except TimeoutError as error:
            raise TimeoutError(f"waited in vain; the last messages were {self.messages[-3:]}") from error
        return next(one for one in self.messages if fits(one))

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()


class Link:
    """The client's side. The subclass has the server."""

    server: LanguageServer

    def __init__(self) -> None:
        self.sent = Sent()
        self._ids = 0

    async def start(self, **initialize: Any) -> Json:
        """Begin to serve, and shake hands."""
        raise NotImplementedError

    def feed(self, data: bytes) -> None:
        raise NotImplementedError

    def send(self, message: Json) -> None:
        self.feed(frame(json.dumps({"jsonrpc": "2.0", **message}).encode()))

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def begin(self, method: str, *params: Any) -> int:
        """Send a request, with or without params; its id."""
        self._ids += 1
        self.send({"id": self._ids, "method": method} | ({"params": params[0]} if params else {}))
        return self._ids

    async def answer(self, request_id: int | str | None) -> Json:
        """The answer to a request. Raises TimeoutError when none comes."""
        return await self.sent.first(lambda one: "method" not in one and one.get("id") == request_id)

    async def call(self, method: str, *params: Any) -> Json:
        return await self.answer(self.begin(method, *params))

    async def handshake(self, **initialize: Any) -> Json:
        answer = await self.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}} | initialize)
        self.notify("initialized", {})
        return answer

    async def stop(self) -> None:
        raise NotImplementedError


class StockLink(Link):
    """pygls as it comes, read by its own loop."""

    def __init__(self) -> None:
        super().__init__()
        self.sent.wait_seconds = 0.5  # It is known not to answer.
        logging.getLogger("pygls").setLevel(logging.NOTSET)  # Placet keeps pygls from logging.
        self.server = LanguageServer("stock", "1")
        self._reader = asyncio.StreamReader(limit=1 << 26)
        self._stop = threading.Event()
        self._running: asyncio.Task[None] | None = None

    async def start(self, **initialize: Any) -> Json:
        self.attach()
        return await self.handshake(**initialize)

    def attach(self) -> None:
        """Begin to serve, without a handshake."""
        self.server.protocol.set_writer(self.sent)
        self._running = asyncio.create_task(
            run_async(self._stop, self._reader, self.server.protocol, None, self.server.report_server_error)
        )

    def feed(self, data: bytes) -> None:
        self._reader.feed_data(data)

    def feature(self, name: str, handler: Any) -> None:
        self.server.feature(name)(handler)

    def command(self, name: str, handler: Callable[[], Any]) -> None:
        self.server.command(name)(handler)

    async def ask(self, method: str, params: Any, timeout_seconds: float = 0.5) -> Any:
        return await asyncio.wait_for(self.server.protocol.send_request_async(method, params), timeout_seconds)

    async def exit(self) -> None:
        """Say `exit`. Its handler is called here: in the message loop its SystemExit would end the test run."""
        try:
            list(self.server.protocol.fm.builtin_features["exit"](None))
        except SystemExit as error:
            raise RuntimeError("the process ends") from error

    def text_of(self, uri: str) -> str:
        return self.server.workspace.get_text_document(uri).source

    async def read_closed(self, path: Path) -> str:
        return self.text_of(path.as_uri())

    async def stop(self) -> None:
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
        self._reader.feed_eof()
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)


class OurLink(Link):
    """Placet's front door, without processes and pipes."""

    def __init__(self, open_sessions: Any = None) -> None:
        super().__init__()
        self.door = LspServer(open_sessions or no_sessions)
        self.server = self.door
        self.connection = self.door.connection
        self._decoder = FrameDecoder()

    async def start(self, **initialize: Any) -> Json:
        self.attach()
        return await self.handshake(**initialize)

    def attach(self) -> None:
        """Begin to serve, without a handshake."""
        self.connection.set_writer(self.sent)

    def feed(self, data: bytes) -> None:
        for body in self._decoder.feed(data):
            asyncio.get_running_loop().call_soon(self.connection.receive, body)

    def feature(self, name: str, handler: Any) -> None:
        self.connection.fm.features[name] = handler

    def command(self, name: str, handler: Callable[[], Any]) -> None:
        self.connection.fm.commands[name] = lambda _arguments: handler()

    async def ask(self, method: str, params: Any, timeout_seconds: float | None = None) -> Any:
        limit = timeout_seconds or wait_seconds()
        return await self.connection.request(method, params, timeout_seconds=limit)

    async def exit(self) -> None:
        self.notify("exit", None)
        await self.connection.ended

    def text_of(self, uri: str) -> str:
        open_buffer = self.door.buffers.get(uri)
        assert open_buffer is not None
        return open_buffer.text

    async def read_closed(self, path: Path) -> str:
        return (await LspDocuments(self.connection, self.door.buffers, Settings()).read(path)).text

    async def stop(self) -> None:
        await self.door.close()


async def no_sessions(*_: Any) -> Any:
    """For tests that ask nothing of the agent: it is never ready."""
    await asyncio.Event().wait()


def stock_and_ours(reason: str) -> pytest.MarkDecorator:
    """Run a test that takes `link` against both; stock pygls is expected to fail it."""
    stock = pytest.param(StockLink, id="stock", marks=pytest.mark.xfail(strict=True, reason=reason))
    return pytest.mark.parametrize("link", [stock, pytest.param(OurLink, id="ours")], indirect=True)
