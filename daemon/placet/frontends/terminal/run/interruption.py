"""End a run from outside: by Ctrl-C, SIGTERM, a closed terminal, the time limit, or a closed output pipe."""

import asyncio
import signal
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Literal, TypeVar

from placet.frontends.terminal.output import hangup_signals, hush_terminals, terminal_descriptors

T = TypeVar("T")
Cause = Literal["signal", "timeout", "pipe"]


class Interrupted(Exception):
    """The run was ended before any result."""


class Interruption:
    """Interruption of a single run; the first cause counts."""

    def __init__(self, timeout_seconds: float | None = None) -> None:
        self.cause: Cause | None = None
        self.timeout_seconds = timeout_seconds
        self._work: asyncio.Task[Any] | None = None

    def end(self, cause: Cause) -> None:
        """Cancel the work, now or as soon as it begins."""
        if self.cause is None:
            self.cause = cause
            if self._work is not None:
                self._work.cancel()

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of the work; cancelled work may still have a result.

        Raises Interrupted if the cancelled work has no result.
        """
        self._work = asyncio.create_task(work, name="run")
        if self.cause is not None:
            self._work.cancel()
        try:
            return await self._work
        except asyncio.CancelledError as error:
            if self.cause is None:
                raise
            raise Interrupted from error
        finally:
            self._work = None

    @contextmanager
    def watched(self) -> Generator[None]:
        """Watch signals and the time limit while the context is open.

        A second signal kills the process at once, whatever the process is doing.
        """
        loop = asyncio.get_running_loop()

        hangups, terminals = hangup_signals(), terminal_descriptors()

        def hear(number: int, _: FrameType | None) -> None:
            if number in hangups:
                hush_terminals(terminals)
            for signal_number in signals:
                signal.signal(signal_number, signal.SIG_DFL)
            loop.call_soon_threadsafe(self.end, "signal")

        signals = (signal.SIGINT, signal.SIGTERM, *hangups)
        before = {number: signal.signal(number, hear) for number in signals}
        timer = None if self.timeout_seconds is None else loop.call_later(self.timeout_seconds, self.end, "timeout")
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()
            if self.cause != "signal":
                for signal_number, handler in before.items():
                    signal.signal(signal_number, handler)
