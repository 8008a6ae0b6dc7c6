"""Process of a language server, and JSON-RPC over its pipes. No part of the process outlives the server."""

import asyncio
import itertools
import json
import logging
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from placet.core.errors import PlacetError
from placet.core.executor import in_thread
from placet.core.framing import FrameDecoder, Malformed, frame
from placet.core.outgoing_requests import OutgoingRequests
from placet.core.shallow_json import loads
from placet.project.processes.process_tree import family_memory_bytes, signal_family
from placet.project.processes.watchdog import watched

logger = logging.getLogger(__name__)

READ_BYTES = 256 * 1024
WORDS_BYTES = 4096
"""Size of the kept end of stderr."""
SHUTDOWN_SECONDS = 2.0
EXIT_SECONDS = 1.0
KILL_AGAIN_SECONDS = 0.02
MOST_KILLS = 100
METHOD_NOT_FOUND = -32601

Answer = Callable[[str, Any], Any]
"""Function that returns the result of a server's request. Raises LookupError for an unknown method."""
Hear = Callable[[str, Any], None]
"""Function that takes a notification from the server."""


class ServerGone(PlacetError):
    """Error when the server has ended, or could not be started."""


class ServerRefused(PlacetError):
    """Error answer from the server."""


class ServerProcess:
    def __init__(self, name: str, answer: Answer, hear: Hear) -> None:
        self.name = name
        self._answer = answer
        self._hear = hear
        self._mark = f"PLACET_COMMAND={uuid.uuid4().hex}"
        self._exit = ExitStack()
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._requests = OutgoingRequests(self._send, ids=itertools.count(1), refused=self._refused, gone=self._gone)
        self._words = b""
        self._is_silent = False
        """True once the server has closed stdout, which happens before the end of the process is known."""

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None and not self._is_silent

    async def start(self, command: Sequence[str], directory: Path, environment: Mapping[str, str]) -> None:
        """Start the server in the directory. Raises ServerGone if the start fails."""
        name, _, value = self._mark.partition("=")
        has_started = self._exit.enter_context(watched(self._mark))
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                cwd=directory,
                env={**environment, name: value},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=os.name != "nt",
                creationflags=subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0,
            )
        except OSError as error:
            self._exit.close()
            raise ServerGone(f"The language server {self.name} cannot be started: {error}") from error
        has_started(self._process.pid)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._tasks = (
            asyncio.create_task(self._read(self._process.stdout), name=f"reading {self.name}"),
            asyncio.create_task(self._listen(self._process.stderr), name=f"stderr of {self.name}"),
        )

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
        return 0 if self._process is None else await in_thread(family_memory_bytes, self._process.pid, self._mark)

    async def stop(self) -> None:
        """End the server by LSP's requests, then kill the remaining processes of the server and its children."""
        process = self._process
        if process is None:
            return
        try:
            with suppress(ServerGone, ServerRefused, TimeoutError):
                await self.request("shutdown", None, timeout_seconds=SHUTDOWN_SECONDS)
                self.notify("exit", None)
                async with asyncio.timeout(EXIT_SECONDS):
                    await process.wait()
        finally:
            await asyncio.shield(self._end(process))

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        # Each time all that is there, until none is: one may have started another meanwhile.
        for _ in range(MOST_KILLS):
            if not await in_thread(signal_family, process.pid, self._mark, "KILL"):
                break
            await asyncio.sleep(KILL_AGAIN_SECONDS)
        await process.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._exit.close()

    def _send(self, message: dict[str, Any]) -> None:
        if not self.is_alive or self._process is None or self._process.stdin is None:
            raise self._gone()
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
        self._process.stdin.write(frame(body.encode("utf-8", "surrogatepass")))

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

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while data := await stream.read(READ_BYTES):
            self._words = (self._words + data)[-WORDS_BYTES:]

    def _refused(self, error: Any) -> ServerRefused:
        message = error.get("message", "an error") if isinstance(error, dict) else error
        return ServerRefused(f"{self.name}: {message}")

    def _gone(self) -> ServerGone:
        last = self._words.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return ServerGone(f"The language server {self.name} has ended{f': {last}' if last else ''}")
