"""Difference between a user coming back to the editor and a user going on working."""

import time
from collections.abc import Callable

AWAY_SECONDS = 60.0
"""Time after which a user counts as coming back to the editor, and not as going on working."""


class Focus:
    """Focus of one editor's user. Times are times of `clock`, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen_at = float("-inf")

    def came_back(self) -> bool:
        """Note the user's presence now, and return whether the user was away before."""
        before, self._seen_at = self._seen_at, self._clock()
        return self._seen_at - before > AWAY_SECONDS
