"""The watchdog itself: a small process that outlives the daemon by a moment, to end the commands left by the daemon.

The watchdog reads of commands on stdin, a line each: `+ MARK` before a start, `= MARK PID` after the start, `- MARK`
after the end. The end of stdin is the daemon's end, however the daemon died. The watchdog uses the
standard library only, as psutil would add 1.7 MB to its 14 MB, and 10 ms to its start.
"""

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass

from placet.core.process_identity import start_ticks
from placet.project.processes.process_tree import SignalName, signal_family

GRACE_SECONDS = 1.0
"""Time between the request to end and the force."""
KILL_SECONDS = 2.0
POLL_SECONDS = 0.02


@dataclass(slots=True)
class Watched:
    mark: str
    pid: int | None = None
    """Process id; None for a command that was just being started."""
    started: str = ""


def main() -> None:
    """Read until the daemon is gone, then end the remaining commands."""
    if os.name != "nt":
        os.chdir("/")  # The process must not keep a directory busy.
    end_commands(commands_left(sys.stdin))


def commands_left(lines: Iterable[str]) -> list[Watched]:
    """Return the commands still running at the end of the lines."""
    watched: dict[str, Watched] = {}
    for line in lines:
        match line.split():
            case ["+", mark]:
                watched[mark] = Watched(mark)
            case ["=", mark, pid]:
                watched[mark] = Watched(mark, int(pid), start_ticks(int(pid)))
            case ["-", mark]:
                watched.pop(mark, None)
            case _:
                pass  # The last line may be cut off.
    return list(watched.values())


def end_commands(commands: list[Watched]) -> None:
    """Ask the commands and all their processes to end, and force the rest after the grace."""
    left = _signal_until_gone(commands, "TERM", GRACE_SECONDS)
    _signal_until_gone(left, "KILL", KILL_SECONDS)


def _signal_until_gone(commands: list[Watched], name: SignalName, patience_seconds: float) -> list[Watched]:
    """Signal the present processes once (when forcing: also later processes); return the commands not gone in time.

    A command that was just being started may have no mark yet, and is waited for.
    """
    deadline = time.monotonic() + patience_seconds
    expected = {command.mark for command in commands if command.pid is None}

    def is_left(command: Watched, again: SignalName | None) -> bool:
        is_there = signal_family(_own_pid(command), command.mark, name if command.mark in expected else again) > 0
        if is_there:
            expected.discard(command.mark)
        return is_there or command.mark in expected

    left = [command for command in commands if is_left(command, name)]
    while left and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        left = [command for command in left if is_left(command, "KILL" if name == "KILL" else None)]
    return [command for command in left if command.mark not in expected]


def _own_pid(command: Watched) -> int:
    """Return the command's process id; -1, which is nobody's, if the id is unknown or by now another process's."""
    if command.pid is None or (command.started and start_ticks(command.pid) not in ("", command.started)):
        return -1
    return command.pid
