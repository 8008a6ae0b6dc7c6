"""Locks between processes of one machine, each on a file of its own; the system frees the locks of a dead process.

The lock file stays after the release: a removed file would let two processes lock two files of one name. So the
descriptor is locked (`flock`, on Windows the first byte), as every earlier version of Placet does, and filelock's class
`FileLock`, which truncates or removes the file, is not used. Only `awaited_lock` can remove the file, where every
process that takes the lock looks, once it has the lock, whether the file still has its name. filelock is loaded with
the first lock, as loading takes about 30 ms and 2 MiB, and a session that only reads takes no lock.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO

from placet.core.executor import in_thread

LOOK_AGAIN_SECONDS = 0.005
_TRY_AGAIN_SECONDS = 0.02


@contextmanager
def held_lock(path: Path) -> Generator[None]:
    """Wait for the lock, and hold the lock within the block. Blocks. Raises OSError."""
    from filelock import lock_descriptor, unlock_descriptor

    with _opened(path) as file:
        lock_descriptor(file.fileno(), poll_interval=LOOK_AGAIN_SECONDS)
        try:
            yield
        finally:
            unlock_descriptor(file.fileno())


@asynccontextmanager
async def awaited_lock(path: Path, *, is_removed: bool = False) -> AsyncGenerator[None]:
    """Hold the lock within the block as `held_lock` does; the event loop goes on during the wait. Raises OSError.

    No thread waits, as the holder of the lock may need a thread to come to an end. With `is_removed` the file is
    removed before the release, which every process that takes the lock must ask for; Windows removes no open file.
    """
    await in_thread(import_module, "filelock")
    while True:
        lock = claim_lock(path)
        if lock is None:
            await asyncio.sleep(_TRY_AGAIN_SECONDS)
        elif is_removed and not _has_name(lock, path):
            lock.close()
        else:
            break
    with lock:
        try:
            yield
        finally:
            if is_removed:
                with suppress(PermissionError):
                    path.unlink(missing_ok=True)


def claim_lock(path: Path) -> IO[bytes] | None:
    """Take the lock without waiting: return the lock, held until closed, or None if another process has the lock.

    Raises OSError.
    """
    from filelock import lock_descriptor

    file = _opened(path)
    try:
        if lock_descriptor(file.fileno(), blocking=False):
            return file
    except OSError:
        file.close()
        raise
    file.close()
    return None


def _has_name(lock: IO[bytes], path: Path) -> bool:
    """Return whether the locked file is the file at the path, and not a file that was removed meanwhile."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("a+b")
    except FileNotFoundError:  # The first lock of all makes the directory.
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a+b")
