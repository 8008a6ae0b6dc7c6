"""`python -m placet`, forked from an interpreter that has imported it; looks like a process of asyncio."""

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from asyncio.streams import FlowControlMixin
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]


class ForkedProcess:
    """One process; the test that starts the process also waits for its end."""

    def __init__(
        self,
        pid: int,
        stdin: asyncio.StreamWriter,
        stdout: asyncio.StreamReader,
        stderr: asyncio.StreamReader,
        end: asyncio.StreamReader,
    ) -> None:
        self.pid, self.stdin, self.stdout, self.stderr = pid, stdin, stdout, stderr
        self.returncode: int | None = None
        self._ending = asyncio.create_task(self._end(end))

    async def wait(self) -> int:
        return await asyncio.shield(self._ending)

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def _end(self, end: asyncio.StreamReader) -> int:
        self.returncode = int(await end.readline())
        await end.read()  # At its end the pipe is closed.
        return self.returncode


async def start_forked(
    arguments: Sequence[str], directory: Path, environment: Mapping[str, str], limit: int
) -> ForkedProcess:
    inner, outer = os.pipe(), [os.pipe() for _ in range(3)]
    request = {"arguments": list(arguments), "directory": str(directory), "environment": dict(environment)}
    theirs = [inner[0], *(pipe[1] for pipe in outer)]
    socket.send_fds(_server(), [json.dumps(request).encode()], theirs)
    for descriptor in theirs:
        os.close(descriptor)
    stdout, stderr, news = [await _reader(pipe[0], limit) for pipe in outer]
    pid = int(await news.readline())
    return ForkedProcess(pid, await _writer(inner[1]), stdout, stderr, news)


async def _reader(descriptor: int, limit: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=limit)
    file = os.fdopen(descriptor, "rb", buffering=0)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    return reader


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    file = os.fdopen(descriptor, "wb", buffering=0)
    transport, protocol = await loop.connect_write_pipe(FlowControlMixin, file)
    return asyncio.StreamWriter(transport, protocol, None, loop)


@cache
def _server() -> socket.socket:
    """The socket of this process's fork server, which ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "acp_support.fork_server"],
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            cwd=TESTS,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
