"""Blocking work off the event loop: one small pool for the whole process, so that a burst of calls cannot flood it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")

THREADS = 4


async def in_thread(function: Callable[..., T], *arguments: object) -> T:
    """`function(*arguments)` in the pool. Cancelling stops the wait; the thread itself runs to its end."""
    return await asyncio.get_running_loop().run_in_executor(_pool(), function, *arguments)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="placet")
