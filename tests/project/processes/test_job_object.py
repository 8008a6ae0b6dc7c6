"""Job objects by their calls of kernel32; not run on Windows."""

import ctypes
from typing import Any

import pytest

from corpus_support import corpus
from placet.project.processes.job_object import KILL_ON_CLOSE, ExtendedLimits, end_family, in_a_job

JOB, PROCESS = 11, 22


class Kernel:
    """Stands in for kernel32 and notes the calls."""

    def __init__(self, *, refuses: str = "") -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._refuses = refuses

    def _answer(self, name: str, value: int, *arguments: object) -> int:
        self.calls.append((name, *arguments))
        return 0 if name == self._refuses else value

    def CreateJobObjectW(self, security: None, name: None) -> int:
        return self._answer("create", JOB)

    def SetInformationJobObject(self, job: int, kind: int, limits: Any, size: int) -> int:
        assert (kind, size) == (9, ctypes.sizeof(ExtendedLimits))
        flags: int = limits._obj.BasicLimitInformation.LimitFlags
        return self._answer("limit", 1, job, flags)

    def OpenProcess(self, access: int, inherits: bool, process_id: int) -> int:
        return self._answer("open", PROCESS, process_id)

    def AssignProcessToJobObject(self, job: int, process: int) -> int:
        return self._answer("assign", 1, job, process)

    def TerminateJobObject(self, job: int, code: int) -> int:
        return self._answer("terminate", 1, job)

    def CloseHandle(self, handle: int) -> int:
        return self._answer("close", 1, handle)


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the sizes are those of 64 bits")
def test_the_limits_are_laid_out_as_windows_has_them() -> None:
    assert ctypes.sizeof(ExtendedLimits) == 144
    assert ExtendedLimits.IoInfo.offset == 64


def test_a_family_ends_with_the_daemon_until_the_command_is_let_go() -> None:
    kernel = Kernel()
    with in_a_job(kernel) as hold:
        hold(1234)
        assert kernel.calls == [
            ("create",), ("limit", JOB, KILL_ON_CLOSE), ("open", 1234), ("assign", JOB, PROCESS), ("close", PROCESS),
        ]  # fmt: skip
        kernel.calls.clear()
    assert kernel.calls == [("limit", JOB, 0), ("close", JOB)]


def test_a_family_is_ended_as_a_whole() -> None:
    kernel = Kernel()
    with in_a_job(kernel) as hold:
        hold(1234)
        end_family(1234)
        end_family(99)
    end_family(1234)
    assert kernel.calls.count(("terminate", JOB)) == 1


@corpus("refuses", ["create", "limit", "open", "assign"])
def test_a_process_that_no_job_holds_runs_on(refuses: str, caplog: pytest.LogCaptureFixture) -> None:
    kernel = Kernel(refuses=refuses)
    with in_a_job(kernel) as hold:
        hold(1234)
        end_family(1234)
    assert "no job object" in caplog.text
    assert ("terminate", JOB) not in kernel.calls
    assert (("close", PROCESS) in kernel.calls) is (refuses == "assign")
