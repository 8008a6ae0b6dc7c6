"""Blocking work off the event loop: a small pool for the whole process, so a burst of calls cannot flood the
process."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import TypeVar, cast

T = TypeVar("T")

THREADS = 4


async def in_thread(function: Callable[..., T], *arguments: object) -> T:
    """Run `function(*arguments)` in the pool. Cancelling stops the wait; the thread itself runs to its end."""
    return await asyncio.get_running_loop().run_in_executor(_pool(), function, *arguments)


async def in_own_thread(function: Callable[..., T], *arguments: object) -> T:
    """Run `function(*arguments)` in a new thread, for a call that may wait for the user, like a locked keyring.

    The pool stays free meanwhile, and an endless thread does not keep the process from ending.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def settle(error: Exception | None, result: T | None) -> None:
        if outcome.done():
            return
        if error is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(cast("T", result))

    def run() -> None:
        error, result = None, None
        try:
            result = function(*arguments)
        except Exception as raised:  # noqa: BLE001 - the error is raised where the caller awaits
            error = raised
        with suppress(RuntimeError):  # The loop has ended, and nobody waits.
            loop.call_soon_threadsafe(settle, error, result)

    threading.Thread(target=run, daemon=True, name=getattr(function, "__name__", "own")).start()
    return await outcome


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="placet")
