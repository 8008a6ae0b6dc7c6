"""Life of one model host: the process from spawn to end, and the calls which wait for answers."""

import asyncio
import signal
from collections.abc import Callable
from typing import assert_never

from placet.core.errors import ModelError
from placet.core.length_frames import BrokenFrame
from placet.model import frames
from placet.project.processes.child import ManagedChild

HostAnswer = frames.Batch | frames.Ended | frames.Failed | frames.Models | ModelError
"""Answer to a waiting call; nothing follows any answer but a Batch."""

_SEND_AGAIN = "Send the prompt again: the next call starts a new host."
_REINSTALL = "Reinstall Placet with its dependencies; see the host's log for details."
_RESTART = "Restart the editor, or the language server: Placet was updated while the editor was running."
_CLOSE_SECONDS = 2.0


class OtherVersion(BrokenFrame):
    """Raised when the host was started from another Placet than the daemon."""


class HostProcess:
    """Running model host. Belongs to the loop which spawned the host.

    `on_death` is called when the process ends without `close`.
    """

    def __init__(
        self,
        child: ManagedChild,
        on_learnt: Callable[[frames.Prepared | frames.Carried], None],
        on_death: Callable[[], None],
    ) -> None:
        self.ready: asyncio.Future[frames.Ready] = asyncio.get_running_loop().create_future()
        """Future which is done when the host can serve calls, and fails with ModelError when the host never can."""
        self.ended = False
        self._child = child
        self._on_learnt = on_learnt
        self._on_death = on_death
        self._closing = False
        self._waiting: dict[int, asyncio.Queue[HostAnswer]] = {}
        self._unusable = ""
        self._hint = _REINSTALL
        self._listening = asyncio.create_task(self._listen(), name="model host")

    @property
    def process_id(self) -> int:
        return self._child.process_id

    def send(self, order: frames.Order) -> None:
        """Queue an order for the host; the order is dropped when the host has ended."""
        if not self.ended and not self._child.stdin.is_closing():
            self._child.stdin.write(frames.ORDERS.pack(order))

    def begin(self, call: frames.Ask | frames.ListModels) -> "asyncio.Queue[HostAnswer]":
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
        self._closing = True
        await self._child.end(input_seconds=_CLOSE_SECONDS)
        await asyncio.shield(self._listening)  # A cancelled close leaves the listener to its end.

    async def _listen(self) -> None:
        try:
            _check_version(await frames.REPORTS.receive(self._child.stdout))
            while True:
                self._hear(await frames.REPORTS.receive(self._child.stdout))
        except asyncio.IncompleteReadError:
            pass
        except BrokenFrame as error:
            self._unusable = f"{error}"
            if isinstance(error, OtherVersion):
                self._hint = _RESTART
            self._child.kill()
        await self._child.wait()
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
            return ModelError("host_died", f"The model host cannot run: {self._unusable}.", hint=self._hint)
        when = "during the call" if self.ready.done() and not self.ready.exception() else "during its start"
        message = f"The model host, Placet's process for language models, ended {when} ({self._cause()})."
        return ModelError("host_died", message, hint=_SEND_AGAIN)

    def _cause(self) -> str:
        code = self._child.exit_code
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
        raise OtherVersion(f"its version ({hello.version}) differs from the daemon's version ({frames.VERSION})")
