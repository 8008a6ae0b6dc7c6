"""Transport to a server as a child process: one message a line on stdin and stdout. The whole process tree is ended.

The SDK has such a transport too. This transport registers with the watchdog, limits a line, and reads a long line in
linear time.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from placet.extensions.mcp.inputs.redaction import NO_REDACTION, Redaction
from placet.extensions.mcp.transport.lenient_messages import read_message
from placet.project.processes.child import Command, LastWords, ManagedChild
from placet.sandbox.programs import Contain, uncontained

logger = logging.getLogger(__name__)

READ_BYTES = 256 * 1024
MOST_LINE_BYTES = 64_000_000
"""Limit on one message; a server with a longer message is ended."""
EXIT_SECONDS = 0.5
"""Time for the process to end by itself after stdin is closed, and again after the request to end."""
MOST_TOLD = 5
"""Limit on log entries about lines other than messages."""

Incoming = SessionMessage | Exception


@asynccontextmanager
async def stdio(
    name: str,
    command: Command,
    words: LastWords,
    contain: Contain = uncontained,
    redaction: Redaction = NO_REDACTION,
) -> AsyncGenerator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
    """Start the process and yield the message streams in the SDK's form of a transport.

    Raises OSError if the start fails, and PlacetError if the sandbox of the process cannot be had.
    """
    heard, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, outgoing_messages = anyio.create_memory_object_stream[SessionMessage](0)
    with heard, incoming, outgoing, outgoing_messages:
        async with contain(command) as contained:
            child = await ManagedChild.start_program(contained, words)
            tasks = [
                asyncio.create_task(_hear(name, child.stdout, heard, redaction), name=f"reading {name}"),
                asyncio.create_task(_say(child.stdin, outgoing_messages, heard), name=f"writing to {name}"),
            ]
            try:
                yield incoming, outgoing
            finally:
                await asyncio.shield(asyncio.create_task(_end(child, tasks), name=f"ending {name}"))


async def _hear(
    name: str, stream: asyncio.StreamReader, heard: MemoryObjectSendStream[Incoming], redaction: Redaction
) -> None:
    """Read messages until the end of the stream, one at a time, so that a server with too many messages has to wait."""
    warnings = 0
    pieces: list[bytes] = []
    size = 0
    with heard, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while data := await stream.read(READ_BYTES):
            *lines, rest = data.split(b"\n")
            for line in lines:
                whole = b"".join((*pieces, line)) if pieces else line
                pieces, size = [], 0
                message = read_message(whole)
                if message is not None:
                    await heard.send(message)
                elif whole.strip():
                    warnings += 1
                    if warnings <= MOST_TOLD:
                        logger.warning("The MCP server %s said what is no message: %r", name, _shown(whole, redaction))
            pieces.append(rest)
            size += len(rest)
            if size > MOST_LINE_BYTES:
                logger.warning("The MCP server %s is left: it said more than %d MB at once", name, size // 1_000_000)
                return


def _shown(line: bytes, redaction: Redaction) -> str:
    return redaction.text(line.decode("utf-8", "replace"))[:200]


async def _say(
    stream: asyncio.StreamWriter,
    outgoing: MemoryObjectReceiveStream[SessionMessage],
    heard: MemoryObjectSendStream[Incoming],
) -> None:
    """Write the outgoing messages to stdin; a closed stdin ends the connection."""
    try:
        async for message in outgoing:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            stream.write(text.encode("utf-8", "surrogatepass") + b"\n")
            await stream.drain()
    except OSError:
        heard.close()


async def _end(child: ManagedChild, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Close stdin, then request the end, then kill the process and all children: MCP's order for an end."""
    await child.end(input_seconds=EXIT_SECONDS, request_seconds=EXIT_SECONDS)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
