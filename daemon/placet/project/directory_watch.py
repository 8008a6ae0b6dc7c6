"""Watch over directories by a thread: the loop neither waits for the watcher nor imports the watcher's library."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path

from placet.core.executor import in_own_thread

BEGINNING_MILLISECONDS = 1000
"""Longest time until the first item, in milliseconds; by then the watcher has begun."""


async def changes(directories: Iterable[Path], settling_milliseconds: int) -> AsyncGenerator[frozenset[Path], None]:
    """Yield the changed paths directly in the directories, each time that nothing has changed for the settling time.

    The first item is empty and comes within a second: all later changes are seen, and earlier changes may be missed.
    Close the generator to end the watch.
    """
    loop = asyncio.get_running_loop()
    seen: asyncio.Queue[frozenset[Path] | None] = asyncio.Queue()
    stop = threading.Event()

    def tell(paths: frozenset[Path] | None) -> None:
        loop.call_soon_threadsafe(seen.put_nowait, paths)

    def watch_directories() -> None:
        from watchfiles import watch

        has_begun = False
        try:
            for changed in watch(
                *directories,
                recursive=False,
                watch_filter=None,
                step=settling_milliseconds,
                stop_event=stop,
                rust_timeout=BEGINNING_MILLISECONDS,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                if not has_begun:
                    has_begun = True
                    tell(frozenset())
                if changed:
                    tell(frozenset(Path(path) for _, path in changed))
        finally:
            tell(None)

    watching = asyncio.ensure_future(in_own_thread(watch_directories))
    try:
        while (paths := await seen.get()) is not None:
            yield paths
        await watching
    finally:
        stop.set()
        await asyncio.gather(watching, return_exceptions=True)
