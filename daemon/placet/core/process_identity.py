"""Identity of a process of this machine: the id, and the start time, as the system gives an id again.

System calls answer in microseconds, where psutil loads for 7 to 25 ms: the daemon asks on the way to `initialize`, and
the watchdog, a process that stays small, imports this module too. The start time is the time of proc(5), as in the
marks of the store: psutil's `create_time` counts seconds of the clock, and a clock may be set.
"""

import os
import sys


def is_running(process_id: int) -> bool:
    """Return whether the process exists, also if the process is not ours to signal."""
    try:
        if sys.platform == "win32":
            import psutil

            return psutil.pid_exists(process_id)
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):  # No process has an id that the system cannot hold.
        return False
    except PermissionError:
        return True
    return True


def start_ticks(process_id: int) -> str:
    """Return the start time in clock ticks since boot (proc(5), field 22), or an empty text if unknown."""
    try:
        with open(f"/proc/{process_id}/stat", encoding="utf-8") as file:  # noqa: PTH123 - pathlib loads for 5 ms.
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
