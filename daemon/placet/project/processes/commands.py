"""Commands in a process group of their own: run until exit, and on a stop ended with all processes of the command.

A command writes into a file, not into a pipe. So the command ends with its exit, whoever still holds the output; a
child left in the background may go on writing; and the memory used here does not grow with the output.
"""

import asyncio
import os
import time
from collections.abc import Callable
from typing import BinaryIO, Literal

from msgspec import Struct

from placet.project.processes.child import Command, ManagedChild

TICK_SECONDS = 0.1
GRACE_SECONDS = 3.0

Reason = Literal["exit", "timeout", "abort", "flood"]


class Ending(Struct, frozen=True):
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
    child = await ManagedChild.start_program(command, output)
    try:
        reason = await _watch(child, output, timeout_seconds, abort, max_output_bytes, on_output)
    finally:
        if child.exit_code is None:
            await child.end(request_seconds=grace_seconds)
        else:
            child.let_go()
    return Ending(reason, child.exit_code if reason == "exit" else None)


async def _watch(
    child: ManagedChild,
    output: BinaryIO,
    timeout_seconds: float,
    abort: asyncio.Event,
    max_output_bytes: int,
    on_output: Callable[[], None],
) -> Reason:
    deadline = time.monotonic() + timeout_seconds
    exited = asyncio.create_task(child.wait())
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
