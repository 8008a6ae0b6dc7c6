"""Locks between processes, on files."""

import asyncio
import os
from pathlib import Path

import pytest

from placet.project.file_lock import awaited_lock, claim_lock


async def test_a_lock_with_a_removed_file_has_one_holder_at_a_time_and_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "tasks" / "a.lock"
    holders = 0
    most = 0

    async def hold() -> None:
        nonlocal holders, most
        for _ in range(20):
            async with awaited_lock(path, is_removed=True):
                holders += 1
                most = max(most, holders)
                await asyncio.sleep(0)
                holders -= 1
            await asyncio.sleep(0)

    await asyncio.gather(*(hold() for _ in range(5)))
    assert most == 1
    if os.name != "nt":
        assert list(path.parent.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows removes no open file")
async def test_who_locked_a_file_that_was_removed_meanwhile_locks_the_file_of_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.lock"
    removed = claim_lock(path)
    path.unlink()
    claims = iter([removed])
    monkeypatch.setattr("placet.project.file_lock.claim_lock", lambda path: next(claims, None) or claim_lock(path))
    async with awaited_lock(path, is_removed=True):
        assert removed is not None
        assert removed.closed
        assert claim_lock(path) is None
    assert not path.exists()
