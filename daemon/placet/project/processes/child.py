"""Child process of the daemon that leaves nothing behind: no process, no zombie, no unread last words.

Two kinds of children share one end. A program of others gets a session of its own and a mark in its environment: the
whole family is ended, by the watchdog where the daemon is killed. A Python process of ours ends with the daemon by
itself (python_child.py), and carries no mark, as the mark says that an agent runs the process.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
import uuid
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO, Self

from msgspec import Struct

from placet.core.executor import in_thread
from placet.core.tasks import to_the_end
from placet.project.processes.process_tree import SignalName, family_memory_bytes, signal_family
from placet.project.processes.watchdog import watched

MARK = "PLACET_COMMAND"
"""Variable that marks a program, and all processes of the program, as run by an agent."""
WORDS_BYTES = 4096
"""Size of the kept end of stderr."""
WORDS_SECONDS = 0.5
"""Time for the last words, which may still be in the pipe after the end of the process."""
KILL_SECONDS = 2.0
POLL_SECONDS = 0.02
_READ_BYTES = 256 * 1024
# Without the flag a console window opens on Windows; other systems have no such flag.
_NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)


class Command(Struct, frozen=True):
    """Program to start, with all that the program is given."""

    arguments: Sequence[str]
    directory: Path
    environment: Mapping[str, str]
    file_descriptors: tuple[int, ...] = ()
    """Open descriptors that the program inherits beside its streams; the owner of the command closes them."""


def python_command(
    module: str,
    *arguments: str,
    directory: Path | str,
    environment: Mapping[str, str],
    parent: int | None = None,
) -> Command:
    """Return the command for a module of ours, with the id of the parent process (None: this process) as the first
    argument.
    """
    # -P: no file of the working directory is taken for a module of the child.
    words = (sys.executable, "-P", "-m", module, str(os.getpid() if parent is None else parent), *arguments)
    return Command(words, Path(directory), environment)


async def end_at_once(process: Process, *, leads_group: bool = False) -> None:
    """Kill the process, with its group if the process leads a group, and wait for its exit and the end of its output.

    A bubblewrap that is killed in the beginning leaves a child that waits for ever for a word of bubblewrap, so its
    group is to be killed.
    An event loop that closes before the end of the output would leave the pipe open. The output of processes that have
    inherited the pipe is waited for at most KILL_SECONDS.
    """
    _kill(process, leads_group=leads_group)
    await to_the_end(_drain(process))


async def end_group(process: Process) -> None:
    """End the process, which leads a group, at once."""
    await end_at_once(process, leads_group=True)


async def _drain(process: Process) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(KILL_SECONDS):
            await process.communicate()
    await process.wait()


def _kill(process: Process, *, leads_group: bool) -> None:
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        if leads_group and sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


async def started(
    start: Coroutine[Any, Any, Process], end: Callable[[Process], Awaitable[None]] = end_at_once
) -> Process:
    """Return the process that `start` starts; if cancelled, `end` the process after the start, and at once.

    asyncio itself would kill the process alone, and could leave pipes open. Raises OSError.
    """
    starting = asyncio.ensure_future(start)
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await to_the_end(_end_started(starting, end))
        raise


async def _end_started(starting: asyncio.Future[Process], end: Callable[[Process], Awaitable[None]]) -> None:
    await asyncio.wait((starting,))
    if not starting.cancelled() and starting.exception() is None:
        await end(starting.result())


class LastWords(Struct):
    """End of a process's output on stderr."""

    tail: bytes = b""

    @property
    def line(self) -> str:
        """Return the last line."""
        return self.tail.decode("utf-8", "replace").strip().rpartition("\n")[2]

    async def listen(self, stream: asyncio.StreamReader) -> None:
        while data := await stream.read(_READ_BYTES):
            self.tail = (self.tail + data)[-WORDS_BYTES:]


