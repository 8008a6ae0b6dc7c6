"""`placet --acp`: from spawn to `initialize`, a session, and from a warm prompt to the first chunk of its answer.

codex-acp and claude-agent-acp take turns with Placet where they are on PATH, and so does a smallest agent in Python.
The bin directories of two npm installations will do; claude-agent-acp 0.101 wants Node 22, and starts under Node 20
too. Neither needs a login for `initialize`. Nothing is taken off the time of a prompt, not even the model server's own.
"""

import asyncio
import itertools
import json
import os
import shutil
import signal
import statistics
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from bench.agents import Place, place
from bench.report import Figure
from wire_servers.answers import Text
from wire_servers.server import WireServer

ROUNDS = 9
PROMPTS = 40
GOAL_INITIALIZE = 150
GOAL_SESSION = 100
GOAL_CHUNK = 15
LONGEST_SECONDS = 120
LONGEST_START_SECONDS = 20
LONGEST_END_SECONDS = 2

_SMALLEST = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"protocolVersion": 1}}), flush=True)
"""
_PLACET = "placet"
_FLOOR = "a smallest agent in Python"
_OTHERS = ("codex-acp", "claude-agent-acp")


class _Client:
    """JSON lines over the stdio of an agent; requests of the agent are not expected."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ids = itertools.count(1)

    def send(self, method: str, params: Mapping[str, Any]) -> int:
        assert self._process.stdin is not None
        number = next(self._ids)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        return number

    async def receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), LONGEST_SECONDS)
        assert line, "the agent has ended"
        return json.loads(line)

    async def answer(self, number: int) -> dict[str, Any]:
        while True:
            message = await self.receive()
            if message.get("id") == number and "method" not in message:
                return message

    async def timed(self, method: str, params: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        """Return the milliseconds to the answer, and the answer."""
        start = time.perf_counter()
        answer = await self.answer(self.send(method, params))
        return (time.perf_counter() - start) * 1000, answer


@asynccontextmanager
async def _spawned(command: Sequence[str], place: Place, environment: Mapping[str, str]) -> AsyncGenerator[_Client]:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 24,
        cwd=place.root,
        env={**place.environment, **environment},
        start_new_session=True,
    )
    try:
        yield _Client(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), LONGEST_END_SECONDS)
        except TimeoutError:  # An agent may stay although its client has gone.
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def measure() -> list[Figure]:
    commands = {_FLOOR: [sys.executable, "-c", _SMALLEST], _PLACET: [sys.executable, "-m", "placet", "--acp"]}
    commands |= {name: [name] for name in _OTHERS if shutil.which(name)}
    starts: dict[str, list[float]] = {name: [] for name in commands}
    sessions: dict[str, list[float]] = {name: [] for name in commands if name != _FLOOR}
    second: list[float] = []
    chunks: list[float] = []
    missing = {name: "is not on PATH" for name in _OTHERS if name not in commands}
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(WireServer())
        server.play(lambda _: (Text("Seen.", pieces=1),))
        places = {name: await stack.enter_async_context(place()) for name in commands}
        environment = {"PLACET_MODEL": "openai/gpt-4o", "PLACET_API_BASE": server.openai_base}
        for name in _OTHERS:
            if name in commands and not await _starts(commands[name], places[name]):
                del commands[name]  # Installed and unable to start, as without a part for this machine.
                missing[name] = "does not answer"
        for _ in range(ROUNDS):
            for name, command in commands.items():
                start = time.perf_counter()
                async with _spawned(command, places[name], environment) as client:
                    await client.timed("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
                    starts[name].append((time.perf_counter() - start) * 1000)
                    if name in sessions and (took := await _new_session(client, places[name])) is not None:
                        sessions[name].append(took)
                    if name == _PLACET and (took := await _new_session(client, places[name])) is not None:
                        second.append(took)
        async with _spawned(commands[_PLACET], places[_PLACET], environment) as client:
            await client.timed("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
            chunks += await _first_chunks(client, places[_PLACET])
    floor = statistics.median(starts[_FLOOR])
    start = Figure(
        "spawn to initialize",
        statistics.median(starts[_PLACET]),
        "ms",
        floor=floor,
        floor_name=_FLOOR,
        note=_note(starts, GOAL_INITIALIZE, missing),
    )
    return [
        start,
        _figure("the first session/new of a process", sessions, note=_note(sessions, None)),
        Figure("another session/new", statistics.median(second), "ms", note=_met(second, GOAL_SESSION)),
        Figure("a warm prompt to its first chunk", statistics.median(chunks), "ms", note=_met(chunks, GOAL_CHUNK)),
    ]


async def _starts(command: Sequence[str], place: Place) -> bool:
    async with _spawned(command, place, {}) as client:
        try:
            async with asyncio.timeout(LONGEST_START_SECONDS):
                await client.timed("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        except (TimeoutError, AssertionError):
            return False
    return True


def _figure(name: str, times: Mapping[str, list[float]], note: str) -> Figure:
    return Figure(name, statistics.median(times[_PLACET]), "ms", note=note)


def _met(times: Sequence[float], goal: float) -> str:
    return f"goal {goal:g} {'met' if statistics.median(times) <= goal else 'MISSED'}"


def _note(times: Mapping[str, list[float]], goal: float | None, missing: Mapping[str, str] | None = None) -> str:
    others = [
        f"{name} {statistics.median(values):.0f} ms"
        for name, values in times.items()
        if name in _OTHERS and len(values) == ROUNDS
    ]
    others += [f"{name} {reason}" for name, reason in (missing or {}).items()]
    return "; ".join([*([] if goal is None else [_met(times[_PLACET], goal)]), *others])


async def _new_session(client: _Client, place: Place) -> float | None:
    """Return the milliseconds of `session/new`; None where the agent wants a sign-in first."""
    took, answer = await client.timed("session/new", {"cwd": str(place.root), "mcpServers": []})
    return took if "result" in answer else None


async def _first_chunks(client: _Client, place: Place) -> list[float]:
    """Return the milliseconds from each prompt to the first chunk of the answer, of the prompts behind the first."""
    _, made = await client.timed("session/new", {"cwd": str(place.root), "mcpServers": []})
    times: list[float] = []
    for _ in range(PROMPTS + 1):
        start = time.perf_counter()
        prompt = [{"type": "text", "text": "Look."}]
        number = client.send("session/prompt", {"sessionId": made["result"]["sessionId"], "prompt": prompt})
        while (message := await client.receive()).get("params", {}).get("update", {}).get(
            "sessionUpdate"
        ) != "agent_message_chunk":
            assert message.get("id") != number, message
        times.append((time.perf_counter() - start) * 1000)
        await client.answer(number)
    return times[1:]
