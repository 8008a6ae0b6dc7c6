"""Processes that a test has had started: known by the file they write, and seen to be gone."""

import asyncio
from pathlib import Path

import psutil


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


def has_written(*files: Path) -> bool:
    """Whether each holds a line, and not half of one."""
    return all(file.exists() and file.read_text().endswith("\n") for file in files)
