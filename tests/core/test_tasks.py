"""Works side by side and clean-ups: nothing of them is left when the caller goes on."""

import asyncio

import pytest

from placet.core.tasks import side_by_side, to_the_end


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


async def test_the_others_have_ended_when_a_work_waits_for_what_is_cancelled() -> None:
    ended: list[str] = []
    started = asyncio.Event()
    cancelled: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def wait_for_it() -> str:
        await started.wait()
        return await cancelled

    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await side_by_side(slow_to_end(ended, "a", started), wait_for_it())
    assert ended == ["a"]


async def test_the_error_of_the_first_of_two_that_fail_at_once_is_raised() -> None:
    started = asyncio.Event()
    started.set()

    async def failing_too() -> str:
        await started.wait()
        raise ValueError

    for _ in range(20):
        with pytest.raises(LookupError):
            await side_by_side(failing(started), failing_too())


async def test_all_have_ended_when_the_caller_is_cancelled() -> None:
    ended: list[str] = []
    second = asyncio.Event()
    caller = asyncio.create_task(side_by_side(result_at_once(ended), slow_to_end(ended, "b", second)))
    await second.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended == ["at once", "b"]


async def test_all_have_ended_when_the_caller_is_cancelled_again_and_again() -> None:
    ended: list[str] = []
    second = asyncio.Event()
    caller = asyncio.create_task(side_by_side(result_at_once(ended), slow_to_end(ended, "b", second)))
    await second.wait()
    while not caller.done():
        caller.cancel()
        await asyncio.sleep(0)
    assert caller.cancelled()
    assert ended == ["at once", "b"]


async def test_a_work_runs_to_the_end_however_often_the_caller_is_cancelled() -> None:
    ended: list[str] = []

    async def work() -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        ended.append("work")

    caller = asyncio.create_task(to_the_end(work()))
    while not caller.done():
        await asyncio.sleep(0)
        caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended == ["work"]


async def test_a_work_without_a_cancellation_has_its_result_and_its_error() -> None:
    assert await to_the_end(result("a")) == "a"
    started = asyncio.Event()
    started.set()
    with pytest.raises(LookupError, match="nothing there"):
        await to_the_end(failing(started))


async def test_the_error_of_a_work_is_the_cause_of_the_cancellation() -> None:
    started = asyncio.Event()
    caller = asyncio.create_task(to_the_end(failing(started)))
    await asyncio.sleep(0)
    caller.cancel()
    started.set()
    with pytest.raises(asyncio.CancelledError) as raised:
        await caller
    assert isinstance(raised.value.__cause__, LookupError)


async def result_at_once(ended: list[str]) -> str:
    """Wait for ever, and end at the first cancellation, before the others."""
    try:
        await asyncio.Event().wait()
    finally:
        ended.append("at once")
    return ""
