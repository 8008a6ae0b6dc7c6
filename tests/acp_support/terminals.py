"""The terminals of a client: real processes behind `terminal/*`, with the faults of clients as switches."""

import asyncio
import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from run_support import Place
from time_support import limited

Json = dict[str, Any]

CAPABILITY = {"terminal": True}
SETTINGS_FILE = "placet.json"
NO_ANSWER: Json = {"_meta": {"tests/no-answer": True}}


def switch_on(place: Place, is_on: bool = True, **settings: Any) -> None:
    """Write the user's settings: commands run in the client's terminals. A file with the same text stays as it is."""
    file = place.directory / "CONFIG" / "placet" / SETTINGS_FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"acp": {"commandsInTerminal": is_on}, **settings})
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


@dataclass
class ClientProcess:
    """A terminal with its process; the output is kept up to the limit, cut at a character."""

    params: Json
    process: asyncio.subprocess.Process
    output: bytes = b""
    truncated: bool = False
    reading: "asyncio.Task[None]" = field(init=False)
    is_released: bool = False

    def __post_init__(self) -> None:
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while data := await self.process.stdout.read(1 << 16):
            self.output += data
            limit = self.params["outputByteLimit"]
            if len(self.output) > limit:
                kept = self.output[-limit:]
                while kept and kept[0] & 0xC0 == 0x80:
                    kept = kept[1:]
                self.output, self.truncated = kept, True

    async def status(self) -> Json:
        code = await self.process.wait()
        await self.reading
        return {"exitCode": None, "signal": signal.Signals(-code).name} if code < 0 else {"exitCode": code}

    def kill(self) -> None:
        if self.process.returncode is None:
            with suppress(ProcessLookupError):  # Another thread may have waited for the process already.
                os.killpg(self.process.pid, signal.SIGKILL)


class ClientTerminals:
    """Answers the agent's requests; `quirks` has an answer by method in place of the true answer.

    A quirk is called with the params and gives a result, NO_ANSWER, or an exception whose words become an error.
    """

    def __init__(self) -> None:
        self.opened: dict[str, ClientProcess] = {}
        self.requests: list[tuple[str, Json]] = []
        self.quirks: dict[str, Callable[[Json], Json | Exception | None]] = {}
        self.held = asyncio.Event()
        """Set: `terminal/create` is answered at once. A test clears it, to answer late."""
        self.held.set()
        self.news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, message: Json, send: Callable[[Json], None]) -> None:
        """Answer a request beside the others, as clients do."""
        task = asyncio.create_task(self._answer(message, send))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def until(self, is_reached: Callable[["ClientTerminals"], bool]) -> None:
        async with limited(lambda: f"requests for terminals; the last were {self.requests[-3:]}"), self.news:
            await self.news.wait_for(lambda: is_reached(self))

    def methods(self) -> list[str]:
        return [method for method, _ in self.requests]

    @property
    def created(self) -> Json:
        """The params of the last `terminal/create`."""
        return [params for method, params in self.requests if method == "terminal/create"][-1]

    @property
    def are_all_released(self) -> bool:
        return all(one.is_released for one in self.opened.values())

    async def close(self) -> None:
        for one in self.opened.values():
            one.kill()
            await one.process.wait()
        for task in self._tasks:
            task.cancel()

    async def _answer(self, message: Json, send: Callable[[Json], None]) -> None:
        method, params = message["method"], message["params"]
        async with self.news:
            self.requests.append((method, params))
            self.news.notify_all()
        if method == "terminal/create":
            await self.held.wait()
        try:
            quirk = self.quirks.get(method)
            result = quirk(params) if quirk is not None else None
            if isinstance(result, Exception):
                raise result
            if result is None:
                result = await self._serve(method, params)
        except (RuntimeError, KeyError, OSError) as error:
            send({"id": message["id"], "error": {"code": -32603, "message": str(error)}})
        else:
            if result is not NO_ANSWER:
                send({"id": message["id"], "result": result})
        async with self.news:
            self.news.notify_all()

    async def _serve(self, method: str, params: Json) -> Json:
        if method == "terminal/create":
            return {"terminalId": await self._create(params)}
        one = self.opened[params["terminalId"]]
        assert not one.is_released, f"{method} of a released terminal"
        match method:
            case "terminal/wait_for_exit":
                return await one.status()
            case "terminal/output":
                is_over = one.process.returncode is not None
                status = {"exitStatus": await one.status()} if is_over else {}
                return {"output": one.output.decode("utf-8", "replace"), "truncated": one.truncated, **status}
            case "terminal/kill":
                one.kill()
                return {}
            case _:
                one.kill()
                one.is_released = True
                return {}

    async def _create(self, params: Json) -> str:
        environment = {variable["name"]: variable["value"] for variable in params.get("env", [])}
        process = await asyncio.create_subprocess_exec(
            params["command"],
            *params.get("args", []),
            cwd=params["cwd"],
            env={**os.environ, "FROM_CLIENT": "yes", **environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        terminal_id = f"term_{len(self.opened) + 1}"
        self.opened[terminal_id] = ClientProcess(params, process)
        return terminal_id
