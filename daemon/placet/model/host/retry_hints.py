"""Waiting time which a provider asks for in the headers of its response. Pure."""

import re
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?")
_UNIT_SECONDS = (86_400.0, 3_600.0, 60.0, 1.0, 0.001)
_RESET = re.compile(r"(?:[a-z]+-)*?ratelimit-(?:reset(?:-(?P<after>[\w-]+))?|(?P<before>[\w-]+)-reset)")
_EPOCH = 1e9
"""Boundary of figures: a larger figure is a moment since 1970 in seconds; a far larger figure, in milliseconds."""
_LONGEST_SECONDS = 7 * 86_400.0


def retry_after_seconds(headers: Mapping[str, Any], current_time: float | None = None) -> float | None:
    """Return the seconds to wait, or None if the headers name no time.

    The time comes from `retry-after-ms`, `retry-after` in seconds or as an HTTP date (RFC 9110 section 10.2.3), or the
    reset of a limit in any of the forms of `x-ratelimit-reset…`: the last reset of the used-up limits, else the first
    reset of all limits.
    """
    current_time = time.time() if current_time is None else current_time
    lower = {name.lower(): str(value).strip() for name, value in headers.items()}
    milliseconds = _number(lower.get("retry-after-ms", ""))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    if (seconds := _wait(lower.get("retry-after", ""), current_time)) is not None:
        return seconds
    used_up: list[float] = []
    others: list[float] = []
    for name, value in lower.items():
        reset = _RESET.fullmatch(name)
        if reset is None or (wait := _wait(value, current_time)) is None:
            continue
        remaining = lower.get(name.replace("reset", "remaining", 1))
        (used_up if _number(remaining or "") == 0 else others).append(wait)
    return max(used_up) if used_up else min(others, default=None)


def _wait(value: str, current_time: float) -> float | None:
    """Return the seconds from a number, a moment since 1970, an HTTP date, an ISO date, or a duration like `6m0s`."""
    if (number := _number(value)) is not None:
        if number > _EPOCH * 100:
            number /= 1000
        return _plausible(number - current_time if number > _EPOCH else number)
    if not value:
        return None
    if (duration := _DURATION.fullmatch(value)) is not None:
        return _plausible(
            sum(float(part or 0) * unit for part, unit in zip(duration.groups(), _UNIT_SECONDS, strict=True))
        )
    # Few providers answer with a date, and the module takes 3 ms to load.
    import email.utils

    if (parsed := email.utils.parsedate_tz(value)) is not None:
        return _plausible(email.utils.mktime_tz(parsed) - current_time)
    try:
        return _plausible(datetime.fromisoformat(value).timestamp() - current_time)
    except ValueError:
        return None


def _plausible(seconds: float) -> float | None:
    return max(0.0, seconds) if seconds < _LONGEST_SECONDS else None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number == number and abs(number) != float("inf") else None
