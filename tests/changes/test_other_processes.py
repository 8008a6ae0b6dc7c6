"""Two daemons over one project: what one writes the other does not overwrite. EDITS.md rule 16."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import IO

import pytest

from changes_support.desk import Desk
from fork_support import ForkedProcess, start_module
from placet.changes import locks
from placet.changes.locks import locked
from placet.project.file_lock import claim_lock
from placet.storage.database import Database
from time_support import limited

TIMES = 40


@asynccontextmanager
async def other_process(
    root: Path, store: Path, *task: str
) -> AsyncIterator[asyncio.subprocess.Process | ForkedProcess]:
    """Start another Placet, wait until it has opened the store, and kill it at the end if it still runs."""
    process = await start_module("changes_support.other_process", str(root), str(store), *task)
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def test_neither_of_two_daemons_that_change_one_closed_file_loses_an_update(tmp_path: Path) -> None:
    root, store = tmp_path / "project", tmp_path / "data" / "placet.db"
    root.mkdir()
    file = root / "a.txt"
    file.write_text("".join(f"line {number}:\n" for number in range(12)))
    lines = (0, 5, 11)
    async with AsyncExitStack() as running:
        others = [other_process(root, store, "edit", "a.txt", str(line), str(TIMES)) for line in lines]
        processes = [await running.enter_async_context(other) for other in others]
        ended = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
        assert [process.returncode for process in processes] == [0] * len(processes), ended
    numbers = "".join(f" {number}" for number in range(1, TIMES + 1))
    assert file.read_text().splitlines() == [f"line {line}:{numbers if line in lines else ''}" for line in range(12)]
    desk = Desk(root, database=Database(store))
    assert await desk.states() == ["applied"] * TIMES * len(lines)
    await desk.database.close()


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when a lock was not had for the third time."""
    event, times = asyncio.Event(), list[Path]()

    def claim(path: Path) -> IO[bytes] | None:
        lock = claim_lock(path)
        times.extend([path] if lock is None else [])
        if len(times) == 3:
            event.set()
        return lock

    monkeypatch.setattr(locks, "claim_lock", claim)
    return event


async def test_a_daemon_that_is_killed_leaves_no_lock(tmp_path: Path, refused: asyncio.Event) -> None:
    desk = Desk(tmp_path, database=Database(tmp_path / "data" / "placet.db"))
    path = desk.write("a.txt", "old\n")
    async with other_process(tmp_path, tmp_path / "data" / "placet.db", "hold", "a.txt") as holder:
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"held\n"
        editing = asyncio.ensure_future(desk.edit("a.txt", "new\n"))
        async with limited(lambda: "a lock that another daemon holds"):
            await refused.wait()
        assert path.read_text() == "old\n"
        assert not editing.done()
    async with limited(lambda: "the lock of a daemon that was killed"):
        await editing
    assert path.read_text() == "new\n"
    await desk.database.close()


async def test_waiting_for_another_daemon_can_be_cancelled(tmp_path: Path, refused: asyncio.Event) -> None:
    path, directory = tmp_path / "a.txt", tmp_path / "locks"

    async def hold() -> None:
        async with locked([path], directory):
            await asyncio.Event().wait()

    async with other_process(tmp_path, tmp_path / "placet.db", "hold", "a.txt") as holder:
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"held\n"
        waiting = asyncio.ensure_future(hold())
        async with limited(lambda: "a lock that another daemon holds"):
            await refused.wait()
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
    async with limited(lambda: "the lock of a daemon that was killed"), locked([path], directory):
        pass
