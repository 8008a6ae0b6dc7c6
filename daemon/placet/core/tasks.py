"""Tasks side by side, of which none outlives the caller."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def side_by_side(*works: Coroutine[Any, Any, T]) -> list[T]:
    """Run the works at once, and return the results in the order of the works.

    At a failure or a cancellation the other works are cancelled, and waited for: asyncio.gather leaves such works
    running. Raises the first error.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            if not task.cancelling():  # A second cancellation would cut the clean-up of the work short.
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
