"""Watch over directories by a thread."""

import asyncio
import threading
from contextlib import aclosing
from pathlib import Path

import pytest

from placet.project.directory_watch import changes

STEP = 50


def watching_thread() -> threading.Thread:
    [thread] = (thread for thread in threading.enumerate() if thread.name == "watch_directories")
    return thread


async def test_the_first_item_is_empty_and_every_change_behind_it_is_seen(tmp_path: Path) -> None:
    async with aclosing(changes([tmp_path], STEP)) as seen:
        assert await anext(seen) == frozenset()
        (tmp_path / "file").write_text("new")
        assert tmp_path / "file" in await anext(seen)
        (tmp_path / "other").write_text("new")
        while tmp_path / "other" not in await anext(seen):
            pass


async def test_a_change_in_a_directory_below_is_not_seen(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    async with aclosing(changes([tmp_path], STEP)) as seen:
        await anext(seen)
        (below / "file").write_text("new")
        (tmp_path / "file").write_text("new")
        assert below / "file" not in await anext(seen)


async def test_a_closed_watch_leaves_no_thread(tmp_path: Path) -> None:
    async with aclosing(changes([tmp_path], STEP)) as seen:
        await anext(seen)
        thread = watching_thread()
    await asyncio.to_thread(thread.join)


async def test_a_cancelled_reader_ends_the_watch(tmp_path: Path) -> None:
    async def read() -> None:
        async with aclosing(changes([tmp_path], STEP)) as seen:
            async for _ in seen:
                begun.set()

    begun = asyncio.Event()
    reading = asyncio.create_task(read())
    await begun.wait()
    thread = watching_thread()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await asyncio.to_thread(thread.join)
