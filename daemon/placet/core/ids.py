"""Ids that sort by time, and the time in the unit of every stored moment. Loads no library."""

import os
import string
import time

_DIGITS = string.digits + string.ascii_letters
_last_moment = 0


def new_id(prefix: str) -> str:
    """Return an id that sorts by time of creation: the prefix, 13 hexadecimal digits of time, 10 random characters."""
    global _last_moment
    _last_moment = max(_last_moment + 1, int(time.time() * 1000) << 8)
    chance = "".join(_DIGITS[byte % len(_DIGITS)] for byte in os.urandom(10))
    return f"{prefix}_{_last_moment:013x}{chance}"


def short_id(whole_id: str) -> str:
    """Return the beginning of an id without the random characters; a process uses each beginning once."""
    return whole_id[: whole_id.find("_") + 14]


def now() -> int:
    """Return the time in milliseconds since the epoch, the unit of every `created`, `start` and `end`."""
    return int(time.time() * 1000)
