"""Running calls of one server: Placet answers the server's own requests for the last of the calls."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field

from placet.tools.framework.context import ToolContext


@dataclass(eq=False, slots=True)
class McpCall:
    """Call of a tool, with a limit on the server's silence."""

    context: ToolContext
    clock: asyncio.Timeout
    silence_seconds: float
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the call has ended."""
    waits: int = 0
    """Number of waits for the user or the model on the server's behalf; such a wait does not count as silence."""

    def was_heard(self) -> None:
        if not self.waits:
            self._set(asyncio.get_running_loop().time() + self.silence_seconds)

    @contextmanager
    def waiting(self) -> Generator[None]:
        self.waits += 1
        self._set(None)
        try:
            yield
        finally:
            self.waits -= 1
            self.was_heard()

    def _set(self, when: float | None) -> None:
        with suppress(RuntimeError):  # The call is already at its end.
            self.clock.reschedule(when)


@dataclass(slots=True)
class Calls:
    _running: list[McpCall] = field(default_factory=list[McpCall])

    @property
    def last(self) -> McpCall | None:
        return self._running[-1] if self._running else None

    @asynccontextmanager
    async def running(self, context: ToolContext, silence_seconds: float) -> AsyncGenerator[McpCall]:
        """Register the call while the block runs. Raises TimeoutError when the server was silent for too long."""
        async with asyncio.timeout(silence_seconds) as clock:
            call = McpCall(context, clock, silence_seconds)
            self._running.append(call)
            try:
                yield call
            finally:
                self._running.remove(call)
                call.over.set()
