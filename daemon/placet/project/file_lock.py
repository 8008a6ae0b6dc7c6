"""Locks between processes of one machine, each on a file of its own; the system frees the locks of a dead process.

The lock file stays after the release: a removed file would let two processes lock two files of one name. So the
descriptor is locked (`flock`, on Windows the first byte), as every earlier version of Placet does, and filelock's class
`FileLock`, which truncates or removes the file, is not used. filelock is loaded with the first lock, as loading takes
about 30 ms and 2 MiB, and a session that only reads takes no lock.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
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
async def awaited_lock(path: Path) -> AsyncGenerator[None]:
    """Hold the lock within the block as `held_lock` does; the event loop goes on during the wait. Raises OSError.

    No thread waits, as the holder of the lock may need a thread to come to an end.
    """
    await in_thread(import_module, "filelock")
    while (lock := claim_lock(path)) is None:  # noqa: ASYNC110 (the lock can be another process's)
        await asyncio.sleep(_TRY_AGAIN_SECONDS)
    with lock:
        yield


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


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("a+b")
    except FileNotFoundError:  # The first lock of all makes the directory.
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a+b")
