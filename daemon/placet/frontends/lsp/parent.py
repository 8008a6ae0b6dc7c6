"""Checks whether the editor's process lives. The pipe may outlive the process: a child of the editor can hold the other
end.
"""

import asyncio
import os
import sys


def is_alive(process_id: int) -> bool:
    """Return whether the process exists, also if the process is not ours to signal."""
    if sys.platform == "win32":
        return _is_alive_on_windows(process_id)
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


async def until_gone(process_id: int, every_seconds: float = 2.0) -> None:
    """Return when the process has ended."""
    while is_alive(process_id):  # noqa: ASYNC110 - no system tells us of a process that is not our child.
        await asyncio.sleep(every_seconds)


def _is_alive_on_windows(process_id: int) -> bool:
    import ctypes

    synchronize, timed_out = 0x00100000, 0x00000102
    kernel = ctypes.windll.kernel32
    handle = kernel.OpenProcess(synchronize, False, process_id)
    if not handle:
        return False
    try:
        return kernel.WaitForSingleObject(handle, 0) == timed_out
    finally:
        kernel.CloseHandle(handle)
