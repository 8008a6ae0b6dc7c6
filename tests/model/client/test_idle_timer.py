"""When something counts as idle."""

import asyncio

from placet.model.client.idle_timer import IdleTimer
from time_support import wait_seconds


async def test_it_is_idle_once_the_last_of_several_users_has_gone() -> None:
    idle = asyncio.Event()
    watch = IdleTimer(1e-9, idle.set)
    with watch.in_use():
        with watch.in_use():
            pass
        for _ in range(5):
            await asyncio.sleep(0)
        assert not idle.is_set()

    await asyncio.wait_for(idle.wait(), wait_seconds())


async def test_a_new_use_and_a_stop_count_from_the_start() -> None:
    idle = asyncio.Event()
    watch = IdleTimer(1e-9, idle.set)
    with watch.in_use():
        pass
    watch.stop()
    for _ in range(5):
        await asyncio.sleep(0)

    assert not idle.is_set()


async def test_with_0_seconds_it_is_never_idle() -> None:
    idle = asyncio.Event()
    with IdleTimer(0, idle.set).in_use():
        pass
    for _ in range(5):
        await asyncio.sleep(0)

    assert not idle.is_set()


async def test_other_seconds_count_from_the_next_use_on() -> None:
    idle = asyncio.Event()
    watch = IdleTimer(0, idle.set)
    with watch.in_use():
        pass
    watch.limit(1e-9)
    assert not idle.is_set()
    with watch.in_use():
        pass
    await asyncio.wait_for(idle.wait(), wait_seconds())
