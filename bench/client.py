"""The smallest LSP client: spawns a server, sends, and lets the bench wait for what comes back."""

import asyncio
import itertools
import json
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

Message = dict[str, Any]


class Client:
    """JSON-RPC over a child's stdio. Requests of the server are answered by `answers[method]`, else with null."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.answers: dict[str, Any] = {}
        self.updates: asyncio.Queue[Message] = asyncio.Queue()
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._reader = asyncio.create_task(self._read())

    async def request(self, method: str, params: Any = None) -> Any:
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return await future

    def notify(self, method: str, params: Any = None) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def initialize(self, root: Path, **options: Any) -> Any:
        answer = await self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": root.as_uri(),
                "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
                "capabilities": {"general": {"positionEncodings": ["utf-16"]}},
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return answer

    async def stop(self) -> None:
        if self.process.returncode is None:
            await self.request("shutdown")
            self.notify("exit")
            await self.process.wait()
        self._reader.cancel()

    def _send(self, message: Message) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while True:
            length = 0
            while (line := await self.process.stdout.readline()) not in {b"\r\n", b""}:
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                return
            self._take(json.loads(await self.process.stdout.readexactly(length)))

    def _take(self, message: Message) -> None:
        if "method" not in message:
            if (future := self._waiting.pop(message["id"], None)) is not None and not future.done():
                if "error" in message:
                    future.set_exception(RuntimeError(str(message["error"])))
                else:
                    future.set_result(message.get("result"))
        elif "id" in message:
            answer = self.answers.get(message["method"])
            result = answer(message["params"]) if callable(answer) else answer
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif message["method"] == "agent/update":
            self.updates.put_nowait({"at": time.perf_counter(), **message["params"]})


@asynccontextmanager
async def spawned(*command: str, environment: Mapping[str, str] | None = None) -> AsyncIterator[Client]:
    """A server, ended properly at the end."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 24,
        env={**os.environ, **(environment or {})},
    )
    client = Client(process)
    try:
        yield client
        await client.stop()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
