"""The time that a call waits for the user: parallel questions count once, and a withdrawn question tells nothing."""

import asyncio
from contextvars import copy_context

import pytest

from placet.core import user_wait
from placet.core.user_wait import CURRENT_WAIT, UserWait, waiting_for_user


class Clock:
    """Clock of a test, in seconds."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(user_wait, "time", clock)
    return clock


def test_questions_at_the_same_time_are_counted_once(clock: Clock) -> None:
    told: list[int] = []
    wait = UserWait(lambda: told.append(wait.milliseconds))

    def call() -> None:
        CURRENT_WAIT.set(wait)
        with waiting_for_user():
            clock.now += 2
            with waiting_for_user():
                clock.now += 3
        clock.now += 50
        with waiting_for_user():
            clock.now += 1

    copy_context().run(call)

    assert told == [5000, 6000]


def test_a_question_that_is_withdrawn_is_counted_and_tells_nothing(clock: Clock) -> None:
    wait = UserWait(lambda: pytest.fail("nobody has answered"))

    def withdraw() -> None:
        CURRENT_WAIT.set(wait)
        with waiting_for_user():
            clock.now += 4
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        copy_context().run(withdraw)

    assert wait.milliseconds == 4000


async def test_the_tasks_of_a_call_count_for_the_call_and_not_for_another(clock: Clock) -> None:
    waits = [UserWait(lambda: None), UserWait(lambda: None)]

    async def ask() -> None:
        with waiting_for_user():
            clock.now += 1

    async def call(wait: UserWait) -> None:
        CURRENT_WAIT.set(wait)
        await asyncio.create_task(ask())

    for wait in waits:
        await asyncio.create_task(call(wait))
    await ask()

    assert [wait.milliseconds for wait in waits] == [1000, 1000]
