"""Work side by side: nothing of it is left when the caller goes on."""

import asyncio

import pytest

from placet.core.tasks import side_by_side


async def slow_to_end(ended: list[str], name: str, started: asyncio.Event) -> str:
    try:
        started.set()
        await asyncio.Event().wait()
    finally:
        for _ in range(5):
            await asyncio.sleep(0)
        ended.append(name)
    return name


async def result(name: str) -> str:
    await asyncio.sleep(0)
    return name


async def failing(started: asyncio.Event) -> str:
    await started.wait()
    raise LookupError("nothing there")


async def test_results_are_in_the_order_of_the_works() -> None:
    assert await side_by_side(result("a"), result("b"), result("c")) == ["a", "b", "c"]
    assert await side_by_side() == []


async def test_the_others_have_ended_when_an_error_is_raised() -> None:
    ended: list[str] = []
    started = asyncio.Event()
    with pytest.raises(LookupError, match="nothing there"):
        await side_by_side(slow_to_end(ended, "a", started), failing(started))
    assert ended == ["a"]


async def test_all_have_ended_when_the_caller_is_cancelled() -> None:
    ended: list[str] = []
    second = asyncio.Event()
    caller = asyncio.create_task(side_by_side(result_at_once(ended), slow_to_end(ended, "b", second)))
    await second.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended == ["at once", "b"]


async def result_at_once(ended: list[str]) -> str:
    """Wait for ever, and end at the first cancellation, before the others."""
    try:
        await asyncio.Event().wait()
    finally:
        ended.append("at once")
    return ""
