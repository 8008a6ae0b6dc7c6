"""A waiter for decisions is woken at once, also by another process; marks that were set aside come back."""

import asyncio
from pathlib import Path

import pytest

from placet.changes.journal.unfinished import sessions_with_undecided_files
from placet.changes.review.change_sets import ChangeSets
from placet.changes.review.staged_file import UndecidedFile
from placet.core.values import replace
from placet.storage.database import Database

SESSION = "ses_1"
FILES = [UndecidedFile("create", Path("/p/a"), None, "a\n"), UndecidedFile("create", Path("/p/b"), None, "b\n")]
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


async def put(sets: ChangeSets, before: UndecidedFile | None, after: UndecidedFile | None) -> None:
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


MARKS = [UndecidedFile("modify", path, "a\n", "b\n", state="unreviewed", targets=((path, path),)) for path in PLACES]


async def test_a_file_that_was_set_aside_is_in_no_set_until_its_own_path_is_brought_back(tmp_path: Path) -> None:
    database = opened(tmp_path / "store.db")
    sets = ChangeSets(database)
    for file in MARKS:
        await put(sets, None, file)
    for file in MARKS:
        await sets.store((await sets.of(SESSION)).set_aside(file))
    assert (await sets.of(SESSION)).files == (await ChangeSets(database).of(SESSION)).files == ()
    assert await sessions_with_undecided_files(database) == frozenset()
    await sets.bring_back(SESSION, PLACES[1:])
    assert (await sets.of(SESSION)).files == (await ChangeSets(database).of(SESSION)).files == (MARKS[1],)
    assert await sessions_with_undecided_files(database) == {SESSION}
    await database.close()


async def test_a_later_mark_takes_the_place_of_the_file_that_was_set_aside(tmp_path: Path) -> None:
    database = opened(tmp_path / "store.db")
    sets = ChangeSets(database)
    await put(sets, None, MARKS[0])
    await sets.store((await sets.of(SESSION)).set_aside(MARKS[0]))
    later = replace(MARKS[0], text="c\n")
    await put(sets, None, later)
    await sets.bring_back(SESSION, PLACES)
    assert (await sets.of(SESSION)).files == (later,)
    await put(sets, later, None)
    await sets.bring_back(SESSION, PLACES)
    assert (await sets.of(SESSION)).files == ()
    await database.close()
