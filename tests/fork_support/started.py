"""A command of Placet that a test does something to while the command runs, as `subprocess.Popen` has it."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO

from fork_support import PLACET, fork
from time_support import wait_seconds

Stream = int
"""A descriptor, `subprocess.PIPE` or `subprocess.DEVNULL`."""


class StartedProcess:
    """A forked process; the test that starts the process also waits for its end."""

    def __init__(
        self,
        arguments: Sequence[str],
        directory: Path,
        environment: Mapping[str, str],
        stdin: Stream,
        stdout: Stream,
        stderr: Stream,
        *,
        leads_session: bool,
    ) -> None:
        self._command = [*PLACET, *arguments]
        self._theirs: list[int] = []
        streams = [self._stream(number, asked) for number, asked in enumerate((stdin, stdout, stderr))]
        self.stdin, self.stdout, self.stderr = (file for _, file in streams)
        self.returncode: int | None = None
        descriptors = [descriptor for descriptor, _ in streams]
        told = fork(arguments, directory, environment, descriptors, leads_session=leads_session)
        for descriptor in self._theirs:
            os.close(descriptor)
        self._news = os.fdopen(told, "rb", buffering=0)
        self.pid = int(self._news.readline())

    def _stream(self, number: int, asked: Stream) -> tuple[int, IO[str] | None]:
        """Return the descriptor of the process, and with a pipe the file here."""
        if asked == subprocess.DEVNULL:
            self._theirs.append(os.open(os.devnull, os.O_RDWR))
            return self._theirs[-1], None
        if asked != subprocess.PIPE:
            return asked, None
        read, write = os.pipe()
        ours, theirs, mode = (write, read, "w") if number == 0 else (read, write, "r")
        self._theirs.append(theirs)
        return theirs, os.fdopen(ours, mode, encoding="utf-8")

    def poll(self) -> int | None:
        return self._end(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process has ended. Raises `subprocess.TimeoutExpired`."""
        seconds = wait_seconds() if timeout is None else timeout
        if (code := self._end(seconds)) is None:
            raise subprocess.TimeoutExpired(self._command, seconds)
        return code

    def communicate(self, text: str | None = None) -> tuple[str, str]:
        """Write the text, read to the ends of stdout and stderr, and wait until the process has ended."""
        printed: tuple[list[str], list[str]] = [], []
        threads = [
            Thread(target=_write, args=(self.stdin, text), daemon=True),
            Thread(target=_read, args=(self.stdout, printed[0]), daemon=True),
            Thread(target=_read, args=(self.stderr, printed[1]), daemon=True),
        ]
        for thread in threads:
            thread.start()
        seconds = wait_seconds()
        try:
            self.wait(seconds)
            for thread in threads:
                thread.join(seconds)
                assert not thread.is_alive(), (
                    f"{self._command} has ended, and another process holds its stdout or stderr"
                )
        except (subprocess.TimeoutExpired, AssertionError) as error:
            self.kill()
            last = "".join(line for lines in printed for line in lines[-20:])
            raise AssertionError(f"{error}; the last lines:\n{last}") from error
        out, said = map("".join, printed)
        return out, said

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _end(self, seconds: float) -> int | None:
        if self.returncode is None and select.select([self._news], [], [], seconds)[0]:
            self.returncode = int(self._news.readline())
            self._news.close()
        return self.returncode


def start_placet(
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    *,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.PIPE,
    stderr: Stream = subprocess.PIPE,
    leads_session: bool = False,
) -> StartedProcess | subprocess.Popen[str]:
    """Start `placet ARGUMENTS`, the first process of a session of its own if so asked. Off Linux nothing is forked."""
    if sys.platform == "linux":
        return StartedProcess(arguments, directory, environment, stdin, stdout, stderr, leads_session=leads_session)
    return subprocess.Popen(
        [*PLACET, *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        text=True,
        cwd=directory,
        env=environment,
        start_new_session=leads_session,
    )


def _write(file: IO[str] | None, text: str | None) -> None:
    if file is not None:
        with suppress(BrokenPipeError), file:
            file.write(text or "")


def _read(file: IO[str] | None, lines: list[str]) -> None:
    if file is not None:
        with file:
            while line := file.readline():
                lines.append(line)
