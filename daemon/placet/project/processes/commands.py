"""Commands in a process group of their own: run until exit, and on a stop ended with all processes of the command.

A command writes into a file, not into a pipe. So the command ends with its exit, whoever still holds the output; a
child left in the background may go on writing; and the memory used here does not grow with the output.
"""

import asyncio
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from placet.core.executor import in_thread
from placet.project.processes.process_tree import signal_family
from placet.project.processes.watchdog import watched

MARK = "PLACET_COMMAND"
"""Variable that marks a command, and all processes of the command, as run by an agent."""
TICK_SECONDS = 0.1
GRACE_SECONDS = 3.0
KILL_SECONDS = 2.0
POLL_SECONDS = 0.02

Reason = Literal["exit", "timeout", "abort", "flood"]


@dataclass(frozen=True, slots=True)
class Command:
    arguments: Sequence[str]
    directory: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ending:
    """Ending of a command. `flood`: the command wrote more than allowed."""

    reason: Reason
    code: int | None
    """Exit code if the reason is `exit`; negative for the number of the signal that ended the command."""


def nothing_to_show() -> None:
    """Ignore the output, for a caller without a view of the output."""


async def run_command(
    command: Command,
    output: BinaryIO,
    *,
    timeout_seconds: float,
    abort: asyncio.Event,
    max_output_bytes: int,
    on_output: Callable[[], None] = nothing_to_show,
    grace_seconds: float = GRACE_SECONDS,
) -> Ending:
    """Run the command with both streams into the file `output`, and the input closed, until exit.

    On the time limit, on `abort`, on too much output, and when cancelled, the command and all processes of the command
    are ended: asked first, forced after the grace. If the command exits by itself, its remaining children are left
    alone. `on_output` is called at most every TICK_SECONDS, for new output. Raises OSError when the command cannot
    start.
    """
    value = uuid.uuid4().hex
    mark = f"{MARK}={value}"
    with watched(mark) as has_started:
        process = await asyncio.create_subprocess_exec(
            *command.arguments,
            cwd=command.directory,
            env={**command.environment, MARK: value},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=os.name != "nt",
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0,
        )
        has_started(process.pid)
        try:
            reason = await _watch(process, output, timeout_seconds, abort, max_output_bytes, on_output)
        finally:
            if process.returncode is None:
                await _end_family(process, mark, grace_seconds)
    return Ending(reason, process.returncode if reason == "exit" else None)


async def _watch(
    process: asyncio.subprocess.Process,
    output: BinaryIO,
    timeout_seconds: float,
    abort: asyncio.Event,
    max_output_bytes: int,
    on_output: Callable[[], None],
) -> Reason:
    deadline = time.monotonic() + timeout_seconds
    exited = asyncio.create_task(process.wait())
    aborted = asyncio.create_task(abort.wait())
    shown = 0
    try:
        while True:
            patience = max(0.0, min(TICK_SECONDS, deadline - time.monotonic()))
            done, _ = await asyncio.wait({exited, aborted}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if exited in done:
                return "exit"
            if aborted in done:
                return "abort"
            if time.monotonic() >= deadline:
                return "timeout"
            size = os.fstat(output.fileno()).st_size
            if size > max_output_bytes:
                return "flood"
            if size > shown:
                shown = size
                on_output()
    finally:
        exited.cancel()
        aborted.cancel()
        await asyncio.gather(exited, aborted, return_exceptions=True)


async def _end_family(process: asyncio.subprocess.Process, mark: str, grace_seconds: float) -> None:
    """Ask the whole family to end, then force the rest; a second cancel cuts the asking short."""
    try:
        await _signal_until_gone(process.pid, mark, grace_seconds, force=False)
    finally:
        await _signal_until_gone(process.pid, mark, KILL_SECONDS, force=True)
        await process.wait()


async def _signal_until_gone(pid: int, mark: str, patience_seconds: float, *, force: bool) -> None:
    """Signal the family once (when forcing: also every later member), and wait for the end, at most
    `patience_seconds`."""
    deadline = time.monotonic() + patience_seconds
    left = await in_thread(signal_family, pid, mark, "KILL" if force else "TERM")
    while left and time.monotonic() < deadline:
        await asyncio.sleep(POLL_SECONDS)
        left = await in_thread(signal_family, pid, mark, "KILL" if force else None)
