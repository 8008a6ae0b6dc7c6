"""A server's process and its client over real pipes."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from placet.core.framing import FrameDecoder, Malformed, frame
from time_support import limited

Json = dict[str, Any]
SERVER = Path(__file__).with_name("server.py")


class ServerProcess:
    """`async with ServerProcess("ours", directory) as process`. Killed at the end, if it still runs."""

    def __init__(self, kind: str, directory: Path) -> None:
        self._command = [sys.executable, str(SERVER), kind, str(directory)]
        self._environment = {**os.environ, "HOME": str(directory), "PYTHONPATH": os.pathsep.join(sys.path)}
        self._ids = 0
        self._decoder = FrameDecoder()
        self._news = asyncio.Condition()
        self.messages: list[Json] = []
        self.garbage = b""
        """What stood on the wire and is no message."""
        self.stderr = b""

    async def __aenter__(self) -> "ServerProcess":
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, stderr=pipe, env=self._environment
        )
        self._reading = asyncio.gather(self._read(), self._read_stderr())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self._reading
        await self.process.wait()

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def send(self, message: Json) -> None:
        self.write(frame(json.dumps({"jsonrpc": "2.0", **message}).encode()))

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def begin(self, method: str, *params: Any) -> int:
        self._ids += 1
        self.send({"id": self._ids, "method": method} | ({"params": params[0]} if params else {}))
        return self._ids

    async def answer(self, request_id: int | None, *, count: int = 1) -> Json:
        """The `count`th answer with the id."""

        def answers() -> list[Json]:
            return [one for one in self.messages if "method" not in one and one.get("id") == request_id]

        async with (
            limited(lambda: f"an answer to {request_id}; the last messages were {self.messages[-3:]}"),
            self._news,
        ):
            await self._news.wait_for(lambda: len(answers()) >= count)
        return answers()[count - 1]

    async def call(self, method: str, *params: Any) -> Json:
        return await self.answer(self.begin(method, *params))

    async def handshake(self, **initialize: Any) -> Json:
        answer = await self.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}} | initialize)
        self.notify("initialized", {})
        return answer

    async def ended(self) -> int:
        """The exit code, and all that it had to say."""
        async with limited(lambda: f"the end of the server; the last messages were {self.messages[-3:]}"):
            await self._reading
            return await self.process.wait()

    async def _read(self) -> None:
        assert self.process.stdout is not None
        whole = b""
        while data := await self.process.stdout.read(1 << 16):
            whole += data if len(whole) < 1 << 16 else b""
            for body in self._decoder.feed(data):
                if isinstance(body, Malformed):
                    self.garbage += body.reason.encode()
                else:
                    self.messages.append(json.loads(body))
            async with self._news:
                self._news.notify_all()
        # The decoder forgives what stands before a header; this test tool does not.
        self.garbage += b"".join(re.findall(rb"from-\w+", whole))

    async def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        self.stderr = await self.process.stderr.read()