class ManagedChild:
    """Running child; the owner calls `end`, or `let_go` after the exit. Belongs to the event loop of the start."""

    def __init__(
        self,
        process: Process,
        mark: str | None = None,
        watch: ExitStack | None = None,
        words: LastWords | None = None,
    ) -> None:
        self._process = process
        self._mark = mark
        """Mark of a program's family; None for a Python process of ours, which is ended alone."""
        self._watch = watch or ExitStack()
        """Watch of the watchdog, which ends with this stack."""
        self._listening: asyncio.Task[None] | None = None
        if words is not None and process.stderr is not None:
            self._listening = asyncio.create_task(words.listen(process.stderr), name=f"stderr of {process.pid}")

    @classmethod
    async def start_program(cls, command: Command, streams: LastWords | BinaryIO) -> Self:
        """Start a program in a session of its own, ended with its whole family.

        With LastWords, all three streams are pipes, and stderr goes to the words; with a file, both outputs go to the
        file and the input is closed. Raises OSError.
        """
        is_piped = isinstance(streams, LastWords)
        value = uuid.uuid4().hex
        mark = f"{MARK}={value}"
        with ExitStack() as watch:
            has_started = watch.enter_context(watched(mark))
            start = asyncio.create_subprocess_exec(
                *command.arguments,
                cwd=command.directory,
                env={**command.environment, MARK: value},
                stdin=asyncio.subprocess.PIPE if is_piped else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE if is_piped else streams,
                stderr=asyncio.subprocess.PIPE if is_piped else asyncio.subprocess.STDOUT,
                start_new_session=os.name != "nt",
                pass_fds=command.file_descriptors,
                creationflags=subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0,
            )
            process = await started(start, lambda process: cls(process, mark).end_at_once())
            has_started(process.pid)
            return cls(process, mark, watch.pop_all(), streams if is_piped else None)

    @classmethod
    async def start_python(
        cls, command: Command, *, log: BinaryIO | int | None, read_ahead_bytes: int = 1 << 16
    ) -> Self:
        """Start a Python process of ours (`python_command`) with `log` (None: ours) as stderr. Raises OSError."""
        start = asyncio.create_subprocess_exec(
            *command.arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            cwd=command.directory,
            env=command.environment,
            start_new_session=os.name != "nt",
            pass_fds=command.file_descriptors,
            creationflags=_NO_WINDOW,
            limit=read_ahead_bytes,
        )
        return cls(await started(start, end_group))

    @property
    def process_id(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Return the exit code, negative for the number of a signal; None while the process runs."""
        return self._process.returncode

    @property
    def stdin(self) -> asyncio.StreamWriter:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        assert self._process.stdout is not None
        return self._process.stdout

    async def wait(self) -> int:
        """Return the exit code, after the exit."""
        return await self._process.wait()

    async def ends_within(self, seconds: float) -> bool:
        """Wait for the exit; return whether the process has exited."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()
        return self._process.returncode is not None

    async def memory_bytes(self) -> int:
        """Return the memory of a program's family, or 0 if unknown."""
        return 0 if self._mark is None else await in_thread(family_memory_bytes, self._process.pid, self._mark)

    def kill(self) -> None:
        """Force a Python process of ours to end, or a program without its family; `end` is for the family too."""
        _kill(self._process, leads_group=self._mark is None)

    async def end(self, *, input_seconds: float = 0.0, request_seconds: float = 0.0) -> None:
        """End the child and reap the process: politely for the given times, then by force.

        First close stdin and wait `input_seconds` for the exit; then request the end of the child's processes, and wait
        `request_seconds` until no process is left. 0 leaves the step out. Cancelling cuts the politeness short.
        """
        try:
            if input_seconds:
                with suppress(OSError):
                    self.stdin.close()
                if await self.ends_within(input_seconds):
                    return
            if request_seconds:
                await self._signal_until_gone("TERM", request_seconds)
        finally:
            await to_the_end(self._force_end())

    async def end_at_once(self) -> None:
        """End the child by force, and wait for the end of its output."""
        await self._signal_until_gone("KILL", KILL_SECONDS)
        await _drain(self._process)

    async def _force_end(self) -> None:
        await self._signal_until_gone("KILL", KILL_SECONDS)
        await self.ends_within(KILL_SECONDS)
        await self.hear_last_words()
        self.let_go()

    def let_go(self) -> None:
        """Leave what the exited program has left running to itself, also at the daemon's end."""
        self._watch.close()

    async def _signal_until_gone(self, name: SignalName, seconds: float) -> None:
        """Signal the present processes once (when forcing: also later processes), and wait until no process is left."""
        deadline = time.monotonic() + seconds
        left = await self._signal(name)
        while left and time.monotonic() < deadline:
            await asyncio.sleep(POLL_SECONDS)
            left = await self._signal("KILL" if name == "KILL" else None)

    async def _signal(self, name: SignalName | None) -> int:
        """Signal the living processes of the child (None: no signal), and return the number of the processes."""
        if self._mark is not None:
            return await in_thread(signal_family, self._process.pid, self._mark, name)
        if name == "KILL":
            self.kill()
        elif name == "TERM":
            with suppress(ProcessLookupError):
                self._process.terminate()
        return int(self._process.returncode is None)

    async def hear_last_words(self) -> None:
        if self._listening is not None:
            await asyncio.wait((self._listening,), timeout=WORDS_SECONDS)
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
