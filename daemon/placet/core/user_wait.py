"""Time that a tool call waits for the user, so that no client counts the time as work of the call."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar


class UserWait:
    """Wait of one call for the user: the sum of all questions, of which several may be on the screen at once."""

    def __init__(self, on_answer: Callable[[], None]) -> None:
        """Create the wait; `on_answer` is called after an answer that leaves no question on the screen."""
        self._on_answer = on_answer
        self._seconds = 0.0
        self._questions = 0
        self._since = 0.0

    @property
    def milliseconds(self) -> int:
        """Return the time of the answered questions, rounded."""
        return round(self._seconds * 1000)

    def begin(self) -> None:
        if self._questions == 0:
            self._since = time.monotonic()
        self._questions += 1

    def end(self, *, is_answered: bool) -> None:
        self._questions -= 1
        if self._questions == 0:
            self._seconds += time.monotonic() - self._since
            if is_answered:
                self._on_answer()


CURRENT_WAIT: ContextVar[UserWait | None] = ContextVar("current_wait", default=None)
"""Wait of the call that runs in this task; the tasks of the call inherit the wait."""


@contextmanager
def waiting_for_user() -> Generator[None]:
    """Count the time within the context as wait of the current call, if a call runs."""
    wait = CURRENT_WAIT.get()
    if wait is None:
        yield
        return
    wait.begin()
    is_answered = False
    try:
        yield
        is_answered = True
    finally:
        wait.end(is_answered=is_answered)
