"""One life of the model host: its process, from spawn to end, and who waits for what it says."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Self, assert_never

from placet.errors import ModelError
from placet.model import frames

Answer = frames.Batch | frames.Ended | frames.Failed | ModelError
"""What a waiting call is told; after anything but a Batch comes nothing more."""

_SEND_AGAIN = "Send the prompt again: the next call starts a new host."
_REINSTALL = "Install Placet anew, with its dependencies; the host's own log says more."
_CLOSE_SECONDS = 2.0
# Without it a console window opens on Windows; elsewhere there is no such flag.
_CREATION_FLAGS: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)


def _opened(log: Path | None) -> contextlib.AbstractContextManager[BinaryIO | None]:
    if log is None:
        return contextlib.nullcontext()
    log.parent.mkdir(parents=True, exist_ok=True)
    return log.open("ab")


class HostLife:
    """A running model host. Belongs to the loop it was spawned in."""

    def __init__(self, process: asyncio.subprocess.Process, on_prepared: Callable[[frames.Prepared], None]) -> None:
        self.ready: asyncio.Future[frames.Ready] = asyncio.get_running_loop().create_future()
        """Done when calls can be served; fails with ModelError when that will never be."""
        self.ended = False
        self._process = process
        self._on_prepared = on_prepared
        self._waiting: dict[int, asyncio.Queue[Answer]] = {}
        self._unusable = ""
        self._listening = asyncio.create_task(self._listen(), name="model host")

    @classmethod
    async def spawn(
        cls, environment: Mapping[str, str], log: Path | None, on_prepared: Callable[[frames.Prepared], None]
    ) -> Self:
        """Start the process; returns before it is ready. Raises OSError."""
        # -P: what lies in the working directory must not be taken for one of the host's modules.
        command = (sys.executable, "-P", "-m", "placet.model.host_process", str(os.getpid()))
        with _opened(log) as log_file:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log_file,
                env=environment,
                cwd=sys.prefix,
                creationflags=_CREATION_FLAGS,
            )
        return cls(process, on_prepared)

    @property
    def process_id(self) -> int:
        return self._process.pid

    def send(self, order: frames.Order) -> None:
        """Queue an order for the host; dropped when the host has ended."""
        assert self._process.stdin is not None
        if not self.ended and not self._process.stdin.is_closing():
            self._process.stdin.write(frames.pack(order))

    def begin(self, ask: frames.Ask) -> "asyncio.Queue[Answer]":
        """Send the call; the queue holds what the host answers."""
        answers = self._waiting[ask.number] = asyncio.Queue()
        self.send(ask)
        if self.ended:
            answers.put_nowait(self._obituary())
        return answers

    def forget(self, number: int, *, cancel: bool) -> None:
        """Nobody waits for this call any more."""
        self._waiting.pop(number, None)
        if cancel:
            self.send(frames.Cancel(number))

    async def close(self) -> None:
        """End the process: it goes with its input; killed if it does not."""
        assert self._process.stdin is not None
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
            if await frames.read_report(self._process.stdout) != frames.Hello(frames.VERSION):
                raise frames.BrokenFrame("the model host is of another version")
            while True:
                self._hear(await frames.read_report(self._process.stdout))
        except asyncio.IncompleteReadError:
            pass
        except frames.BrokenFrame as error:
            self._unusable = f"{error}"
            self._process.kill()
        await self._process.wait()
        self._end()

    def _hear(self, report: frames.Report) -> None:
        match report:
            case frames.Ready():
                self.ready.set_result(report)
            case frames.Unusable(reason):
                self._unusable = reason
            case frames.Prepared():
                self._on_prepared(report)
            case frames.Batch() | frames.Ended() | frames.Failed():
                if answers := self._waiting.get(report.number):
                    answers.put_nowait(report)
            case frames.Hello():
                raise frames.BrokenFrame("the model host said hello twice")
            case _:
                assert_never(report)

    def _end(self) -> None:
        self.ended = True
        if not self.ready.done():
            self.ready.set_exception(self._obituary())
            # Who waits for it hears it; with nobody waiting, the next call starts a new host.
            self.ready.exception()
        for answers in self._waiting.values():
            answers.put_nowait(self._obituary())

    def _obituary(self) -> ModelError:
        if self._unusable:
            return ModelError("host_died", f"The model host cannot work: {self._unusable}.", hint=_REINSTALL)
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
