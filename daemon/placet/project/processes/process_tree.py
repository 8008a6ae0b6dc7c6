"""Family of a command's process: the process's group and session, all descendants, and every process with the mark.

A daemon leaves the group, the session and the parent; the mark in the environment stays with the daemon (Linux).

The list of processes is read by hand: psutil knows neither groups nor sessions, and the watchdog, which imports this
module too, stays without psutil.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SignalName = Literal["TERM", "KILL"]

MOST_LOOKS = 50
"""Number of looks for members that were started meanwhile; processes that start others without end need no more."""


# No Struct: the watchdog runs with the standard library alone.
@dataclass(frozen=True, slots=True)
class ProcessEntry:
    pid: int
    parent: int
    group: int
    session: int
    marked: bool = False


def signal_family(pid: int, mark: str | None, name: SignalName | None) -> int:
    """Send the signal (None: none) to every living member of the family of `pid`; return the number of members.
    Blocks.

    The members are stopped before: a shell whose child is ended alone begins the next command of its line, and a child
    that a member is just starting would be missed.
    """
    if sys.platform == "win32":
        return _taskkill(pid, name)
    if name is None:
        return len(family(pid, _processes(mark)))
    members = _stopped_family(pid, mark)
    _send(members, signal.SIGKILL if name == "KILL" else signal.SIGTERM)
    _send(members, signal.SIGCONT)
    return len(members)


def _stopped_family(pid: int, mark: str | None) -> set[int]:
    """Stop the family, which then starts no further members, and return its members. Blocks."""
    assert sys.platform != "win32"
    members: set[int] = set()
    for _ in range(MOST_LOOKS):
        new = family(pid, _processes(mark)) - members
        if not new:
            break
        _send(new, signal.SIGSTOP)
        members |= new
    return members


def _send(members: Iterable[int], number: int) -> None:
    for member in members:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(member, number)


def family_memory_bytes(pid: int, mark: str) -> int:
    """Return the memory in bytes of the living members of the family of `pid`; shared pages count for each member.
    Blocks.

    Returns 0 on Windows.
    """
    if sys.platform == "win32":
        return 0
    import psutil

    total = 0
    for member in family(pid, _processes(mark)):
        with suppress(psutil.Error):
            total += psutil.Process(member).memory_info().rss
    return total


def descendant_names(pid: int) -> list[str]:
    """Return the names of the living descendants of the process on Linux, each name once. Blocks."""
    names: dict[str, None] = {}
    for member in sorted(family(pid, _processes(None)) - {pid}):
        with suppress(OSError):
            names[Path(f"/proc/{member}/comm").read_text("utf-8", "replace").rstrip("\n")] = None
    return list(names)


def family(pid: int, processes: Iterable[ProcessEntry]) -> set[int]:
    """Return `pid`, the group, the session and the marked processes, and all descendants, among the living
    processes."""
    entries = list(processes)
    members = {entry.pid for entry in entries if pid in (entry.pid, entry.group, entry.session) or entry.marked}
    while more := {entry.pid for entry in entries if entry.parent in members} - members:
        members |= more
    return members


def _processes(mark: str | None) -> list[ProcessEntry]:
    """Return the living processes; a zombie does not count."""
    if Path("/proc/self/stat").exists():
        entries = (_read_proc(Path("/proc", name), mark) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208
        return [entry for entry in entries if entry is not None]
    return _ask_ps()


def _read_proc(directory: Path, mark: str | None) -> ProcessEntry | None:
    try:
        # The name stands in brackets and may hold anything, brackets too (proc(5)).
        state, parent, group, session = (directory / "stat").read_text().rpartition(")")[2].split()[:4]
    except (OSError, ValueError):
        return None
    if state in "ZX":
        return None
    try:
        marked = mark is not None and mark.encode() in (directory / "environ").read_bytes()
    except OSError:
        marked = False
    return ProcessEntry(int(directory.name), int(parent), int(group), int(session), marked)


def _ask_ps() -> list[ProcessEntry]:
    """Return the living processes on a system without /proc (macOS), where the session is unknown."""
    listing = subprocess.run(
        ["/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,stat="], capture_output=True, text=True, check=False
    ).stdout
    rows = (line.split() for line in listing.splitlines())
    return [
        ProcessEntry(int(row[0]), int(row[1]), int(row[2]), session=0)
        for row in rows
        if len(row) == 4 and not row[3].startswith("Z")
    ]


def _taskkill(pid: int, name: SignalName | None) -> int:
    """Signal a tree on Windows, where `taskkill /T` knows the tree; return 1 if the process is there, else 0."""
    import psutil

    if name is not None:
        force = ["/F"] if name == "KILL" else []
        # Windows would look for a mere name in the working directory first.
        program = os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe")  # noqa: PTH118
        subprocess.run([program, *force, "/T", "/PID", str(pid)], capture_output=True, check=False)
    if name == "KILL":
        from placet.project.processes.job_object import end_family

        end_family(pid)
    return int(psutil.pid_exists(pid))
