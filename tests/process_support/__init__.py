"""Processes that a test has had started: known by the file they write, and seen to be gone."""

import asyncio
import os
import select
from pathlib import Path

import psutil

from time_support import wait_seconds


async def written_pid(file: Path) -> int:
    """What a shell writes by `echo $$ > file`, once it is there as a whole."""
    while not has_written(file):  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.02)
    return int(file.read_text())


def is_gone(pid: int) -> bool:
    """Whether it runs no more; what only waits for its parent to look does not run."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def has_ended(pid: int) -> bool:
    """Whether the process has ended; a process that was killed a moment ago is given the time to end."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        end = select.poll()
        end.register(descriptor, select.POLLIN)
        return bool(end.poll(wait_seconds() * 1000))
    finally:
        os.close(descriptor)


def has_written(*files: Path) -> bool:
    """Whether each holds a line, and not half of one."""
    return all(file.exists() and file.read_text().endswith("\n") for file in files)


def children_running(module: str, parent: int | None = None) -> list[psutil.Process]:
    """Return the children of the process (of this process by default) that run the Python module, without dead ones."""
    return [child for child in psutil.Process(parent).children() if module in _command_of(child)]


def _command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:  # Also of a process that has ended and waits for its parent to look.
        return []
