"""Contained command: the wrapped program with the descriptors of bubblewrap, and the judgement of the ending."""

import json
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from placet.core.errors import SandboxFailed
from placet.core.values import replace
from placet.project.processes.child import Command
from placet.project.processes.commands import Ending
from placet.sandbox.aftermath import Intrusion
from placet.sandbox.containment import Containment
from placet.sandbox.protections import Protections
from placet.sandbox.refusals import Refusal, find_refusals
from placet.sandbox.seccomp import filter_program

_MOST_BYTES = 4096
_SIGNALED = 128
"""Exit code of bubblewrap for a command that a signal has ended, less the number of the signal."""


class Descriptors(Struct, frozen=True):
    """Descriptors that bubblewrap inherits: the filter of system calls, and a file for the state of the command."""

    filter: int | None
    """Program of the filter; None for a processor without a table of system calls."""
    status: int

    @property
    def inherited(self) -> tuple[int, ...]:
        return (self.status,) if self.filter is None else (self.filter, self.status)

    @classmethod
    @contextmanager
    def opened(cls, *, may_trace: bool) -> "Generator[Descriptors]":
        """Yield descriptors for one command, closed in the end; `may_trace` is for a PID namespace of its own."""
        descriptors = cls(_filter_file(may_trace=may_trace), os.memfd_create("placet-status", 0))
        try:
            yield descriptors
        finally:
            for descriptor in descriptors.inherited:
                os.close(descriptor)


class Contained:
    """Command in the sandbox. Belongs to the block of `Sandbox.contained`, and can be asked after the block too."""

    def __init__(
        self, command: Command, containment: Containment, protections: Protections, status: int, directory: Path
    ) -> None:
        """Take the wrapped command, and the directory of the command before the wrapping."""
        self.command = command
        """Program to run instead of the command."""
        self.intrusions: tuple[Intrusion, ...] = ()
        """Protected names that the command has made; known after the block."""
        self._containment = containment
        self._protections = protections
        self._status = status
        self._directory = directory

    def judged(self, ending: Ending, output_tail: str = "") -> Ending:
        """Return the ending of the command itself; to be called inside of the block, after the exit.

        Raises SandboxFailed if the sandbox could not be set up, so that the command did not run.
        """
        if ending.reason != "exit" or ending.code is None:
            return ending
        if ending.code > 0 and not self._has_run():
            reason = output_tail.strip().rpartition("\n")[2]
            raise SandboxFailed(f"The command did not run, as the sandbox could not be set up: {reason or 'no reason'}")
        return replace(ending, code=_as_signal(ending.code))

    def refusals(self, output_tail: str) -> tuple[Refusal, ...]:
        """Return what the sandbox has refused to the command, as far as the end of the output tells."""
        return find_refusals(output_tail, self._containment, self._protections, self._directory)

    def _has_run(self) -> bool:
        """Return whether bubblewrap has reported an exit code, which it does only once the command has been started."""
        text = os.pread(self._status, _MOST_BYTES, 0).decode("utf-8", "replace")
        return any("exit-code" in report for report in map(_report, text.splitlines()))


def _report(line: str) -> dict[str, object]:
    try:
        report = json.loads(line)
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}


def _as_signal(code: int) -> int:
    """Return the code with a death by a signal as a negative number, as for a program without a sandbox."""
    number = code - _SIGNALED
    return -number if number in {int(known) for known in signal.valid_signals()} else code


def _filter_file(*, may_trace: bool) -> int | None:
    program = filter_program(may_trace=may_trace)
    if program is None:
        return None
    descriptor = os.memfd_create("placet-filter", 0)
    os.write(descriptor, program)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
