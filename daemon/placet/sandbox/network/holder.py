"""Holder of a network namespace: a small process keeps the namespace of a session open for all commands.

bubblewrap makes a user namespace and a network namespace for the holder. A command enters both by nsenter, and the
bubblewrap of the command makes the rest of the sandbox. The holder ends with the daemon: by the kernel
(`--die-with-parent`), by the end of the pipe, and by the watchdog.
"""

import asyncio
import os
import socket
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.project.processes.child import Command, LastWords, ManagedChild
from placet.project.processes.commands import run_command

START_SECONDS = 5.0
_PROGRAM = Path(__file__).with_name("holder_process.py")
_ROOT = Path("/")
_MAX_LISTENERS = 200
"""Number of listeners for one message; the kernel passes 253 descriptors at most."""
_WORDS_BYTES = 4096
# With `--dev` bubblewrap would make a second user namespace inside, which does not own the network namespace.
_OUTER = ("--unshare-user", "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/", "--cap-drop", "ALL", "--")
_INNER = ("--unshare-user", "--dev-bind", "/", "/", "--")

Listeners = dict[int, socket.socket]
"""Listening sockets by their ports inside the namespace."""


class NoNamespace(Exception):
    """A network namespace cannot be made or entered; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Programs that make, enter and hold a namespace, by their paths."""

    bubblewrap: str
    nsenter: str
    cat: str


class Holder:
    """Running holder; a SessionNetwork owns and ends the holder."""

    def __init__(self, child: ManagedChild, process_id: int, programs: Programs) -> None:
        self._child = child
        self._programs = programs
        self.process_id = process_id

    @classmethod
    async def start(cls, programs: Programs) -> tuple["Holder", socket.socket]:
        """Return a new holder, and a listener on a free port of the namespace's loopback. Raises NoNamespace."""
        child, process_id, listeners = await _open((programs.bubblewrap, *_OUTER), programs.cat, (0,))
        holder = cls(child, process_id, programs)
        try:
            await holder._check_nesting()
        except BaseException:
            listeners[0].close()
            await holder.end()
            raise
        return holder, listeners[0]

    @property
    def is_alive(self) -> bool:
        return self._child.exit_code is None

    @property
    def prefix(self) -> tuple[str, ...]:
        """Return the words before a program for the namespace."""
        place = f"/proc/{self.process_id}/ns"
        return (self._programs.nsenter, f"--user={place}/user", f"--net={place}/net", "--preserve-credentials", "--")

    async def open(self, ports: Sequence[int]) -> Listeners:
        """Return listeners on ports of the namespace's loopback, without the ports in use. Raises NoNamespace."""
        child, _, listeners = await _open(self.prefix, "", ports[:_MAX_LISTENERS])
        try:
            await child.end()
        except BaseException:
            for listener in listeners.values():
                listener.close()
            raise
        return listeners

    async def end(self) -> None:
        await self._child.end()

    async def _check_nesting(self) -> None:
        """Return if a command can make its own namespaces inside of the holder's. Raises NoNamespace."""
        assert sys.platform != "win32"
        words = (*self.prefix, self._programs.bubblewrap, *_INNER, self._programs.cat)
        with tempfile.TemporaryFile(buffering=0) as output:
            ending = await run_command(
                Command(words, _ROOT, _environment()),
                output,
                timeout_seconds=START_SECONDS,
                abort=asyncio.Event(),
                max_output_bytes=_WORDS_BYTES,
            )
            if ending.code != 0:
                output.seek(0)
                reason = output.read(_WORDS_BYTES).decode("utf-8", "replace").strip()
                raise NoNamespace(reason or "a command cannot enter the namespace")


async def _open(words: Sequence[str], cat: str, ports: Sequence[int]) -> tuple[ManagedChild, int, Listeners]:
    """Start the program of the holder behind the words; return the child, the id of the process and the listeners.

    Raises NoNamespace.
    """
    last_words = LastWords()
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            inherited = theirs.fileno()
            program = (sys.executable, "-I", "-S", str(_PROGRAM), str(inherited), cat, *map(str, ports))
            command = Command((*words, *program), _ROOT, _environment(), (inherited,))
            try:
                child = await ManagedChild.start_program(command, last_words)
            except OSError as error:
                raise NoNamespace(str(error)) from error
        try:
            return child, *await _received(ours)
        except BaseException as error:
            await child.end()
            if isinstance(error, OSError | EOFError):
                raise NoNamespace(last_words.line or "the holder of the namespace does not start") from error
            raise


async def _received(channel: socket.socket) -> tuple[int, Listeners]:
    """Return the id of the program's process, and the listeners. Raises OSError, and EOFError if the program ended.

    No thread receives: the listeners of a cancelled call would stay open in the thread's result.
    """
    assert sys.platform != "win32"
    loop = asyncio.get_running_loop()
    is_readable = asyncio.Event()
    loop.add_reader(channel, is_readable.set)
    try:
        async with asyncio.timeout(START_SECONDS):
            await is_readable.wait()
    finally:
        loop.remove_reader(channel)
    words, descriptors, _, _ = socket.recv_fds(channel, _WORDS_BYTES, _MAX_LISTENERS)
    if not words:
        raise EOFError
    process_id, *ports = map(int, words.split())
    sockets = [socket.socket(fileno=descriptor) for descriptor in descriptors]
    return process_id, dict(zip(ports, sockets, strict=True))


def _environment() -> dict[str, str]:
    """Return the variables that Python may need to run."""
    return {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
