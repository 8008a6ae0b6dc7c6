"""Undo of single files, and what becomes of the directories that were made for them."""

import pytest

from changes_support.desk import SESSION, Desk, create, plan
from changes_support.shell import run
from placet.core.errors import RequestError
from placet.core.events import ChangeApplied, ChangeReverted
from placet.text.plan import PlannedFile

TEN = "".join(f"line {number}\n" for number in range(10))


async def test_one_file_of_a_change_is_taken_back_and_the_rest_stands(desk: Desk) -> None:
    for name in ("a.py", "b.py"):
        desk.write(name, "old\n")
    await desk.changes.propose(plan(await desk.plan("a.py", "new\n"), await desk.plan("b.py", "new\n")))
    desk.events.clear()
    assert await desk.undo(paths=[desk.path("a.py")]) == {"a.py": "restored"}
    assert (desk.text("a.py"), desk.text("b.py")) == ("old\n", "new\n")
    assert desk.events == []  # The change still stands, in part.
    described, _ = await desk.journal.describe(SESSION)
    assert [file.get("reverted", False) for file in described["files"]] == [True, False]
    assert await desk.redo() == {"a.py": "restored"}
    assert desk.text("a.py") == "new\n"
    assert await desk.undo() == {"a.py": "restored", "b.py": "restored"}


async def test_a_change_taken_back_file_by_file_is_reverted_with_the_last(desk: Desk) -> None:
    for name in ("a.py", "b.py"):
        desk.write(name, "old\n")
    await desk.changes.propose(plan(await desk.plan("a.py", "new\n"), await desk.plan("b.py", "new\n")))
    desk.events.clear()
    await desk.undo(paths=[desk.path("a.py")])
    await desk.undo(paths=[desk.path("b.py")])
    assert [type(event) for event in desk.events] == [ChangeReverted]
    assert (await desk.states())[0] == "reverted"
    with pytest.raises(RequestError):
        await desk.undo()
    await desk.redo()
    assert [type(event) for event in desk.events] == [ChangeReverted, ChangeApplied]
    assert (desk.text("a.py"), desk.text("b.py")) == ("old\n", "new\n")
    await desk.redo()
    assert (desk.text("a.py"), desk.text("b.py")) == ("new\n", "new\n")


async def test_a_file_alone_loses_all_that_the_session_did_to_it(desk: Desk) -> None:
    for name in ("a.py", "b.py"):
        desk.write(name, TEN)
    await desk.edit("a.py", TEN.replace("line 1", "ONE"), changes=desk.turn("msg_1"))
    await desk.edit("b.py", TEN.replace("line 1", "ONE"), changes=desk.turn("msg_1"))
    await desk.edit("a.py", TEN.replace("line 1", "ONE").replace("line 8", "EIGHT"), changes=desk.turn("msg_2"))
    desk.path("a.py").write_text(desk.path("a.py").read_text() + "typed\n")
    assert await desk.undo(paths=[desk.path("a.py")]) == {"a.py": "restored"}
    assert desk.text("a.py") == TEN + "typed\n"
    assert desk.text("b.py") == TEN.replace("line 1", "ONE")


async def test_a_file_of_one_turn_alone_keeps_what_other_turns_did(desk: Desk) -> None:
    desk.write("a.py", TEN)
    await desk.edit("a.py", TEN.replace("line 1", "ONE"), changes=desk.turn("msg_1"))
    await desk.edit("a.py", TEN.replace("line 1", "ONE").replace("line 8", "EIGHT"), changes=desk.turn("msg_2"))
    assert await desk.undo(turn_id="msg_1", paths=[desk.path("a.py")]) == {"a.py": "restored"}
    assert desk.text("a.py") == TEN.replace("line 8", "EIGHT")


async def test_a_file_the_session_did_nothing_to_cannot_be_undone(desk: Desk) -> None:
    desk.write("a.py", TEN)
    await desk.edit("a.py", "new\n")
    with pytest.raises(RequestError):
        await desk.undo(paths=[desk.path("other.py")])


async def test_a_renamed_file_is_known_by_either_name(desk: Desk) -> None:
    path = desk.write("old.py", TEN)
    rename = PlannedFile("rename", path, (await desk.plan("old.py", "")).base_text, None, desk.path("new.py"))
    await desk.changes.propose(plan(rename))
    assert await desk.undo(paths=[desk.path("new.py")]) == {"old.py": "restored"}
    assert desk.text("old.py") == TEN


async def test_a_file_in_conflict_stays_to_be_undone_and_the_others_are_done_with(desk: Desk) -> None:
    one, two = desk.write("a.py", "old\n"), desk.write("b.py", "old\n")
    await desk.changes.propose(plan(await desk.plan("a.py", "new\n"), await desk.plan("b.py", "new\n")))
    one.write_text("mine\n")
    assert await desk.undo() == {"a.py": "conflict", "b.py": "restored"}
    two.write_text("new\n")  # By the user, who wants it so.
    one.write_text("new\n")
    assert await desk.undo() == {"a.py": "restored"}
    assert (one.read_text(), two.read_text()) == ("old\n", "new\n")


async def test_one_file_of_a_command_is_taken_back(desk: Desk) -> None:
    for name in ("a.py", "b.py"):
        desk.write(name, "old\n")
    await run(desk, "echo new > a.py; echo new > b.py; echo > c.py")
    assert await desk.undo(paths=[desk.path("a.py"), desk.path("c.py")]) == {"c.py": "restored", "a.py": "restored"}
    assert (desk.text("a.py"), desk.text("b.py"), desk.text("c.py")) == ("old\n", "new\n", None)
    assert await desk.redo() == {"a.py": "restored", "c.py": "restored"}
    assert desk.text("c.py") == "\n"


async def test_directories_made_for_a_file_go_with_it_and_come_again(desk: Desk) -> None:
    desk.path("here").mkdir()
    await desk.changes.propose(plan(create(desk.path("here/x/y/a.py"), "a\n"), create(desk.path("here/x/b.py"), "b\n")))
    await desk.undo()
    assert desk.path("here").is_dir()
    assert not desk.path("here/x").exists()
    await desk.redo()
    assert desk.path("here/x/y/a.py").read_text() == "a\n"
    await desk.undo()
    assert not desk.path("here/x").exists()


async def test_a_directory_in_which_something_else_lies_by_now_stays(desk: Desk) -> None:
    await desk.changes.propose(plan(create(desk.path("x/y/a.py"), "a\n")))
    desk.write("x/mine.py", "mine\n")
    await desk.undo()
    assert not desk.path("x/y").exists()
    assert desk.text("x/mine.py") == "mine\n"


async def test_the_directory_a_file_was_moved_to_goes_when_it_comes_back(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    rename = PlannedFile("rename", path, (await desk.plan("a.py", "")).base_text, None, desk.path("x/y/a.py"))
    await desk.changes.propose(plan(rename))
    await desk.undo()
    assert not desk.path("x").exists()
    assert desk.text("a.py") == TEN


async def test_a_change_that_failed_leaves_no_directory_behind(desk: Desk) -> None:
    path = desk.write("a.py", "old\n")
    desk.editor.open_buffer(path)
    desk.editor.lies_about = {path}
    planned = plan(create(desk.path("x/y/b.py"), "b\n"), await desk.plan("a.py", "new\n"))
    with pytest.raises(Exception, match="not applied"):
        await desk.changes.propose(planned)
    assert not desk.path("x").exists()
