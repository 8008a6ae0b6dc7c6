"""Marks of the processes at work on stored rows, as processes may share a store, and checks for living processes."""

import os
from functools import cache

from placet.core.process_identity import is_running, start_ticks


@cache
def this_process() -> str:
    """Return this process's mark: the id and, where the system tells, the start time, as ids are used again."""
    return f"{os.getpid()}:{start_ticks(os.getpid())}"


def is_alive(owner: str) -> bool:
    """Return whether the process that left the mark still runs; the mark may hold more behind another colon."""
    number, _, more = owner.partition(":")
    started = more.partition(":")[0]
    if not number.isdecimal():
        return False
    process_id = int(number)
    return process_id > 0 and is_running(process_id) and (not started or start_ticks(process_id) in {"", started})
