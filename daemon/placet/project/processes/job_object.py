"""Job objects of Windows: a command's family ends with the command's owner, also when the daemon is killed.

A process belongs to the job of its parent for life, so a program that its parent has left is found too. When the last
handle of a job closes, as at the end of the daemon, Windows ends the family.
https://learn.microsoft.com/en-us/windows/win32/procthread/job-objects
"""

import ctypes
import logging
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

logger = logging.getLogger(__name__)

KILL_ON_CLOSE = 0x2000
_EXTENDED_LIMITS = 9
_SET_QUOTA_AND_TERMINATE = 0x0100 | 0x0001
_EXIT_CODE = 1
_jobs: dict[int, tuple["Kernel", int]] = {}
"""Job of each living command, by the process's id."""

Kernel = Any
"""Functions of kernel32; another object in tests."""


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("BasicLimitInformation", BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


@contextmanager
def in_a_job(kernel: Kernel | None = None) -> Generator[Callable[[int], None]]:
    """Hold a family in a job; call the yielded function with the process's id. At the end the family is let go.

    A family that no job can hold runs on without a job, which the log tells.
    """
    functions = kernel or _kernel32()
    job = functions.CreateJobObjectW(None, None) or 0
    members: list[int] = []

    def hold(process_id: int) -> None:
        if _add(functions, job, process_id):
            members.append(process_id)
            _jobs[process_id] = (functions, job)
        else:
            logger.warning("process %d is in no job object, so parts of its family may outlive it", process_id)

    try:
        yield hold
    finally:
        for process_id in members:
            _jobs.pop(process_id, None)
        if job:  # What an exited command has left running goes on, as on other systems.
            _limit(functions, job, 0)
            functions.CloseHandle(job)


def end_family(process_id: int) -> None:
    """End all processes of the job of a command, if the command is in a job."""
    if entry := _jobs.get(process_id):
        functions, job = entry
        functions.TerminateJobObject(job, _EXIT_CODE)


def _add(functions: Kernel, job: int, process_id: int) -> bool:
    if not job or not _limit(functions, job, KILL_ON_CLOSE):
        return False
    process = functions.OpenProcess(_SET_QUOTA_AND_TERMINATE, False, process_id)
    if not process:
        return False
    try:
        return bool(functions.AssignProcessToJobObject(job, process))
    finally:
        functions.CloseHandle(process)


def _limit(functions: Kernel, job: int, flags: int) -> bool:
    limits = ExtendedLimits()
    limits.BasicLimitInformation.LimitFlags = flags
    size = ctypes.sizeof(limits)
    return bool(functions.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), size))


def _kernel32() -> Kernel:
    """Return the functions with the types of handles; only Windows has them."""
    assert sys.platform == "win32"
    functions = ctypes.WinDLL("kernel32", use_last_error=True)
    handle, number = ctypes.c_void_p, ctypes.c_uint32
    functions.CreateJobObjectW.restype = functions.OpenProcess.restype = handle
    functions.CreateJobObjectW.argtypes = (handle, ctypes.c_wchar_p)
    functions.OpenProcess.argtypes = (number, ctypes.c_int, number)
    functions.AssignProcessToJobObject.argtypes = (handle, handle)
    functions.SetInformationJobObject.argtypes = (handle, ctypes.c_int, handle, number)
    functions.TerminateJobObject.argtypes = (handle, number)
    functions.CloseHandle.argtypes = (handle,)
    return functions
