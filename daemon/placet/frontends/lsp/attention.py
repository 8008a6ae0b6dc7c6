"""Tells a user who comes back to the editor from one who goes on working in it."""

import time
from collections.abc import Callable

AWAY_SECONDS = 60.0


class Attention:
    """Times are those of `clock`, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen_at = float("-inf")

    def came_back(self) -> bool:
        """The user was seen now; whether that is after a while of absence."""
        before, self._seen_at = self._seen_at, self._clock()
        return self._seen_at - before > AWAY_SECONDS
