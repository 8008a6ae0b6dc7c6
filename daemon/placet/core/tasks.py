"""Tasks that never outlive their caller: works side by side, and a clean-up that is never cut short."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


async def side_by_side(*works: Coroutine[Any, Any, T]) -> list[T]:
    """Run the works at once, and return the results in the order of the works.

    At a failure or a cancellation the other works are cancelled once, and waited for; asyncio.gather would leave such
    works running, and pass every further cancellation of the caller on into their clean-up. Raises the first error.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    running = set(tasks)
    failed: list[asyncio.Task[T]] = []
    try:
        while running and not failed:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            failed = [task for task in tasks if task in done and has_failed(task)]
    finally:
        for task in running:
            task.cancel()
        await to_the_end(_ended(tasks))
    return [task.result() for task in failed or tasks]


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Run the work and return the result, however often the caller is cancelled; then raise the last cancellation.

    For a clean-up, which has to be bounded in time: a caller that is cancelled a second time (a turn that the user
    stops, in a session that closes) would leave the rest of the clean-up undone.
    """
    task = asyncio.ensure_future(work)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation from (None if task.cancelled() else task.exception())
    return task.result()


async def _ended(tasks: Sequence[asyncio.Task[Any]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


def has_failed(task: asyncio.Task[Any]) -> bool:
    """Return whether the task has ended without a result: by an error or by a cancellation."""
    return task.done() and (task.cancelled() or task.exception() is not None)
