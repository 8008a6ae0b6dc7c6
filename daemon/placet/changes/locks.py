"""One lock per real path, for the whole process: who writes a file holds it from the last look to the verification."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from placet.project.paths import real


@dataclass(slots=True)
class _Lock:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


_locks: dict[Path, _Lock] = {}
"""Only those that are held or waited for, so that none outlives its event loop."""


@asynccontextmanager
async def locked(paths: Iterable[Path]) -> AsyncGenerator[None]:
    """Hold the paths, taken in sorted order so that two changes cannot wait for each other."""
    async with AsyncExitStack() as held:
        for path in sorted({real(path) for path in paths}):
            await held.enter_async_context(_one(path))
        yield


@asynccontextmanager
async def _one(path: Path) -> AsyncGenerator[None]:
    entry = _locks.setdefault(path, _Lock())
    entry.users += 1
    try:
        async with entry.lock:
            yield
    finally:
        entry.users -= 1
        if not entry.users:
            del _locks[path]
