"""EDITS.md rule 13: journaled before it is applied, so that a crash can be mended."""

import os
import signal
from pathlib import Path

import pytest

from changes_support.desk import SESSION, Desk, create, plan
from fork_support import start_module
from placet.changes.journal.journal import Journal
from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.storage.database import Database

TEN = "".join(f"line {number}\n" for number in range(10))


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
@pytest.mark.parametrize(("written", "state"), [(0, "failed"), (1, "failed"), (2, "failed"), (3, "applied")])
async def test_a_daemon_killed_in_a_change_leaves_all_of_it_or_nothing(
    tmp_path: Path, written: int, state: str
) -> None:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    killed = await start_module("changes_support.killed", str(root), str(written), imports=["placet.changes.pipeline"])
    assert await killed.wait() == -signal.SIGKILL
    database = Database(tmp_path.resolve() / "store.db")
    desk = Desk(root, database=database)
    assert [change.state for change in await desk.journal.recover(desk.editor)] == [state]
    before = {"changed.py": "one\r\ntwo\r\n", "gone.py": "gone\n", "made.py": None}
    after = {"changed.py": "one\r\n2\r\n", "gone.py": None, "made.py": "made\n"}
    expected = after if state == "applied" else before
    assert {name: desk.text(name) for name in expected} == expected
    if state == "applied":
        assert set((await desk.undo()).values()) == {"restored"}
        assert {name: desk.text(name) for name in before} == before
    await database.close()


def planned(desk: Desk, *files: FileRecord) -> ChangeRecord:
    return ChangeRecord("chg_0", SESSION, "msg_turn", "msg_answer", files)


async def interrupted(desk: Desk, *files: FileRecord) -> None:
    """A change that a daemon that is no more had planned."""
    await desk.journal.planned(planned(desk, *files))
    desk.database.write("UPDATE change SET owner = ''")


async def test_a_change_that_a_formatter_or_the_user_went_over_is_seen_as_applied(desk: Desk) -> None:
    path = desk.write("a.py", "typed\n" + TEN.replace("line 8", "EIGHT"))
    await interrupted(desk, FileRecord("modify", path, TEN, TEN.replace("line 8", "EIGHT")))
    assert [change.state for change in await desk.journal.recover(desk.editor)] == ["applied"]
    assert await desk.undo() == {"a.py": "restored"}
    assert desk.text("a.py") == "typed\n" + TEN


async def test_a_file_that_is_neither_is_left_alone(desk: Desk) -> None:
    one, two = desk.write("a.py", "after\n"), desk.write("b.py", "something else\n")
    files = [FileRecord("modify", path, "before\n", "after\n") for path in (one, two)]
    await interrupted(desk, *files)
    assert [change.state for change in await desk.journal.recover(desk.editor)] == ["failed"]
    assert (desk.text("a.py"), desk.text("b.py")) == ("before\n", "something else\n")


async def test_a_rename_cut_in_the_middle_is_put_back(desk: Desk) -> None:
    old, new = desk.write("old.py", "a\n"), desk.write("new.py", "b\n")
    await interrupted(desk, FileRecord("rename", old, "a\n", "b\n", new))
    await desk.journal.recover(desk.editor)
    assert (desk.text("old.py"), desk.text("new.py")) == ("a\n", None)


async def test_a_change_of_a_daemon_that_still_lives_is_let_be(desk: Desk) -> None:
    path = desk.write("a.py", "after\n")
    await desk.journal.planned(planned(desk, FileRecord("modify", path, "before\n", "after\n")))
    assert await desk.journal.recover(desk.editor) == []
    assert desk.text("a.py") == "after\n"


async def test_any_text_comes_back_as_it_was(desk: Desk) -> None:
    text = "a\r\n\x0c\u2028\ud800 \U0001f600\x00 no end"
    record = FileRecord("modify", desk.path("a"), text, "", encoding="utf-16-le", bom=True, mode=0o640)
    await desk.journal.planned(planned(desk, record))
    (change,) = await desk.journal.with_files(await desk.journal.changes(SESSION))
    assert change.files == (record,)


async def test_the_journal_outlives_its_process_and_is_described(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    desk = Desk(root, database=Database(tmp_path / "store.db"))
    await desk.changes.propose(plan(create(desk.path("a.py"), "x\n")))
    await desk.database.close()
    database = Database(tmp_path / "store.db")
    (described,) = await Journal(database).describe(SESSION)
    assert (described["state"], described["turnId"], described["callId"]) == ("applied", "msg_turn", "call_1")
    assert described["files"] == [{"uri": desk.path("a.py").as_uri(), "kind": "create"}]
    await database.close()
