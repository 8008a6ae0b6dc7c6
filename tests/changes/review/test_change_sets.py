"""A waiter for decisions is woken by this process at once, and sees the decisions of another process."""

import asyncio
from pathlib import Path

import pytest

from placet.changes.review.change_sets import ChangeSets
from placet.changes.review.staged_file import StagedFile
from placet.storage.database import Database

SESSION = "ses_1"
FILES = [StagedFile("create", Path("/p/a"), None, "a\n"), StagedFile("create", Path("/p/b"), None, "b\n")]
PLACES = [file.place for file in FILES]
LOOK_AGAIN = "placet.changes.review.change_sets.LOOK_AGAIN_SECONDS"


def opened(path: Path) -> Database:
    database = Database(path)
    database.write(
        "INSERT OR IGNORE INTO session (id, title, agent, model, roots, created, updated) "
        "VALUES (?, '', '', '', '[]', 0, 0)",
        (SESSION,),
    )
    return database


async def put(sets: ChangeSets, before: StagedFile | None, after: StagedFile | None) -> None:
    await sets.store((await sets.of(SESSION)).put(before, after))


async def test_a_waiter_goes_on_with_the_last_decision_of_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LOOK_AGAIN, 3600)
    database = opened(tmp_path / "store.db")
    sets = ChangeSets(database)
    for file in FILES:
        await put(sets, None, file)
    waiter = asyncio.create_task(sets.decided(SESSION, PLACES))
    await put(sets, FILES[0], None)
    assert not waiter.done()
    await put(sets, FILES[1], None)
    await waiter
    await database.close()


async def test_a_waiter_sees_the_decisions_of_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LOOK_AGAIN, 0.01)
    database, other_database = opened(tmp_path / "store.db"), opened(tmp_path / "store.db")
    sets, others = ChangeSets(database), ChangeSets(other_database)
    await put(sets, None, FILES[0])
    waiter = asyncio.create_task(sets.decided(SESSION, PLACES))
    await put(others, FILES[0], None)
    await waiter
    await database.close()
    await other_database.close()
