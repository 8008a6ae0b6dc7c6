"""Delay before the restart of a dead host: none at first, and longer each time the host keeps dying."""

import time
from collections.abc import Callable

MOST_SECONDS = 60.0
_AT_ONCE = 2
"""Number of deaths in a row which cost no wait."""


class Restarts:
    """Counts deaths without any work between the deaths. Times come from `clock`, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._died_at = 0.0
        self.deaths = 0
        """Number of deaths in a row."""

    def died(self) -> None:
        self.deaths += 1
        self._died_at = self._clock()

    def worked(self) -> None:
        """Reset the count: the host has answered, so the next death starts a new row."""
        self.deaths = 0

    @property
    def wait_seconds(self) -> float:
        """Return the seconds to wait before a restart: 0, then 1, 2, 4 … from the host's last death."""
        if self.deaths <= _AT_ONCE:
            return 0.0
        pause = min(MOST_SECONDS, 2.0 ** min(self.deaths - _AT_ONCE - 1, 10))
        return max(0.0, self._died_at + pause - self._clock())
