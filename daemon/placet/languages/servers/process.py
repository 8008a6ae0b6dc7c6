"""Process of a language server, and JSON-RPC over its pipes. No part of the process outlives the server."""

import asyncio
import itertools
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

from placet.core.errors import PlacetError
from placet.core.framing import FrameDecoder, Malformed, frame
from placet.core.json.shallow import loads
from placet.core.outgoing_requests import OutgoingRequests
from placet.core.tasks import to_the_end
from placet.project.processes.child import Command, LastWords, ManagedChild
from placet.sandbox.programs import Contain, uncontained

logger = logging.getLogger(__name__)

READ_BYTES = 256 * 1024
SHUTDOWN_SECONDS = 2.0
EXIT_SECONDS = 1.0
METHOD_NOT_FOUND = -32601

ServeRequest = Callable[[str, Any], Any]
"""Function that returns the result of a server's request. Raises LookupError for an unknown method."""
Hear = Callable[[str, Any], None]
"""Function that takes a notification from the server."""


class ServerGone(PlacetError):
    """Error when the server has ended, or could not be started."""


class ServerRefused(PlacetError):
    """Error answer from the server."""


class ServerProcess:
    def __init__(self, name: str, answer: ServeRequest, hear: Hear) -> None:
        self.name = name
        self._answer = answer
        self._hear = hear
        self._child: ManagedChild | None = None
        self._sandbox = AsyncExitStack()
        """Sandbox of the process, closed after the end of the process."""
        self._words = LastWords()
        self._reading: asyncio.Task[None] | None = None
        self._requests = OutgoingRequests(self._send, ids=itertools.count(1), refused=self._refused, lost=self._ended)
        self._is_silent = False
        """True once the server has closed stdout, which happens before the end of the process is known."""

    @property
    def is_alive(self) -> bool:
        return self._child is not None and self._child.exit_code is None and not self._is_silent

    async def start(
        self,
        command: Sequence[str],
        directory: Path,
        environment: Mapping[str, str],
        contain: Contain = uncontained,
    ) -> None:
        """Start the server in the directory, in the sandbox of `contain`. Raises ServerGone if the start fails."""
        try:
            contained = await self._sandbox.enter_async_context(contain(Command(command, directory, environment)))
            self._child = await ManagedChild.start_program(contained, self._words)
        except (OSError, PlacetError) as error:
            await self._sandbox.aclose()
            raise ServerGone(f"The language server {self.name} cannot be started: {error}") from error
        except asyncio.CancelledError:
            await self._sandbox.aclose()
            raise
        self._reading = asyncio.create_task(self._read(self._child.stdout), name=f"reading {self.name}")

    async def request(self, method: str, params: Any, *, timeout_seconds: float) -> Any:
        """Send a request.

        Raises ServerGone, ServerRefused, TimeoutError; a late or cancelled request is cancelled at the server.
        """
        return await self._requests.ask(method, params, timeout_seconds)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification. Raises ServerGone."""
        self._send({"method": method, "params": params})

    async def memory_bytes(self) -> int:
        """Return the memory of the process and its children, or 0 if unknown."""
        return 0 if self._child is None else await self._child.memory_bytes()

    async def stop(self) -> None:
        """End the server by LSP's requests, then kill the remaining processes of the server and its children."""
        child = self._child
        if child is None:
            return
        try:
            with suppress(ServerGone, ServerRefused, TimeoutError):
                await self.request("shutdown", None, timeout_seconds=SHUTDOWN_SECONDS)
                self.notify("exit", None)
                await child.ends_within(EXIT_SECONDS)
        finally:
            await to_the_end(self._end(child))

    async def _end(self, child: ManagedChild) -> None:
        await child.end()
        await self._sandbox.aclose()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    def _send(self, message: dict[str, Any]) -> None:
        if not self.is_alive or self._child is None:
            raise self._ended()
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
        self._child.stdin.write(frame(body.encode("utf-8", "surrogatepass")))

    async def _read(self, stream: asyncio.StreamReader) -> None:
        """Read messages until the stream ends; then fail every waiting request."""
        decoder = FrameDecoder()
        try:
            while data := await stream.read(READ_BYTES):
                for body in decoder.feed(data):
                    if isinstance(body, Malformed):
                        logger.warning("%s: %s", self.name, body.reason)
                    else:
                        self._take(body)
        finally:
            self._is_silent = True
            self._requests.lose()

    def _take(self, body: bytes) -> None:
        try:
            message = loads(body)
            method, number = message.get("method"), message.get("id")
        except (ValueError, AttributeError) as error:
            logger.warning("%s said what is no message: %s", self.name, error)
            return
        if method is None:
            self._requests.take_answer(message)
        elif number is None:
            self._hear(method, message.get("params"))
        else:
            self._serve(number, method, message.get("params"))

    def _serve(self, number: Any, method: str, params: Any) -> None:
        try:
            answer: dict[str, Any] = {"result": self._answer(method, params)}
        except LookupError:
            answer = {"error": {"code": METHOD_NOT_FOUND, "message": f"{method} is not served"}}
        with suppress(ServerGone):
            self._send({"id": number, **answer})

    def _refused(self, error: Any) -> ServerRefused:
        message = error.get("message", "an error") if isinstance(error, dict) else error
        return ServerRefused(f"{self.name}: {message}")

    def _ended(self) -> ServerGone:
        last = self._words.line
        return ServerGone(f"The language server {self.name} has ended{f': {last}' if last else ''}")
