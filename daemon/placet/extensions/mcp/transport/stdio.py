"""Transport to a server as a child process: one message a line on stdin and stdout. The whole process tree is ended.

The SDK has such a transport too. This transport registers with the watchdog, limits a line, and reads a long line in
linear time.
"""

import asyncio
import logging
import os
import subprocess
import sys
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from placet.core.executor import in_thread
from placet.project.processes.process_tree import signal_family
from placet.project.processes.watchdog import watched

logger = logging.getLogger(__name__)

READ_BYTES = 256 * 1024
MOST_LINE_BYTES = 64_000_000
"""Limit on one message; a server with a longer message is ended."""
WORDS_BYTES = 4096
"""Size of the kept end of stderr."""
EXIT_SECONDS = 0.5
"""Time for the process to end by itself after stdin is closed, and again after the request to end."""
KILL_AGAIN_SECONDS = 0.02
MOST_KILLS = 100
MOST_TOLD = 5
"""Limit on log entries about lines other than messages."""

Incoming = SessionMessage | Exception


@dataclass(slots=True)
class LastWords:
    """End of a process's output on stderr."""

    said: bytes = b""

    @property
    def line(self) -> str:
        return self.said.decode("utf-8", "replace").strip().rpartition("\n")[2][:500]


@asynccontextmanager
async def stdio(
    name: str, command: Sequence[str], directory: Path, environment: Mapping[str, str], words: LastWords
) -> AsyncGenerator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
    """Start the process and yield the message streams in the SDK's form of a transport.

    Raises OSError if the start fails.
    """
    mark = f"PLACET_COMMAND={uuid.uuid4().hex}"
    variable, _, value = mark.partition("=")
    heard, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, said = anyio.create_memory_object_stream[SessionMessage](0)
    with watched(mark) as has_started, heard, incoming, outgoing, said:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=directory,
            env={**environment, variable: value},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=os.name != "nt",
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0,
        )
        has_started(process.pid)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        tasks = [
            asyncio.create_task(_hear(name, process.stdout, heard), name=f"reading {name}"),
            asyncio.create_task(_say(process.stdin, said, heard), name=f"writing to {name}"),
            asyncio.create_task(_listen(process.stderr, words), name=f"stderr of {name}"),
        ]
        try:
            yield incoming, outgoing
        finally:
            await asyncio.shield(asyncio.create_task(_end(process, mark, tasks), name=f"ending {name}"))


async def _hear(name: str, stream: asyncio.StreamReader, heard: MemoryObjectSendStream[Incoming]) -> None:
    """Read messages until the end of the stream, one at a time, so that a server with too many messages has to wait."""
    told = 0
    pieces: list[bytes] = []
    size = 0
    with heard, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while data := await stream.read(READ_BYTES):
            *lines, rest = data.split(b"\n")
            for line in lines:
                whole = b"".join((*pieces, line)) if pieces else line
                pieces, size = [], 0
                message = _message(whole)
                if message is not None:
                    await heard.send(message)
                elif whole.strip():
                    told += 1
                    if told <= MOST_TOLD:
                        logger.warning("The MCP server %s said what is no message: %r", name, whole[:200])
            pieces.append(rest)
            size += len(rest)
            if size > MOST_LINE_BYTES:
                logger.warning("The MCP server %s is left: it said more than %d MB at once", name, size // 1_000_000)
                return


def _message(line: bytes) -> SessionMessage | None:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return None


async def _say(
    stream: asyncio.StreamWriter,
    said: MemoryObjectReceiveStream[SessionMessage],
    heard: MemoryObjectSendStream[Incoming],
) -> None:
    """Write the outgoing messages to stdin; a closed stdin ends the connection."""
    try:
        async for message in said:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            stream.write(text.encode("utf-8", "surrogatepass") + b"\n")
            await stream.drain()
    except OSError:
        heard.close()


async def _listen(stream: asyncio.StreamReader, words: LastWords) -> None:
    while data := await stream.read(READ_BYTES):
        words.said = (words.said + data)[-WORDS_BYTES:]


async def _end(process: asyncio.subprocess.Process, mark: str, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Close stdin, then ask the process to end, then kill the process and all children: MCP's order for an end."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    if not await _has_ended(process):
        await in_thread(signal_family, process.pid, mark, "TERM")
        await _has_ended(process)
    for _ in range(MOST_KILLS):
        if not await in_thread(signal_family, process.pid, mark, "KILL"):
            break
        await asyncio.sleep(KILL_AGAIN_SECONDS)
    await _has_ended(process)
    await asyncio.wait(tasks[-1:], timeout=EXIT_SECONDS)  # Its last words may still be in the pipe.
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _has_ended(process: asyncio.subprocess.Process) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(EXIT_SECONDS):
            await process.wait()
    return process.returncode is not None
