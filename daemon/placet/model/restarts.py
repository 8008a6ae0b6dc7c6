"""How soon a host that has died may be started again: at once, and ever later when it keeps dying."""

import time
from collections.abc import Callable

MOST_SECONDS = 60.0
_AT_ONCE = 2
"""So many deaths in a row cost no wait."""


class Restarts:
    """Counts deaths without any work between them. Times are those of `clock`, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._died_at = 0.0
        self.deaths = 0
        """In a row."""

    def died(self) -> None:
        self.deaths += 1
        self._died_at = self._clock()

    def worked(self) -> None:
        """The host has answered something: what comes is no row of deaths."""
        self.deaths = 0

    @property
    def wait_seconds(self) -> float:
        """How long to leave it alone from now: 0, then 1, 2, 4 … from its last death."""
        if self.deaths <= _AT_ONCE:
            return 0.0
        pause = min(MOST_SECONDS, 2.0 ** min(self.deaths - _AT_ONCE - 1, 10))
        return max(0.0, self._died_at + pause - self._clock())
