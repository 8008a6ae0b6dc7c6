"""One lock per real path, for all processes that share a store: the writer of a file holds the lock from the last look
to the verification.
"""

import asyncio
import hashlib
import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from placet.core.errors import StoreError
from placet.project.file_lock import claim_lock
from placet.project.paths import real_paths

SHORTEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.005, 0.1
"""Shortest and longest wait before the next try for a file locked by another process."""


@dataclass(slots=True)
class _Lock:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


_locks: dict[Path, _Lock] = {}
"""Locks held or waited for; no lock is kept longer, so none outlives its event loop."""


@asynccontextmanager
async def locked(paths: Iterable[Path], directory: Path | None) -> AsyncGenerator[None]:
    """Hold the paths, taken in sorted order so that two changes cannot wait for each other.

    Lock files in `directory` keep other processes away, and the system releases a lock file when a process dies; None
    means that no other processes exist. Raises StoreError when the lock files cannot be used.
    """
    targets = sorted(set(real_paths(paths).values()))
    with ExitStack() as held:
        for target in targets:
            await _claim_path(target)
            held.callback(_release_path, target)
        if directory is not None:
            # Many paths share a lock file, so the number of lock files is limited. The files are locked when this
            # process holds every path, so that a path held in this process waits for other processes only.
            for name in sorted(set(map(_lock_name, targets))):
                held.enter_context(await _claimed_file(directory / name))
        yield


async def _claim_path(path: Path) -> None:
    """Wait for the path, and hold the path in this process."""
    entry = _locks.setdefault(path, _Lock())
    entry.users += 1
    try:
        await entry.lock.acquire()
    except BaseException:
        _leave(path)
        raise


def _release_path(path: Path) -> None:
    _locks[path].lock.release()
    _leave(path)


def _leave(path: Path) -> None:
    entry = _locks[path]
    entry.users -= 1
    if not entry.users:
        del _locks[path]


def _lock_name(target: Path) -> str:
    return f"{hashlib.sha256(os.fsencode(target)).hexdigest()[:2]}.lock"


async def _claimed_file(path: Path) -> IO[bytes]:
    """Wait for the lock file, and return the file, whose lock is held until the file is closed. Raises StoreError."""
    wait_seconds = SHORTEST_WAIT_SECONDS
    while True:
        try:
            lock = claim_lock(path)
        except OSError as error:
            raise StoreError(f"The lock {path} cannot be used: {error.strerror or error}.") from error
        if lock is not None:
            return lock
        await asyncio.sleep(wait_seconds)
        wait_seconds = min(2 * wait_seconds, LONGEST_WAIT_SECONDS)
