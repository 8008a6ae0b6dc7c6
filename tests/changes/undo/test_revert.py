"""EDITS.md rule 14: undo is ours; it touches only what the agent changed, and can itself be undone."""

import os

import pytest

from changes_support.approver import ScriptedApprover
from changes_support.desk import SESSION, Desk, create, plan
from placet.changes.ledger import Ledger
from placet.core.errors import EditError, RequestError
from placet.core.events import ChangeApplied, ChangeReverted
from placet.text.plan import PlannedFile

TEN = "".join(f"line {number}\n" for number in range(10))


async def test_undo_gives_back_the_bytes_and_redo_the_change(desk: Desk) -> None:
    path = desk.path("a.py")
    before = b"\xef\xbb\xbfone\r\ntwo\nthree\r\n"
    path.write_bytes(before)
    await desk.edit("a.py", "one\n2\nthree\n")
    after = path.read_bytes()
    assert await desk.undo() == {"a.py": "restored"}
    assert path.read_bytes() == before
    assert await desk.redo() == {"a.py": "restored"}
    assert path.read_bytes() == after
    assert await desk.undo() == {"a.py": "restored"}
    assert path.read_bytes() == before


async def test_the_editor_hears_of_which_turn_an_edit_is_and_that_an_undo_is_of_none(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    await desk.edit("a.py", "b\n")
    await desk.undo()
    assert desk.editor.turns == ["msg_turn", ""]


async def test_undo_and_redo_are_told_as_events(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    change_id = (await desk.edit("a.py", "b\n")).id
    desk.events.clear()
    await desk.undo()
    await desk.redo()
    assert [(type(event), event.change_id) for event in desk.events] == [
        (ChangeReverted, change_id),
        (ChangeApplied, change_id),
    ]


async def test_an_undo_is_journaled_as_a_change_of_its_own(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    change_id = (await desk.edit("a.py", "b\n")).id
    await desk.undo()
    edit, undo = await desk.journal.describe(SESSION)
    assert (edit["kind"], edit["state"]) == ("edit", "reverted")
    assert (undo["kind"], undo["state"], undo["undoes"]) == ("undo", "applied", [change_id])


async def test_what_the_user_typed_since_stays(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    await desk.edit("a.py", TEN.replace("line 8", "EIGHT"))
    path.write_text("typed\n" + path.read_text())
    assert await desk.undo() == {"a.py": "restored"}
    assert path.read_text() == "typed\n" + TEN


async def test_lines_the_user_has_edited_since_are_a_conflict_and_the_file_is_left_alone(desk: Desk) -> None:
    one, two = desk.write("a.py", TEN), desk.write("b.py", TEN)
    wanted = TEN.replace("line 1", "ONE").replace("line 8", "EIGHT")
    await desk.changes.propose(plan(await desk.plan("a.py", wanted), await desk.plan("b.py", wanted)))
    edited = wanted.replace("EIGHT", "MINE")
    one.write_text(edited)
    assert await desk.undo() == {"a.py": "conflict", "b.py": "restored"}
    assert (one.read_text(), two.read_text()) == (edited, TEN)


async def test_a_deleted_file_comes_back_with_its_mode_and_encoding(desk: Desk) -> None:
    path = desk.path("run.sh")
    before = "\ufeffécho\r\n".encode("utf-16-le")
    path.write_bytes(before)
    path.chmod(0o755)
    base = (await desk.plan("run.sh", "")).base_text
    await desk.changes.propose(plan(PlannedFile("delete", path, base, None)))
    assert not path.exists()
    assert await desk.undo() == {"run.sh": "restored"}
    assert path.read_bytes() == before
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o755
    assert await desk.redo() == {"run.sh": "restored"}
    assert not path.exists()


async def test_a_file_that_was_deleted_and_made_anew_gets_its_own_bytes_and_mode_back(desk: Desk) -> None:
    path = desk.path("run.sh")
    path.write_bytes(b"\xef\xbb\xbfold\r\n")
    path.chmod(0o755)
    base = (await desk.plan("run.sh", "")).base_text
    await desk.changes.propose(plan(PlannedFile("delete", path, base, None)))
    await desk.changes.propose(plan(create(path, "old\n")))
    assert await desk.undo() == {"run.sh": "restored"}
    assert path.read_bytes() == b"\xef\xbb\xbfold\r\n"
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o755
    assert await desk.redo() == {"run.sh": "restored"}
    assert path.read_bytes() == b"old\n"


async def test_a_file_created_and_deleted_in_one_turn_leaves_an_undo_that_can_be_redone(desk: Desk) -> None:
    path = desk.path("a.py")
    await desk.changes.propose(plan(create(path, "a\n")))
    await desk.changes.propose(plan(PlannedFile("delete", path, "a\n", None)))
    assert await desk.undo() == {"a.py": "restored"}
    assert await desk.redo() == {}
    assert not path.exists()
    assert len(await desk.journal.describe(SESSION)) == 3


@pytest.mark.parametrize("renames", [False, True])
async def test_a_file_that_the_user_removed_between_two_changes_stays_removed_after_the_undo(
    desk: Desk, renames: bool
) -> None:
    old, path = desk.path("old.py"), desk.path("a.py")
    (old if renames else path).write_text("one\n")
    if renames:
        base = (await desk.plan("old.py", "")).base_text
        await desk.changes.propose(plan(PlannedFile("rename", old, base, "two\n", path)))
    else:
        await desk.edit("a.py", "two\n")
    path.unlink()
    await desk.changes.propose(plan(create(path, "two\nthree\n")))
    outcomes = await desk.undo()
    assert "conflict" not in outcomes.values()
    assert desk.text("a.py") is None
    await desk.redo()
    assert desk.text("a.py") == "two\nthree\n"


async def test_a_created_file_goes_only_if_it_is_unchanged(desk: Desk) -> None:
    for name in ("a.py", "b.py"):
        await desk.changes.propose(plan(create(desk.path(name), "made\n")))
    desk.path("b.py").write_text("made\nand used\n")
    assert await desk.undo() == {"b.py": "conflict", "a.py": "restored"}
    assert (desk.text("a.py"), desk.text("b.py")) == (None, "made\nand used\n")


async def test_a_renamed_file_gets_its_name_back_and_keeps_what_was_typed_in_it(desk: Desk) -> None:
    path = desk.write("old.py", TEN)
    planned = PlannedFile("rename", path, (await desk.plan("old.py", "")).base_text, None, desk.path("new.py"))
    await desk.changes.propose(plan(planned))
    desk.path("new.py").write_text(TEN + "typed\n")
    assert await desk.undo() == {"old.py": "restored"}
    assert (desk.text("old.py"), desk.text("new.py")) == (TEN + "typed\n", None)
    await desk.redo()
    assert (desk.text("old.py"), desk.text("new.py")) == (None, TEN + "typed\n")


async def test_without_a_target_the_last_turn_that_changed_anything_is_taken_back(desk: Desk) -> None:
    desk.write("a.py", "0\n")
    for turn, text in (("msg_1", "1\n"), ("msg_2", "2\n"), ("msg_2", "3\n")):
        await desk.edit("a.py", text, changes=desk.turn(turn))
    await desk.undo()
    assert desk.text("a.py") == "1\n"
    await desk.undo()
    assert desk.text("a.py") == "0\n"
    with pytest.raises(RequestError):
        await desk.undo()
    await desk.redo()
    assert desk.text("a.py") == "1\n"
    await desk.redo()
    assert desk.text("a.py") == "3\n"
    with pytest.raises(RequestError):
        await desk.redo()


async def test_an_earlier_turn_can_be_taken_back_alone(desk: Desk) -> None:
    desk.write("a.py", TEN)
    await desk.edit("a.py", TEN.replace("line 1", "ONE"), changes=desk.turn("msg_1"))
    both = TEN.replace("line 1", "ONE").replace("line 8", "EIGHT")
    await desk.edit("a.py", both, changes=desk.turn("msg_2"))
    assert await desk.undo(turn_id="msg_1") == {"a.py": "restored"}
    assert desk.text("a.py") == TEN.replace("line 8", "EIGHT")


async def test_a_later_turn_on_the_same_lines_makes_a_conflict_and_no_loss(desk: Desk) -> None:
    desk.write("a.py", TEN)
    await desk.edit("a.py", TEN.replace("line 4", "first"), changes=desk.turn("msg_1"))
    await desk.edit("a.py", TEN.replace("line 4", "second"), changes=desk.turn("msg_2"))
    assert await desk.undo(turn_id="msg_1") == {"a.py": "conflict"}
    assert desk.text("a.py") == TEN.replace("line 4", "second")


async def test_a_file_in_conflict_is_not_touched_by_any_change_of_the_turn(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    await desk.edit("a.py", TEN.replace("line 1", "ONE"))
    await desk.edit("a.py", TEN.replace("line 1", "ONE").replace("line 8", "EIGHT"))
    edited = path.read_text().replace("ONE", "MINE")
    path.write_text(edited)
    assert await desk.undo() == {"a.py": "conflict"}
    assert path.read_text() == edited


async def test_changes_and_messages_can_be_named(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    desk.write("b.py", "b\n")
    first = await desk.edit("a.py", "A\n")
    await desk.edit("b.py", "B\n")
    assert await desk.undo(change_ids=[first.id]) == {"a.py": "restored"}
    assert await desk.undo(message_id="msg_turn_answer") == {"b.py": "restored"}
    with pytest.raises(RequestError):
        await desk.undo(message_id="msg_nobody")


async def test_a_created_edited_and_renamed_file_is_gone_after_one_undo(desk: Desk) -> None:
    path = desk.path("a.py")
    await desk.changes.propose(plan(create(path, "1\n")))
    await desk.edit("a.py", "2\n")
    await desk.changes.propose(plan(PlannedFile("rename", path, "2\n", None, desk.path("b.py"))))
    await desk.undo()
    assert (desk.text("a.py"), desk.text("b.py")) == (None, None)
    await desk.redo()
    assert (desk.text("a.py"), desk.text("b.py")) == (None, "2\n")


async def test_undo_goes_through_the_open_buffer_and_leaves_it_unsaved_if_it_was(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.editor.open_buffer(path)
    desk.editor.type(path, TEN + "draft\n")
    await desk.edit("a.py", TEN.replace("line 1", "ONE") + "draft\n")
    assert await desk.undo() == {"a.py": "restored"}
    assert desk.text("a.py") == TEN + "draft\n"
    assert path.read_text() == TEN


async def test_after_an_undo_the_model_must_read_again(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    await desk.edit("a.py", "b\n")
    await desk.undo()
    with pytest.raises(EditError, match="Read it first"):
        await desk.changes.base(path)


async def test_undo_asks_nobody(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    await desk.edit("a.py", "b\n")
    await desk.undo()
    assert isinstance(desk.approver, ScriptedApprover)
    assert len(desk.approver.requests) == 1


async def test_an_undo_the_editor_does_not_take_is_an_error_and_can_be_tried_again(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    await desk.edit("a.py", "b\n")
    desk.editor.lies_about = {path}
    with pytest.raises(EditError, match="not applied"):
        await desk.undo()
    desk.editor.lies_about = set()
    assert await desk.undo() == {"a.py": "restored"}


async def test_another_session_s_ledger_makes_no_difference_to_undo(desk: Desk) -> None:
    desk.write("a.py", TEN)
    other = desk.turn("msg_other", Ledger())
    await other.read(desk.path("a.py"))
    await desk.edit("a.py", TEN.replace("line 1", "ONE"))
    result = await other.propose(plan(PlannedFile("modify", desk.path("a.py"), TEN, TEN.replace("line 8", "EIGHT"))))
    assert "+ONE" in result.files[0].file.merged_diff
    await desk.undo(turn_id="msg_turn")
    assert desk.text("a.py") == TEN.replace("line 8", "EIGHT")
