"""`placet --acp` in a process of its own, and a client that speaks the true wire over its pipes."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from acp_support.agent import Agent, Start
from acp_support.schema import judge_messages
from acp_support.shared import SharedPlace
from acp_support.terminals import ClientTerminals
from fork_support import ForkedProcess, start_forked
from fork_support.completed import run_forked
from run_support import PLACET, Place
from time_support import limited

Json = dict[str, Any]

LINE_BYTES = 1 << 26

ALLOW = {"outcome": {"outcome": "selected", "optionId": "once"}}
REJECT = {"outcome": {"outcome": "selected", "optionId": "reject"}}
DISMISS = {"outcome": {"outcome": "cancelled"}}
NO_ANSWER: Json = {"_meta": {"tests/no-answer": True}}
"""In place of the result of a request for a file: the client never answers."""

READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}


class Refused(Exception):
    """The agent answered a request with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(error["message"])
        self.error = error
        self.code = error["code"]


class AcpClient:
    """`async with AcpClient(place) as client`. Every message of the agent is judged by the protocol's schema."""

    def __init__(
        self,
        place: Place,
        *arguments: str,
        capabilities: Json | None = None,
        command: Sequence[str] | None = None,
        name: str = "tests",
        review: str | None = "ask",
    ) -> None:
        """`review` is the user's setting; with None the user has none."""
        self._place = place
        self._review = review
        self._arguments = ["--acp", *arguments]
        self._command = command
        self._capabilities = capabilities or {}
        self._name = name
        self._asked: set[int] = set()
        self._has_left = False
        self._news = asyncio.Condition()
        self.sent: list[Json] = []
        self.messages: list[Json] = []
        self.wire: list[tuple[str, Json]] = []
        """All messages of both sides in order, each with `client` or `agent` as the sender."""
        self.garbage: list[bytes] = []
        self.stderr = b""
        self.permission: Callable[[Json], Json | None] = lambda params: None
        """Answer to `session/request_permission`; None: no answer."""
        self.form: Callable[[Json], Json | None] = lambda params: None
        """Answer to `elicitation/create`; None: no answer."""
        self.files: Callable[[str, Json], Json | None] = lambda method, params: None
        """Result of a request for a file, `fs/...`; None: an error."""
        self.terminals: ClientTerminals | None = None
        """Answers requests for a terminal, `terminal/...`; None: no answer."""

    async def __aenter__(self) -> "AcpClient":
        place = self._place
        if self._review is not None:
            place.choose_review(self._review)
        if isinstance(place, SharedPlace) and self._command is None:
            words = (*self._arguments, self._name, json.dumps(self._capabilities))
            start = Start(words, dict(place.environment), place.settings())
            if place.agent is not None and place.agent.start != start:
                await end(place)
            self._agent = place.agent or Agent(await self._start(), start)
            place.agent = None  # Until it is as new again.
        else:
            self._agent = Agent(await self._start())
        self.process, self._ids = self._agent.process, self._agent.requests
        self._said_before = len(self._agent.stderr)
        self._agent.hear = self._hear
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        is_kept = False
        try:
            is_kept = kind is None and await self._is_taken_back()
        finally:
            try:
                if not is_kept:
                    await self._end()
            finally:
                self.stderr = self._agent.stderr[self._said_before :]
                if self.terminals is not None:
                    await self.terminals.close()
        if kind is None:
            judge_messages(self.wire)

    async def _is_taken_back(self) -> bool:
        """Delete all sessions; return whether the agent is for the next test what a new one would be."""
        place, start = self._place, self._agent.start
        if not isinstance(place, SharedPlace) or start is None or self._has_left or self.process.returncode is not None:
            return False
        sessions = (await self.call("session/list", {}))["sessions"]
        for session in sessions:
            await self.call("session/delete", {"sessionId": session["sessionId"]})
        await self.until(lambda _: self._asked <= {one.get("id") for one in self.messages if "method" not in one})
        self._agent.gone |= {session["sessionId"] for session in sessions}
        self._agent.requests = self._ids
        if place.settings() == start.settings:
            place.agent = self._agent
        return place.agent is self._agent

    async def _end(self) -> None:
        self.close_input()
        try:
            await self.ended()
        finally:
            if self.process.returncode is None:
                self.process.kill()
            await self._agent.reading

    async def _start(self) -> "asyncio.subprocess.Process | ForkedProcess":
        directory, environment = self._place.directory, self._place.environment
        if self._command is None and sys.platform == "linux":
            return await start_forked(self._arguments, directory, environment, LINE_BYTES)
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            *(self._command or [*PLACET, *self._arguments]),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=directory,
            env=environment,
            limit=LINE_BYTES,
        )

    async def ended(self) -> int:
        """The exit code, when the agent has ended by itself."""
        async with limited(lambda: f"the end of the agent; its last messages were {self.messages[-3:]}"):
            return await self.process.wait()

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    # ------------------------------------------------------------ sending

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def close_input(self) -> None:
        self._has_left = True
        assert self.process.stdin is not None
        self.process.stdin.close()

    def send(self, message: Json) -> None:
        message = {"jsonrpc": "2.0", **message}
        self.sent.append(message)
        self.wire.append(("client", message))
        self.write(json.dumps(message).encode() + b"\n")

    def notify(self, method: str, params: Json) -> None:
        self.send({"method": method, "params": params})

    def begin(self, method: str, params: Json) -> int:
        self._ids += 1
        self._asked.add(self._ids)
        self.send({"id": self._ids, "method": method, "params": params})
        return self._ids

    async def answer(self, request_id: int | str | None) -> Json:
        """The result of the request. Raises Refused."""
        message = await self.until(lambda one: "method" not in one and one.get("id") == request_id)
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    async def call(self, method: str, params: Json) -> Json:
        return await self.answer(self.begin(method, params))

    async def initialize(self) -> Json:
        params = {"protocolVersion": 1, "clientCapabilities": self._capabilities}
        return await self.call("initialize", {**params, "clientInfo": {"name": self._name, "version": "1"}})

    async def new_session(self, cwd: Path | None = None, **params: Any) -> str:
        cwd = cwd or self._place.project
        return (await self.call("session/new", {"cwd": str(cwd), "mcpServers": [], **params}))["sessionId"]

    async def opened(self) -> str:
        """The id of a new session, after `initialize`."""
        await self.initialize()
        return await self.new_session()

    def begin_prompt(self, session_id: str, text: str = "Do it.") -> int:
        return self.begin("session/prompt", {"sessionId": session_id, "prompt": [{"type": "text", "text": text}]})

    async def prompt(self, session_id: str, text: str = "Do it.") -> str:
        """The stop reason of the prompt."""
        return (await self.answer(self.begin_prompt(session_id, text)))["stopReason"]

    # ------------------------------------------------------------ what came

    async def until(self, is_wanted: Callable[[Json], bool], *, after: int = 0) -> Json:
        """The first message, from the `after`th on, that is wanted."""
        async with limited(lambda: f"a message of the agent; the last were {self.messages[-3:]}"), self._news:
            while True:
                if (found := next(filter(is_wanted, self.messages[after:]), None)) is not None:
                    return found
                await self._news.wait()

    async def update(self, kind: str, **fields: Any) -> Json:
        """The first update of the kind with these fields."""

        def is_wanted(message: Json) -> bool:
            update = message.get("params", {}).get("update", {}) if message.get("method") == "session/update" else {}
            return update.get("sessionUpdate") == kind and fields.items() <= update.items()

        return (await self.until(is_wanted))["params"]["update"]

    def updates(self, *kinds: str, session_id: str | None = None) -> list[Json]:
        told = [one["params"] for one in self.messages if one.get("method") == "session/update"]
        updates = [one["update"] for one in told if session_id in (None, one["sessionId"])]
        return [one for one in updates if not kinds or one["sessionUpdate"] in kinds]

    def text(self, kind: str = "agent_message_chunk") -> str:
        return "".join(one["content"]["text"] for one in self.updates(kind) if one["content"]["type"] == "text")

    async def asked(self, count: int = 1) -> Json:
        """The `count`th permission request of the agent."""
        method = "session/request_permission"
        await self.until(lambda _: len(self.requests(method)) >= count)
        return self.requests(method)[count - 1]

    def requests(self, method: str) -> list[Json]:
        return [one for one in self.messages if one.get("method") == method and "id" in one]

    def place_of(self, is_wanted: Callable[[Json], bool]) -> int:
        return next(place for place, one in enumerate(self.messages) if is_wanted(one))

    async def _hear(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            self.garbage.append(line)
            return
        if message.get("method") == "session/update" and message["params"]["sessionId"] in self._agent.gone:
            return
        self.wire.append(("agent", message))
        async with self._news:
            self.messages.append(message)
            self._news.notify_all()
        answer = {"session/request_permission": self.permission, "elicitation/create": self.form}.get(
            message.get("method", "")
        )
        if answer is not None and (result := answer(message["params"])) is not None:
            self.send({"id": message["id"], "result": result})
        if message.get("method", "").startswith("terminal/") and self.terminals is not None:
            self.terminals.take(message, self.send)
        if message.get("method", "").startswith("fs/"):
            if (result := self.files(message["method"], message["params"])) is NO_ANSWER:
                return
            error = {"code": -32603, "message": "no such file"}
            self.send({"id": message["id"], **({"error": error} if result is None else {"result": result})})


async def end(place: SharedPlace) -> None:
    """End the agent that the tests of a file have shared."""
    agent, place.agent = place.agent, None
    if agent is not None:
        assert agent.process.stdin is not None
        agent.process.stdin.close()
        async with limited(lambda: f"the end of the agent; it has said {agent.stderr[-500:]!r}"):
            assert await agent.process.wait() == 0
            await agent.reading


def run_placet(place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of another terminal of the same user."""
    return run_forked(*arguments, directory=place.directory, environment=place.environment)


def children_of(process_id: int) -> list[int]:
    """The processes started by the process, at any depth."""
    tree: dict[int, list[int]] = {}
    for directory in Path("/proc").iterdir():
        if directory.name.isdecimal():
            try:
                parent = int((directory / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            tree.setdefault(parent, []).append(int(directory.name))
    children = tree.get(process_id, [])
    return [*children, *(below for child in children for below in children_of(child))]
