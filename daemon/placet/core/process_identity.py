"""Identity of a process of this machine: the id, and the start time, as the system gives an id again.

System calls answer in microseconds, where psutil loads for 7 to 25 ms: the daemon asks on the way to `initialize`, and
the watchdog, a process that stays small, imports this module too. The start time is the time of proc(5), as in the
marks of the store: psutil's `create_time` counts seconds of the clock, and a clock may be set.
"""

import os
import sys
from pathlib import Path


def is_running(process_id: int) -> bool:
    """Return whether the process exists, also if the process is not ours to signal."""
    if sys.platform == "win32":
        import psutil

        return psutil.pid_exists(process_id)
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def start_ticks(process_id: int) -> str:
    """Return the start time in clock ticks since boot (proc(5), field 22), or an empty text if unknown."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text("utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
