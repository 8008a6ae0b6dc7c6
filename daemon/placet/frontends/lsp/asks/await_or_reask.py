"""A question on the user's screen, shown until the question is wanted anew."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def await_or_reask(asking: Coroutine[Any, Any, T], reask: asyncio.Event) -> T | None:
    """Return the answer given on the screen, or None when the question is wanted anew or was answered elsewhere, and so
    taken off.
    """
    showing, other = asyncio.create_task(asking), asyncio.create_task(reask.wait())
    try:
        await asyncio.wait((showing, other), return_when=asyncio.FIRST_COMPLETED)
        return showing.result() if showing.done() else None
    finally:
        for task in (showing, other):
            task.cancel()
        await asyncio.gather(showing, other, return_exceptions=True)
