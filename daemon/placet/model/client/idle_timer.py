"""Watch for a time without use."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager


class IdleTimer:
    """Calls `on_idle` after `seconds` without use; with 0, never. Belongs to one event loop."""

    def __init__(self, seconds: float, on_idle: Callable[[], None]) -> None:
        self._seconds = seconds
        self._on_idle = on_idle
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None

    def limit(self, seconds: float) -> None:
        """Change the seconds without use; the new number counts from the next use on."""
        self._seconds = seconds

    @contextmanager
    def in_use(self) -> Generator[None]:
        self.stop()
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            if not self._users and self._seconds:
                self._timer = asyncio.get_running_loop().call_later(self._seconds, self._on_idle)

    def stop(self) -> None:
        """Stop counting until the next use."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
