"""EDITS.md rules 3, 13 and 15: believed is what is there; all or nothing; the user may type meanwhile."""

from pathlib import Path

import pytest

from changes_support.answers import answering
from changes_support.desk import Desk, create, plan
from placet.core.errors import EditConflict, EditError
from placet.core.events import ChangeApplied, ChangeProposed
from placet.text.plan import EditPlan, PlannedFile

TEN = "".join(f"line {number}\n" for number in range(10))


async def test_an_editor_that_says_applied_and_did_not_is_not_believed(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    desk.editor.lies_about = {path}
    with pytest.raises(EditError, match=r"(?s)not applied.*a\.py"):
        await desk.edit("a.py", "b\n")
    assert await desk.states() == ["failed"]
    assert not any(isinstance(event, ChangeApplied) for event in desk.events)


@pytest.mark.parametrize("kind", ["delete", "rename"])
async def test_a_file_that_is_still_there_was_neither_deleted_nor_renamed(desk: Desk, kind) -> None:
    path = desk.write("a.py", "a\n")
    await desk.plan("a.py", "")
    desk.editor.lies_about = {path}
    new_path = desk.path("b.py") if kind == "rename" else None
    with pytest.raises(EditError, match="not applied"):
        await desk.changes.propose(plan(PlannedFile(kind, path, "a\n", None, new_path)))
    assert desk.text("a.py") == "a\n"
    assert await desk.states() == ["failed"]


async def test_a_lost_answer_does_not_make_an_applied_change_unapplied(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    desk.editor.drops_answer_for = {path}
    result = await desk.edit("a.py", "b\n")
    assert result.files[0].status == "applied"
    assert desk.editor.applied == [("modify", path)], "resent"
    assert await desk.states() == ["applied"]


async def three_files(desk: Desk) -> tuple[EditPlan, list[Path]]:
    paths = [desk.write(name, "old\n") for name in ("a.py", "b.py")]
    files = [await desk.plan(path.name, "new\n") for path in paths]
    return plan(files[0], create(desk.path("made.py"), "made\n"), files[1]), paths


async def test_when_one_file_fails_all_others_are_put_back(desk: Desk) -> None:
    planned, paths = await three_files(desk)
    desk.editor.lies_about = {paths[1]}
    with pytest.raises(EditError) as caught:
        await desk.changes.propose(planned)
    assert [desk.text(name) for name in ("a.py", "b.py", "made.py")] == ["old\n", "old\n", None]
    assert "a.py: was changed, and has been put back" in str(caught.value)
    assert "b.py: not changed" in str(caught.value)
    assert await desk.states() == ["failed"]


async def test_an_editor_that_dies_half_way_leaves_nothing_half_done(desk: Desk) -> None:
    planned, _ = await three_files(desk)
    desk.editor.breaks = ConnectionError("gone")

    def restart() -> None:
        if desk.editor.applied:
            desk.editor.breaks = None

    desk.editor.user = restart
    with pytest.raises(EditError, match="gone"):
        await desk.changes.propose(planned)
    assert [desk.text(name) for name in ("a.py", "b.py", "made.py")] == ["old\n", "old\n", None]
    assert await desk.states() == ["failed"]


async def test_what_the_user_has_typed_in_a_file_that_is_put_back_stays(desk: Desk) -> None:
    planned, paths = await three_files(desk)
    desk.editor.open_buffer(paths[0])
    desk.editor.lies_about = {paths[1]}
    typed = False

    def user() -> None:
        nonlocal typed
        if desk.editor.open[paths[0]].text == "new\n" and not typed:
            typed = True
            desk.editor.type(paths[0], "new\n\n\nmine\n")

    desk.editor.user = user
    with pytest.raises(EditError):
        await desk.changes.propose(planned)
    assert "mine" in (desk.text("a.py") or "")


async def test_typing_elsewhere_while_asked_is_merged_without_asking_again(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.editor.open_buffer(path)
    desk.approver.meanwhile = lambda: desk.editor.type(path, "typed\n" + TEN)
    result = await desk.edit("a.py", TEN.replace("line 8", "EIGHT"))
    assert desk.text("a.py") == "typed\n" + TEN.replace("line 8", "EIGHT")
    assert len(desk.approver.requests) == 1
    assert "+typed" in result.files[0].file.merged_diff


async def test_a_region_that_moved_on_is_asked_again_and_shown_again(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    wanted = TEN.replace("line 1", "ONE").replace("line 8", "EIGHT")

    def user_makes_one_of_the_changes() -> None:
        path.write_text(TEN.replace("line 1", "ONE"))

    desk.approver.meanwhile = user_makes_one_of_the_changes
    await desk.edit("a.py", wanted)
    assert desk.text("a.py") == wanted
    assert [len(request.change.files[0].hunks) for request in desk.approver.requests] == [2, 1]
    assert [type(event) for event in desk.events] == [ChangeProposed, ChangeProposed, ChangeApplied]


async def test_a_hunk_once_refused_stays_refused_when_asked_again(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.approver.answers = [answering({path: frozenset({1, 3})})]
    desk.approver.meanwhile = lambda: path.write_text(TEN.replace("line 1", "ONE"))
    result = await desk.edit("a.py", TEN.replace("line 1", "ONE").replace("line 4", "FOUR").replace("line 8", "EIGHT"))
    assert desk.text("a.py") == TEN.replace("line 1", "ONE").replace("line 8", "EIGHT")
    assert "+FOUR" in result.files[0].file.rejected_diff


async def test_the_same_lines_changed_while_asked_are_a_conflict(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.approver.meanwhile = lambda: path.write_text(TEN.replace("line 4", "user"))
    with pytest.raises(EditConflict, match=r"\+user"):
        await desk.edit("a.py", TEN.replace("line 4", "agent"))
    assert desk.text("a.py") == TEN.replace("line 4", "user")
    assert await desk.states() == []


async def test_a_file_that_appears_while_asked_is_not_overwritten(desk: Desk) -> None:
    path = desk.path("a.py")
    desk.approver.meanwhile = lambda: path.write_text("the user's\n")
    with pytest.raises(EditError, match="exists already"):
        await desk.changes.propose(plan(create(path, "the agent's\n")))
    assert path.read_text() == "the user's\n"


async def test_a_user_who_types_between_the_look_and_the_edit_only_delays_it(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    buffer = desk.editor.open_buffer(path)
    keys = iter("abc")

    def user() -> None:
        if (key := next(keys, None)) is not None:
            desk.editor.type(path, key + buffer.text)

    desk.approver.meanwhile = lambda: setattr(desk.editor, "user", user)
    await desk.edit("a.py", TEN.replace("line 8", "EIGHT"))
    assert desk.text("a.py") == "cba" + TEN.replace("line 8", "EIGHT")
    assert len(desk.approver.requests) == 1
    assert await desk.states() == ["applied"]


async def test_a_user_who_never_stops_typing_gets_the_change_reported_as_not_applied(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    buffer = desk.editor.open_buffer(path)
    planned = plan(await desk.plan("a.py", TEN.replace("line 8", "EIGHT")))
    desk.editor.user = lambda: desk.editor.type(path, "x" + buffer.text)
    with pytest.raises(EditConflict, match="typing"):
        await desk.changes.propose(planned)
    assert buffer.text.lstrip("x") == TEN
    assert await desk.states() == ["failed"]


async def test_typing_on_top_of_the_applied_change_is_kept_told_and_not_undone(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    buffer = desk.editor.open_buffer(path)
    wanted = TEN.replace("line 8", "EIGHT")

    def user() -> None:
        if buffer.text == wanted:
            desk.editor.type(path, "typed\n" + wanted)

    desk.editor.user = user
    result = await desk.edit("a.py", wanted)
    assert buffer.text == "typed\n" + wanted
    assert "+typed" in result.files[0].file.merged_diff
    assert "typed" not in result.files[0].diff
    assert await desk.undo() == {"a.py": "restored"}
    assert buffer.text == "typed\n" + TEN


async def test_edits_sent_to_the_editor_are_minimal(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.editor.open_buffer(path)
    seen = []
    apply = desk.editor.apply

    async def recording(edits, **rest):
        seen.extend(edits)
        return await apply(edits, **rest)

    desk.editor.apply = recording  # type: ignore[method-assign]
    await desk.edit("a.py", TEN.replace("line 4", "line four"))
    (edit,) = seen
    assert [it.text for it in edit.edits] == ["four"]
    assert edit.base.version == 1


async def test_the_journal_is_stored_before_anything_is_applied(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    states = []
    apply = desk.editor.apply

    async def recording(edits, **rest):
        states.extend(await desk.states())
        return await apply(edits, **rest)

    desk.editor.apply = recording  # type: ignore[method-assign]
    await desk.edit("a.py", "b\n")
    assert states == ["planned"]


async def test_the_texts_of_a_change_that_landed_as_planned_are_stored_once(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    stored: list[str] = []
    await desk.database.work(lambda connection: connection.set_trace_callback(stored.append))
    await desk.edit("a.py", "b\n")
    assert sum("INSERT INTO change_file" in statement for statement in stored) == 1
    assert await desk.states() == ["applied"]
    assert await desk.undo() == {"a.py": "restored"}
    assert desk.text("a.py") == "a\n"


async def test_a_store_that_fails_stops_the_change_before_it_is_applied(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    desk.database.write("DROP TABLE change_file")
    with pytest.raises(Exception, match="store"):
        await desk.edit("a.py", "b\n")
    assert desk.text("a.py") == "a\n"
