"""`python -m placet`, forked from an interpreter that has imported it; looks like a process of asyncio.

`fork_support.completed` and `fork_support.started` have it as `subprocess` does.
"""

import asyncio
import atexit
import marshal
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from asyncio.streams import FlowControlMixin
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from placet.project.processes.environment import without_secrets

PLACET = (sys.executable, "-m", "placet")
SERVER = Path(__file__).with_name("server.py")
STAND_IN = Path(__file__).with_name("stand_in.py")


class ForkedProcess:
    """One process; the test that starts the process also waits for its end."""

    def __init__(
        self,
        pid: int,
        stdin: asyncio.StreamWriter | None,
        stdout: asyncio.StreamReader,
        stderr: asyncio.StreamReader,
        end: asyncio.StreamReader,
    ) -> None:
        self.pid, self.stdin, self.stdout, self.stderr = pid, stdin, stdout, stderr
        self.returncode: int | None = None
        self._ending = asyncio.create_task(self._end(end))

    async def wait(self) -> int:
        return await asyncio.shield(self._ending)

    async def communicate(self, data: bytes = b"") -> tuple[bytes, bytes]:
        """Write the data, read to the ends of stdout and stderr, and wait until the process has ended."""
        if self.stdin is not None:
            self.stdin.write(data)
            self.stdin.close()
        out, said, _ = await asyncio.gather(self.stdout.read(), self.stderr.read(), self.wait())
        return out, said

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
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    limit: int = 1 << 16,
    *,
    has_input: bool = True,
    module: str = "placet",
    imports: Sequence[str] = (),
) -> ForkedProcess:
    """Start the process with pipes; without input its stdin is the null device, and the process has no `stdin` here."""
    inner = os.pipe() if has_input else (os.open(os.devnull, os.O_RDONLY), None)
    outer = [os.pipe() for _ in range(2)]
    theirs = [inner[0], *(pipe[1] for pipe in outer)]
    told = fork(arguments, directory, environment, theirs, module=module, imports=imports)
    for descriptor in theirs:
        os.close(descriptor)
    stdout, stderr, news = [await _reader(descriptor, limit) for descriptor in (*(pipe[0] for pipe in outer), told)]
    pid = int(await news.readline())
    stdin = None if inner[1] is None else await _writer(inner[1])
    return ForkedProcess(pid, stdin, stdout, stderr, news)


async def start_module(
    module: str, *arguments: str, imports: Sequence[str] = ()
) -> ForkedProcess | asyncio.subprocess.Process:
    """Start `python -m MODULE ARGUMENTS` for a module of the tests, with pipes. Off Linux nothing is forked.

    The fork server imports `imports` once: what a process that will be killed needs and cannot tell at its end.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    if sys.platform == "linux":
        return await start_forked(arguments, Path.cwd(), environment, module=module, imports=imports)
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments), env=environment, stdin=pipe, stdout=pipe, stderr=pipe
    )


def fork(
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    streams: Sequence[int],
    *,
    module: str = "placet",
    imports: Sequence[str] = (),
    leads_session: bool = False,
) -> int:
    """Fork a process with these descriptors for stdin, stdout and stderr, which stay the caller's to close.

    Return a descriptor with two lines of news: the number of the process, and at the end how the process has ended, as
    a return code of `subprocess`. The server imports `imports` before. `leads_session`: the process is the first of a
    session of its own.
    """
    request = {
        "module": module,
        "imports": list(imports),
        "arguments": list(arguments),
        "directory": str(directory),
        "environment": dict(environment),
        "leadsSession": leads_session,
        "isKilledWithAsker": False,
    }
    told, told_in = os.pipe()
    try:
        socket.send_fds(_server()[0], [marshal.dumps(request)], [*streams, told_in])
    finally:
        os.close(told_in)
    return told


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


def launcher(file: Path) -> Path:
    """Write a program which is `placet ARGUMENTS` for programs that start it by its name, as a shell or an editor.

    The program is another process than the forked one, passes signals on, and ends as that one. Off Linux nothing is
    forked.
    """
    if sys.platform == "linux":
        words = (sys.executable, "-IS", str(STAND_IN), address(), "placet")
        file.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    else:
        file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m placet "$@"\n')
    file.chmod(0o755)
    return file


def placet_command(*arguments: str) -> list[str]:
    """Return the command line by which another program, such as an editor, starts `placet ARGUMENTS` as a fork.

    Off Linux nothing is forked.
    """
    return [str(_own_launcher()), *arguments] if sys.platform == "linux" else [*PLACET, *arguments]


def address() -> str:
    """The path of the socket on which other programs ask this process's fork server."""
    return _server()[1]


@cache
def _own_launcher() -> Path:
    return launcher(Path(address()).with_name("placet"))


SCRIPT = """#!/bin/sh
'''exec' "{python}" -IS "$0" "$@"
'''
"""
"""Beginning of a program in Python, for the shell and for Python: the first line of a program holds no blanks."""


@cache
def _server() -> tuple[socket.socket, str]:
    """The socket of this process's fork server, which ends with this process, and the path for other programs."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    directory = tempfile.mkdtemp(prefix="placet-forks-")
    path = os.path.join(directory, "socket")
    with theirs, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen()
        environment = without_secrets(os.environ)  # Each fork has the server's memory, and the kernel's view of it.
        process = subprocess.Popen(
            [
                sys.executable,
                str(SERVER),
                str(listener.fileno()),
                str(STAND_IN),
                path,
            ],  # By its path: it imports nothing else of the tests.
            stdin=theirs,
            pass_fds=[listener.fileno()],
            stdout=subprocess.DEVNULL,
            env={name: value for name, value in environment.items() if name != "PYTHONUNBUFFERED"},
        )

    def end() -> None:
        ours.close()
        process.wait()
        shutil.rmtree(directory)

    atexit.register(end)
    return ours, path
