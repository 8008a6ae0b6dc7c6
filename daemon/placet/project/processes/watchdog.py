"""Client of the watchdog, a process beside the daemon that ends the daemon's commands even when the daemon is killed.

A command has a session of its own and survives the daemon's SIGKILL. A single watchdog serves all commands; the
watchdog starts with the first command, and each command costs three lines on a pipe. Windows has no watchdog: there a
command is in a job object (job_object.py).
"""

import atexit
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from msgspec import Struct, field

import placet

logger = logging.getLogger(__name__)

_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); from placet.project.processes.watchdog_process import main; main()"
)
_INHERITED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that Python and `ps` may need to run; the watchdog gets no other variable."""


@contextmanager
def watched(mark: str) -> Generator[Callable[[int], None]]:
    """Watch a command: processes with the mark in the environment end with the daemon.

    Call the yielded function with the pid once the pid is known.
    """
    if os.name == "nt":
        # The job object needs ctypes, which only Windows pays for.
        from placet.project.processes.job_object import in_a_job

        with in_a_job() as hold:
            yield hold
        return
    watchdog = _watchdog()
    watchdog.tell(mark, None)
    try:
        yield lambda pid: watchdog.tell(mark, pid)
    finally:
        watchdog.forget(mark)


@cache
def _watchdog() -> "Watchdog":
    watchdog = Watchdog()
    atexit.register(watchdog.let_go)
    return watchdog


class Watchdog(Struct):
    """Daemon's end of the pipe to the watchdog. If the watchdog cannot start, commands run without a watchdog."""

    _commands: dict[str, int | None] = field(default_factory=dict[str, int | None])
    _process: "subprocess.Popen[bytes] | None" = None
    _has_failed: bool = False

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def tell(self, mark: str, pid: int | None) -> None:
        """Tell the watchdog that a command is about to start, or, with `pid`, has started."""
        self._commands[mark] = pid
        self._write(_line(mark, pid))

    def forget(self, mark: str) -> None:
        """Tell the watchdog that the command has ended."""
        self._commands.pop(mark, None)
        self._write(f"- {mark}\n")

    def let_go(self) -> None:
        """Close the pipe at the end of the daemon: the watchdog ends by itself, and nobody waits for the watchdog."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.returncode = 0

    def _write(self, line: str) -> None:
        """Pass the line on; a dead watchdog is replaced, and the new watchdog hears of all commands."""
        if self._process is None or not self._send(line):
            self._start()
            self._send("".join(_line(mark, pid) for mark, pid in self._commands.items()))

    def _start(self) -> None:
        self._end()
        command = [sys.executable, "-I", "-S", "-c", _PROGRAM, str(Path(placet.__file__).parents[1]), str(os.getpid())]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in _INHERITED if name in os.environ},
                start_new_session=True,  # A Ctrl-C in the terminal must not reach the watchdog.
                bufsize=0,
            )
        except OSError as error:
            if not self._has_failed:
                logger.warning("Commands will outlive a killed Placet, as no watchdog can be started: %s", error)
            self._has_failed = True
            return
        assert self._process.stdin is not None
        assert sys.platform != "win32"
        os.set_blocking(self._process.stdin.fileno(), False)

    def _end(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process = None

    def _send(self, lines: str) -> bool:
        if self._process is None or self._process.stdin is None:
            return False
        try:
            # The watchdog reads no more, and the pipe is full.
            return bool(self._process.stdin.write(lines.encode()))
        except OSError:
            return False


def _line(mark: str, pid: int | None) -> str:
    return f"+ {mark}\n" if pid is None else f"= {mark} {pid}\n"
