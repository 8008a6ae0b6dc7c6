"""Marks of the processes at work on stored rows, and checks for living processes: two may share one store."""

import os
import sys
from functools import cache
from pathlib import Path


@cache
def this_process() -> str:
    """Return this process's mark: the id and, where the system tells, the start time, as ids are used again."""
    return f"{os.getpid()}:{_started(os.getpid())}"


def is_alive(owner: str) -> bool:
    """Return whether the process that left the mark still runs; the mark may hold more behind another colon."""
    number, _, more = owner.partition(":")
    started = more.partition(":")[0]
    if not number.isdecimal():
        return False
    pid = int(number)
    return pid > 0 and _exists(pid) and (not started or _started(pid) in {"", started})


def _started(pid: int) -> str:
    """Return the start time in clock ticks since boot (proc(5), field 22), or an empty text without /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _exists(pid: int) -> bool:
    if sys.platform == "win32":
        import ctypes

        query_limited_information, still_active = 0x1000, 259
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(query_limited_information, False, pid)
        if not handle:
            return False
        code = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return code.value == still_active
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
