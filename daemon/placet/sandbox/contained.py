"""Contained command: the wrapped program with the descriptors of bubblewrap, and the judgement of the ending."""

import json
import os
import select
import signal
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct

from placet.core.errors import SandboxFailed
from placet.core.executor import in_thread
from placet.core.values import replace
from placet.project.processes.child import Command
from placet.project.processes.commands import GRACE_SECONDS, Ending
from placet.project.processes.process_tree import descendant_names, signal_family
from placet.sandbox.aftermath import Intrusion
from placet.sandbox.containment import Containment
from placet.sandbox.preflight import BackendName
from placet.sandbox.protections import Protections
from placet.sandbox.refusals import HOW_TO_RENAME, Refusal, find_refusals, has_failed_rename

_MOST_BYTES = 4096
_NOT_SET_UP = "The command did not run, as the sandbox could not be set up: {}"
OWN_END_SECONDS = 0.3
"""Time in which the last processes of a command, as of `> >(tee log)`, may come to their own end."""
_KILL_SECONDS = 5.0
_SIGNALED = 128
"""Exit code of bubblewrap for a command that a signal has ended, less the number of the signal."""


class Descriptors(Struct, frozen=True):
    """Descriptors that a backend inherits: the filter of system calls, and a file for the state of the command."""

    filter: int | None
    """Program of the filter; None where bubblewrap lays no filter."""
    status: int

    @property
    def inherited(self) -> tuple[int, ...]:
        return (self.status,) if self.filter is None else (self.filter, self.status)

    @classmethod
    @contextmanager
    def opened(cls, program: bytes | None) -> "Generator[Descriptors]":
        """Yield descriptors for one command, closed in the end; `program` is the program of the filter."""
        with tempfile.TemporaryFile() as filter_file, tempfile.TemporaryFile() as status:
            if program is not None:
                filter_file.write(program)
                filter_file.seek(0)
            yield cls(None if program is None else filter_file.fileno(), status.fileno())


class Contained:
    """Command in the sandbox. Belongs to the block of `Sandbox.contained`, and can be asked after the block too."""

    def __init__(
        self,
        command: Command,
        backend: BackendName,
        containment: Containment,
        protections: Protections,
        status: int,
        *,
        is_overlaid: bool,
    ) -> None:
        """Take the wrapped command, and the descriptor to which the backend reports."""
        self._is_overlaid = is_overlaid
        self.command = command
        """Program to run instead of the command."""
        self.intrusions: tuple[Intrusion, ...] = ()
        """Protected names that the command has made; known after the block."""
        self.ended: tuple[str, ...] = ()
        """Names of the processes that the command had left running, and that were ended; known after the block."""
        self._containment = containment
        self._protections = protections
        self._status = status
        self._backend: BackendName = backend

    def judged(self, ending: Ending, output_tail: str = "") -> Ending:
        """Return the ending of the command itself; to be called inside of the block, after the exit.

        Raises SandboxFailed if the sandbox could not be set up, so that the command did not run.
        """
        if ending.reason != "exit" or ending.code is None:
            return ending
        report = self._report()
        match self._backend:
            case "bubblewrap" if ending.code > 0 and not any("exit-code" in entry for entry in _entries(report)):
                raise SandboxFailed(_NOT_SET_UP.format(_last_line(output_tail)))
            case "bubblewrap":
                return replace(ending, code=_as_signal(ending.code))
            case "landlock" if report:
                raise SandboxFailed(_NOT_SET_UP.format(_last_line(report)))
            case _:
                return ending

    def refusals(self, output_tail: str) -> tuple[Refusal, ...]:
        """Return what the sandbox has refused to the command, as far as the end of the output tells."""
        return find_refusals(output_tail, self._containment, self._protections, self.command.directory)

    def advice(self, output_tail: str) -> str:
        """Return a sentence about a way that works in place of what failed, as far as the output tells; else ""."""
        return HOW_TO_RENAME if self._is_overlaid and has_failed_rename(output_tail) else ""

    async def end_left_processes(self) -> None:
        """End the processes that the command has left behind: a look at the disk afterwards would miss their writes.

        A backend without a namespace of processes leaves such processes to themselves.
        """
        first = next((entry["child-pid"] for entry in _entries(self._report()) if "child-pid" in entry), None)
        if isinstance(first, int):
            self.ended = tuple(await in_thread(_end_namespace, first))

    def _report(self) -> str:
        assert sys.platform != "win32"
        return os.pread(self._status, _MOST_BYTES, 0).decode("utf-8", "replace")


def _end_namespace(first: int) -> list[str]:
    """End the first process of a namespace, and with it all other processes: politely, then by force. Blocks.

    The first process exits after all other processes of its namespace: pid_namespaces(7). Return the names of the
    other processes that had to be ended.
    """
    ended: list[str] = []
    if sys.platform != "linux":
        return ended
    try:
        descriptor = os.pidfd_open(first)
    except ProcessLookupError:
        return ended
    try:
        if not _exits(descriptor, OWN_END_SECONDS):
            ended = descendant_names(first)
            signal_family(first, None, "TERM")
            if not _exits(descriptor, GRACE_SECONDS):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                _exits(descriptor, _KILL_SECONDS)
    finally:
        os.close(descriptor)
    return ended


def _exits(descriptor: int, seconds: float) -> bool:
    """Wait for the exit of a process; return whether the process has exited."""
    assert sys.platform != "win32"
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _entries(report: str) -> list[dict[str, object]]:
    """Return the entries of bubblewrap's report; an exit code is reported only for a command that has been started."""
    return list(map(_entry, report.splitlines()))


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2] or "no reason is known"


def _entry(line: str) -> dict[str, object]:
    try:
        report = json.loads(line)
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}


def _as_signal(code: int) -> int:
    """Return the code with a death by a signal as a negative number, as for a program without a sandbox."""
    number = code - _SIGNALED
    return -number if number in {int(known) for known in signal.valid_signals()} else code
