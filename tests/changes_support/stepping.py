"""Something done before the n-th step of any task of the event loop: between two awaits, as only a user can come in."""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any


class Steps:
    """Counts the steps of all tasks while it is armed, and does its one thing before the one that is asked for."""

    def __init__(self, at: int, action: Callable[[], None], later: Callable[[], None] = lambda: None) -> None:
        self.count = 0
        self._at = at
        self._action = action
        self._later = later
        """Done some steps after the action, as what was on its way arrives."""
        self._is_armed = False

    @contextmanager
    def armed(self) -> Generator[None]:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(lambda loop, coro, **options: asyncio.Task(_Stepped(coro, self), loop=loop, **options))
        self._is_armed = True
        try:
            yield
        finally:
            self._is_armed = False
            loop.set_task_factory(None)
            if self._at <= self.count < self._at + LATER:
                self._later()

    def tick(self) -> None:
        if not self._is_armed:
            return
        self.count += 1
        if self.count == self._at:
            self._action()
        if self.count == self._at + LATER:
            self._later()


LATER = 6


class _Stepped(Coroutine[Any, Any, Any]):
    def __init__(self, inner: Any, steps: Steps) -> None:
        self._inner = inner
        self._steps = steps

    def send(self, value: Any) -> Any:
        self._steps.tick()
        return self._inner.send(value)

    def throw(self, *error: Any) -> Any:
        self._steps.tick()
        return self._inner.throw(*error)

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Any:
        return self._inner.__await__()
