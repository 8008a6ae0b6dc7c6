"""A host that keeps dying is started ever later; one that worked, at once."""

import pytest

from placet.model.client.restarts import MOST_SECONDS, Restarts


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_wait_doubles_up_to_a_bound() -> None:
    restarts = Restarts(Clock())
    waits: list[float] = []
    for _ in range(12):
        restarts.died()
        waits.append(restarts.wait_seconds)

    assert waits == [0, 0, 1, 2, 4, 8, 16, 32, MOST_SECONDS, MOST_SECONDS, MOST_SECONDS, MOST_SECONDS]


def test_the_wait_passes() -> None:
    clock = Clock()
    restarts = Restarts(clock)
    for _ in range(4):
        restarts.died()
    clock.now += 1.5
    assert restarts.wait_seconds == pytest.approx(0.5)
    clock.now += 1.0
    assert restarts.wait_seconds == 0


def test_work_in_between_is_no_row_of_deaths() -> None:
    restarts = Restarts(Clock())
    for _ in range(10):
        restarts.died()
        restarts.worked()
    restarts.died()
    assert (restarts.deaths, restarts.wait_seconds) == (1, 0)
