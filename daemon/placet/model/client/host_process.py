"""Life of one model host: the process from spawn to end, and the calls which wait for answers."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self, assert_never

from placet.auth import secret_handoff
from placet.core.errors import ModelError
from placet.core.length_frames import BrokenFrame
from placet.model import frames
from placet.project.processes.environment import Secrets

Answer = frames.Batch | frames.Ended | frames.Failed | frames.Models | ModelError
"""Answer to a waiting call; nothing follows any answer but a Batch."""

_SEND_AGAIN = "Send the prompt again: the next call starts a new host."
_REINSTALL = "Install Placet anew, with its dependencies; the host's own log says more."
_RESTART = "Restart the editor, or its language server: Placet was updated while it ran."
_CLOSE_SECONDS = 2.0
_READ_AHEAD_BYTES = 1 << 20
# Without the flag a console window opens on Windows; other systems have no such flag.
_CREATION_FLAGS: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)


@dataclass(frozen=True, slots=True)
class HostSpec:
    """Start values of a host."""

    environment: Mapping[str, str]
    secrets: Secrets
    """Variables which the host gets apart from the environment, because other processes can read an environment."""
    key_file: Path | None = None
    """Path of the key store's file (keys.py)."""
    log: Path | None = None
    """Path of the file for the host's stderr; None: the daemon's stderr."""


class OtherVersion(BrokenFrame):
    """Raised when the host was started from another Placet than the daemon."""


def _opened(log: Path | None) -> contextlib.AbstractContextManager[BinaryIO | None]:
    if log is None:
        return contextlib.nullcontext()
    log.parent.mkdir(parents=True, exist_ok=True)
    return log.open("ab")


class HostProcess:
    """Running model host. Belongs to the loop which spawned the host."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        on_learnt: Callable[[frames.Prepared | frames.Carried], None],
        on_death: Callable[[], None],
    ) -> None:
        self.ready: asyncio.Future[frames.Ready] = asyncio.get_running_loop().create_future()
        """Future which is done when the host can serve calls, and fails with ModelError when the host never can."""
        self.ended = False
        self._process = process
        self._on_learnt = on_learnt
        self._on_death = on_death
        self._closing = False
        self._waiting: dict[int, asyncio.Queue[Answer]] = {}
        self._unusable = ""
        self._hint = _REINSTALL
        self._listening = asyncio.create_task(self._listen(), name="model host")

    @classmethod
    async def spawn(
        cls,
        birth: HostSpec,
        *,
        on_learnt: Callable[[frames.Prepared | frames.Carried], None],
        on_death: Callable[[], None],
    ) -> Self:
        """Start the process; returns before the host is ready. Raises OSError.

        `on_death` is called when the process ends without `close`.
        """
        # -P: no file of the working directory is taken for a module of the host.
        command = [sys.executable, "-P", "-m", "placet.model.host", str(os.getpid())]
        if birth.key_file is not None:
            command.append(str(birth.key_file))
        with _opened(birth.log) as log_file:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log_file,
                env=birth.environment,
                cwd=sys.prefix,
                creationflags=_CREATION_FLAGS,
                limit=_READ_AHEAD_BYTES,
            )
        assert process.stdin is not None
        process.stdin.write(secret_handoff.packed(birth.secrets))
        return cls(process, on_learnt, on_death)

    @property
    def process_id(self) -> int:
        return self._process.pid

    def send(self, order: frames.Order) -> None:
        """Queue an order for the host; the order is dropped when the host has ended."""
        assert self._process.stdin is not None
        if not self.ended and not self._process.stdin.is_closing():
            self._process.stdin.write(frames.ORDERS.pack(order))

    def begin(self, call: frames.Ask | frames.ListModels) -> "asyncio.Queue[Answer]":
        """Send the call; the queue holds the host's answers."""
        answers = self._waiting[call.number] = asyncio.Queue()
        self.send(call)
        if self.ended:
            answers.put_nowait(self._obituary())
        return answers

    def forget(self, number: int, *, cancel: bool) -> None:
        """Stop waiting for this call."""
        self._waiting.pop(number, None)
        if cancel:
            self.send(frames.Cancel(number))

    async def close(self) -> None:
        """End the process: close its input, and kill the process if the process does not end in time."""
        assert self._process.stdin is not None
        self._closing = True
        self._process.stdin.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await asyncio.shield(self._listening)
        except TimeoutError:
            self._process.kill()
            await self._listening

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        try:
            _check_version(await frames.REPORTS.receive(self._process.stdout))
            while True:
                self._hear(await frames.REPORTS.receive(self._process.stdout))
        except asyncio.IncompleteReadError:
            pass
        except BrokenFrame as error:
            self._unusable = f"{error}"
            if isinstance(error, OtherVersion):
                self._hint = _RESTART
            self._process.kill()
        await self._process.wait()
        self._end()

    def _hear(self, report: frames.Report) -> None:
        match report:
            case frames.Ready():
                self.ready.set_result(report)
            case frames.Unusable(reason):
                self._unusable = reason
            case frames.Prepared() | frames.Carried():
                self._on_learnt(report)
            case frames.Batch() | frames.Ended() | frames.Failed() | frames.Models():
                if answers := self._waiting.get(report.number):
                    answers.put_nowait(report)
            case frames.Hello():
                raise BrokenFrame("the model host said hello twice")
            case _:
                assert_never(report)

    def _end(self) -> None:
        self.ended = True
        if not self._closing:
            self._on_death()
        if not self.ready.done():
            self.ready.set_exception(self._obituary())
            # A waiting call gets the error; without a waiting call, the next call starts a new host.
            self.ready.exception()
        for answers in self._waiting.values():
            answers.put_nowait(self._obituary())

    def _obituary(self) -> ModelError:
        if self._unusable:
            return ModelError("host_died", f"The model host cannot work: {self._unusable}.", hint=self._hint)
        when = "in the middle of the call" if self.ready.done() and not self.ready.exception() else "while it started"
        message = f"The model host, Placet's process for language models, ended {when} ({self._cause()})."
        return ModelError("host_died", message, hint=_SEND_AGAIN)

    def _cause(self) -> str:
        code = self._process.returncode
        if code is None or code >= 0:
            return f"exit code {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"


def _check_version(hello: frames.Report) -> None:
    if not isinstance(hello, frames.Hello):
        raise BrokenFrame("the model host did not say hello")
    if hello.version != frames.VERSION:
        raise OtherVersion(f"it is of another version ({hello.version}) than the daemon ({frames.VERSION})")
