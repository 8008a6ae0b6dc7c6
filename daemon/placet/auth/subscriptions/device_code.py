"""Wait for a user who enters a code on another device: https://www.rfc-editor.org/rfc/rfc8628#section-3.5."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from placet.auth.subscriptions.requests import NotReached, SubscriptionFailed

USUAL_INTERVAL_SECONDS = 5.0
SLOW_DOWN_SECONDS = 5.0
_LONGEST_INTERVAL_SECONDS = 60.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """Code which the user enters at the owner's address."""

    address: str
    user_code: str
    secret: str = field(repr=False)
    """Code by which Placet asks for the result."""
    interval_seconds: float
    lasts_seconds: float


@dataclass(frozen=True, slots=True)
class Pending:
    """Answer of the owner while the user has not decided."""

    slower: bool = False
    """True if the owner wants longer intervals from now on."""
    interval_seconds: float | None = None
    """Interval which the owner names."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Clock of a wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


async def wait_for_user(code: DeviceCode, poll: Callable[[], Awaitable[T | Pending]], clock: Clock) -> T:
    """Poll until the user has decided, as often as the owner allows, and return the result.

    A server that is not reached is asked again after a longer interval. Raises SubscriptionFailed for a code that runs
    out.
    """
    interval = code.interval_seconds
    end = clock.now() + code.lasts_seconds
    while clock.now() + interval < end:
        await clock.sleep(interval)
        try:
            answer = await poll()
        except NotReached:
            interval = min(interval * 2 or USUAL_INTERVAL_SECONDS, _LONGEST_INTERVAL_SECONDS)
            continue
        if not isinstance(answer, Pending):
            return answer
        longer = interval + SLOW_DOWN_SECONDS if answer.slower else interval
        interval = max(longer, answer.interval_seconds or 0.0)
    raise SubscriptionFailed("The code has run out before it was entered. Begin the sign-in again.")
