"""Time limits that are over when the test says so, and not when a slow machine has got that far."""

import asyncio
import gc
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest


class LoopClock:
    """The running loop's clock, which the test can put forward: what waits until then is woken at once.

    `stands_still`: the clock does not move before the first skip, so that no time limit of the loop is over by then.
    """

    def __init__(self, patch: pytest.MonkeyPatch, *, stands_still: bool = False) -> None:
        self._ahead_seconds = 0.0
        loop = asyncio.get_running_loop()
        now = loop.time
        self._stands_at = now() if stands_still else None
        patch.setattr(loop, "time", lambda: (self._stands_at or now()) + self._ahead_seconds)

    def skip(self, seconds: float) -> None:
        self._stands_at = None
        self._ahead_seconds += seconds


class HeldClock:
    """In the place of a module's `time`: its clock stands still until something holds, and is far ahead then."""

    def __init__(self, holds: Callable[[], bool]) -> None:
        self._holds = holds

    def monotonic(self) -> float:
        return time.monotonic() if self._holds() else 0.0


WAIT_SECONDS = 10.0
"""How long a test on a quiet machine waits for an event at most: a failure shows itself within this time."""


def wait_seconds() -> float:
    """Return the limit of a wait that begins now: `WAIT_SECONDS`, on a busy machine as much more as a core has to do.

    A wait ends by its event. The limit is there for the failure alone, whose message says what was waited for and what
    happened last.
    """
    busy = os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 1.0
    return WAIT_SECONDS * max(1.0, busy)


@asynccontextmanager
async def limited(state: Callable[[], str]) -> AsyncIterator[None]:
    """Fail where the block takes longer than a wait may; `state` says what was waited for, and what happened last."""
    limit = asyncio.timeout(wait_seconds())
    try:
        async with limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise AssertionError(f"waited in vain for {state()}") from error


def yardstick_seconds() -> float:
    """CPU time of counting to fifty thousand in plain Python, some two milliseconds: on a slow machine it is more.

    The least of a few, to be measured beside what is compared with it.
    """

    def count() -> None:
        number = 0
        while number < 50_000:
            number += 1

    return min(cpu_seconds(count) for _ in range(5))


def cpu_seconds(action: Callable[[], object]) -> float:
    """Return the CPU time of this thread while the action runs, without the rest of the machine's work.

    The garbage collector pauses, because a collection would look at the objects of all tests so far.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        action()
        return time.thread_time() - began
    finally:
        if was_collecting:
            gc.enable()
