"""A conflict in one of several files that the user has accepted: the other files are applied, and this file is left."""

from pathlib import Path

import pytest

from changes_support.answers import answering
from changes_support.desk import Desk, create, plan
from placet.changes.propose.report import describe, metadata
from placet.core.errors import EditConflict, EditError
from placet.core.events import ChangeApplied
from placet.text.plan import EditPlan, PlannedFile

NAMES = ("a.py", "b.py", "c.py")
USERS = "one\nthe user's two\n"


async def three(desk: Desk) -> EditPlan:
    """A change of the second line in three files."""
    for name in NAMES:
        desk.write(name, "one\ntwo\n")
    return plan(*[await desk.plan(name, "one\n2\n") for name in NAMES])


def typing_in(desk: Desk, *names: str) -> None:
    """While the user is asked, the user types in the second line of these files, once."""

    def meanwhile() -> None:
        desk.approver.meanwhile = lambda: None
        for name in names:
            desk.path(name).write_text(USERS)

    desk.approver.meanwhile = meanwhile


async def test_the_files_that_fit_are_applied_and_the_file_in_conflict_is_as_the_user_has_it(desk: Desk) -> None:
    planned = await three(desk)
    typing_in(desk, "b.py")
    result = await desk.changes.propose(planned)

    assert [desk.text(name) for name in NAMES] == ["one\n2\n", USERS, "one\n2\n"]
    assert [file.status for file in result.files] == ["applied", "conflict", "applied"]
    assert len(desk.approver.requests) == 1, "the other decisions are kept, and nobody is asked again"
    (applied,) = [event for event in desk.events if isinstance(event, ChangeApplied)]
    assert [file.uri for file in applied.files] == [desk.path(name).as_uri() for name in ("a.py", "c.py")]
    assert applied.refused is None


async def test_the_model_is_told_of_the_users_lines_and_the_screen_gets_no_words_for_the_model(desk: Desk) -> None:
    planned = await three(desk)
    typing_in(desk, "b.py")
    result = await desk.changes.propose(planned)

    text = describe(result, desk.changes.call.workspace)
    assert "- NOT changed: b.py: the user or another program has changed the same lines" in text
    assert "+the user's two" in text
    assert "Read the file again" in text
    data = metadata(result)
    assert [file["status"] for file in data["files"]] == ["applied", "conflict", "applied"]
    assert data["additions"] == 2
    assert "Read the file again" not in str(data)


async def test_the_journal_holds_the_applied_files_and_undo_takes_these_back(desk: Desk) -> None:
    planned = await three(desk)
    typing_in(desk, "b.py")
    await desk.changes.propose(planned)

    assert await desk.states() == ["applied"]
    await desk.undo()
    assert [desk.text(name) for name in NAMES] == ["one\ntwo\n", USERS, "one\ntwo\n"]
    await desk.redo()
    assert [desk.text(name) for name in NAMES] == ["one\n2\n", USERS, "one\n2\n"]


async def test_rejections_in_the_other_files_are_kept(desk: Desk) -> None:
    planned = await three(desk)
    desk.approver.answers = [answering({desk.path(name): frozenset({1}) for name in ("a.py", "b.py")})]
    typing_in(desk, "b.py")
    result = await desk.changes.propose(planned)
    assert [file.status for file in result.files] == ["applied", "conflict", "refused"]
    assert [desk.text(name) for name in NAMES] == ["one\n2\n", USERS, "one\ntwo\n"]


async def test_a_text_of_the_users_own_in_a_file_in_conflict_is_not_said_to_be_applied(desk: Desk) -> None:
    planned = await three(desk)
    desk.approver.answers = [answering(edited={desk.path("b.py"): "one\nmine\n"})]
    typing_in(desk, "b.py")
    result = await desk.changes.propose(planned)
    assert "The user's version was applied" not in describe(result, desk.changes.call.workspace)
    assert "edited" not in metadata(result)["files"][1]


async def test_a_conflict_in_every_file_is_an_error_with_all_of_the_users_lines(desk: Desk) -> None:
    planned = await three(desk)
    typing_in(desk, *NAMES)
    with pytest.raises(EditConflict) as caught:
        await desk.changes.propose(planned)
    assert str(caught.value).count("+the user's two") == 3
    assert [desk.text(name) for name in NAMES] == [USERS] * 3
    assert await desk.states() == []


async def test_the_files_that_fit_are_still_applied_as_a_whole_or_not_at_all(desk: Desk) -> None:
    planned = await three(desk)
    typing_in(desk, "b.py")
    desk.editor.open_buffer(desk.path("c.py"))
    desk.editor.lies_about = {desk.path("c.py")}
    with pytest.raises(EditError):
        await desk.changes.propose(planned)
    assert [desk.text(name) for name in NAMES] == ["one\ntwo\n", USERS, "one\ntwo\n"]
    assert await desk.states() == ["failed"]


async def test_a_change_that_the_rules_allow_is_applied_whole_or_not_at_all(tmp_path: Path) -> None:
    desk = Desk(tmp_path, permission={"edit": "allow"})
    planned = await three(desk)
    desk.editor.open_buffer(desk.path("b.py"))

    def type_once_proposed() -> None:
        if desk.events:
            desk.editor.user = lambda: None
            desk.editor.type(desk.path("b.py"), USERS)

    desk.editor.user = type_once_proposed
    with pytest.raises(EditConflict):
        await desk.changes.propose(planned)
    assert [desk.text(name) for name in NAMES] == ["one\ntwo\n", USERS, "one\ntwo\n"]
    assert desk.approver.requests == []


async def test_a_file_that_has_appeared_at_the_place_of_a_new_file_keeps_the_whole_change_back(desk: Desk) -> None:
    desk.write("a.py", "one\ntwo\n")
    deletion = PlannedFile("delete", desk.path("a.py"), (await desk.plan("a.py", "")).base_text, None)
    desk.approver.meanwhile = lambda: desk.path("new.py").write_text("theirs\n") and None
    with pytest.raises(EditError, match="exists already"):
        await desk.changes.propose(plan(deletion, create(desk.path("new.py"), "one\ntwo\n")))
    assert desk.text("a.py") == "one\ntwo\n", "what was to be moved is not lost"
