import pytest

from changes_support.answers import Answer, Comment, answering
from changes_support.approver import ALWAYS, REJECT, Nobody
from changes_support.desk import Desk, create, plan
from placet.changes.propose.report import metadata
from placet.core.errors import DocumentMissing, EditConflict, EditError, NobodyToAsk, PermissionDenied, Rejected
from placet.core.events import ChangeApplied, ChangeProposed
from placet.core.ports import PermissionAnswer
from placet.text.plan import PlannedFile

TEN = "".join(f"line {number}\n" for number in range(10))


async def test_an_allowed_change_is_applied_and_told(desk: Desk) -> None:
    desk.write("a.py", "one\ntwo\n")
    result = await desk.edit("a.py", "one\n2\n")
    assert desk.text("a.py") == "one\n2\n"
    assert (result.files[0].status, result.files[0].line_counts) == ("applied", (1, 1))
    assert [type(event) for event in desk.events] == [ChangeProposed, ChangeApplied]
    assert await desk.states() == ["applied"]


async def test_the_user_is_asked_with_the_full_change_and_the_deciding_rule(desk: Desk) -> None:
    path = desk.write("src/a.py", "one\r\ntwo\r\n")
    await desk.edit("src/a.py", "one\n2\n")
    (request,) = desk.approver.requests
    assert (request.permission, request.patterns) == ("edit", ("src/a.py",))
    assert request.always[0].patterns == ("src/a.py",)
    assert "edit" in request.rule
    assert "built in" in request.rule
    (file,) = request.change.files
    assert (file.path, file.old_text, file.new_text) == (path, "one\ntwo\n", "one\n2\n")
    assert [hunk.id for hunk in file.hunks] == [1]


async def test_an_open_buffer_is_the_truth_and_not_the_disk(desk: Desk) -> None:
    path = desk.write("a.py", "on disk\n")
    desk.editor.open_buffer(path)
    desk.editor.type(path, "typed\nnot saved\n")
    await desk.edit("a.py", "typed\nnot saved\nadded\n")
    assert desk.text("a.py") == "typed\nnot saved\nadded\n"
    assert path.read_text() == "on disk\n"


async def test_a_document_with_unsaved_changes_is_not_saved_and_the_model_is_told(desk: Desk) -> None:
    path = desk.write("a.py", "x\n")
    desk.editor.open_buffer(path)
    desk.editor.type(path, "y\n")
    assert (await desk.edit("a.py", "z\n")).files[0].is_unsaved
    desk.editor.open[path].dirty = False
    assert not (await desk.edit("a.py", "saved\n")).files[0].is_unsaved
    assert path.read_text() == "saved\n"


async def test_a_file_never_read_must_be_read_first(desk: Desk) -> None:
    path = desk.write("a.py", "x\n")
    with pytest.raises(EditError, match="Read it first"):
        await desk.changes.base(path)
    await desk.changes.read(path)
    assert await desk.changes.base(path) == "x\n"


async def test_the_base_of_a_missing_file_is_missing_even_when_it_was_read_before(desk: Desk) -> None:
    path = desk.write("a.py", "x\n")
    await desk.changes.read(path)
    path.unlink()
    with pytest.raises(DocumentMissing):
        await desk.changes.base(path)


async def test_what_the_user_changed_since_the_read_is_merged_and_told(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    planned = await desk.plan("a.py", TEN.replace("line 8", "LINE 8"))
    path.write_text(TEN.replace("line 1", "user 1"))
    result = await desk.changes.propose(plan(planned))
    assert desk.text("a.py") == TEN.replace("line 1", "user 1").replace("line 8", "LINE 8")
    assert "+user 1" in result.files[0].file.merged_diff
    assert "user 1" not in result.files[0].diff.replace(" user 1", "")


async def test_a_change_to_the_same_lines_is_a_conflict_that_shows_the_user_s_change(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    planned = await desk.plan("a.py", TEN.replace("line 4", "agent"))
    path.write_text(TEN.replace("line 4", "user"))
    with pytest.raises(EditConflict, match=r"\+user") as caught:
        await desk.changes.propose(plan(planned))
    assert "a.py" in str(caught.value)
    assert desk.text("a.py") == TEN.replace("line 4", "user")
    assert desk.approver.requests == []


async def test_line_endings_bom_and_encoding_stay(desk: Desk) -> None:
    path = desk.path("a.py")
    path.write_bytes("\ufeffone\r\ntwo\r\nthree\n".encode("utf-16-le"))
    result = await desk.edit("a.py", "one\n2\nthree\nfour\n")
    assert path.read_bytes().decode("utf-16-le") == "\ufeffone\r\n2\r\nthree\nfour\r\n"
    document = result.files[0].after
    assert document is not None
    assert document.bom
    assert document.encoding.startswith("utf-16")


async def test_some_hunks_may_be_allowed_and_the_refused_are_told(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.approver.answers = [answering({path: frozenset({2})})]
    result = await desk.edit("a.py", TEN.replace("line 1", "ONE").replace("line 8", "EIGHT"))
    assert desk.text("a.py") == TEN.replace("line 8", "EIGHT")
    assert "+ONE" in result.files[0].file.rejected_diff
    assert "EIGHT" not in result.files[0].file.rejected_diff.replace(" EIGHT", "")
    assert "ONE" not in result.files[0].diff


async def test_a_file_the_answer_does_not_name_is_refused(desk: Desk) -> None:
    one, two = desk.write("a.py", "a\n"), desk.write("b.py", "b\n")
    planned = plan(await desk.plan("a.py", "A\n"), await desk.plan("b.py", "B\n"))
    desk.approver.answers = [answering({one: frozenset({1})})]
    result = await desk.changes.propose(planned)
    assert (desk.text("a.py"), two.read_text()) == ("A\n", "b\n")
    assert [file.status for file in result.files] == ["applied", "refused"]
    (applied,) = [event for event in desk.events if isinstance(event, ChangeApplied)]
    assert [file.uri for file in applied.files] == [one.as_uri()]


async def test_an_edited_text_replaces_the_proposal_and_is_told(desk: Desk) -> None:
    path = desk.write("a.py", "a\r\nb\r\n")
    desk.approver.answers = [answering(edited={path: "a\r\nmine\r\n"})]
    result = await desk.edit("a.py", "a\nyours\n")
    assert desk.text("a.py") == "a\r\nmine\r\n"
    assert "-yours\n+mine" in result.files[0].file.edited_diff


@pytest.mark.parametrize("answer", [REJECT, answering({})])
async def test_refusing_everything_is_a_rejection_and_changes_nothing(desk: Desk, answer: Answer) -> None:
    desk.write("a.py", "a\n")
    desk.approver.answers = [answer]
    with pytest.raises(Rejected):
        await desk.edit("a.py", "b\n")
    assert desk.text("a.py") == "a\n"
    assert await desk.states() == []


async def test_comments_go_with_the_hunks_that_were_taken_and_those_that_were_not(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    comments = (Comment(path, "too loud", 1), Comment(path, "good", 2), Comment(path, "add a test"))
    desk.approver.answers = [answering({path: frozenset({2})}, comments=comments)]
    result = await desk.edit("a.py", TEN.replace("line 1", "ONE").replace("line 8", "EIGHT"))
    first, second, third = result.feedback.split("\n\n")
    assert first == "On this part of a.py (rejected):\n```diff\n@@ -2,1 +2,1 @@\n-line 1\n+ONE\n```\ntoo loud"
    assert second.startswith("On this part of a.py (accepted):")
    assert third == "On the change of a.py (accepted in part): add a test"
    assert [one["text"] for one in metadata(result)["said"]] == ["too loud", "good", "add a test"]


async def test_comments_are_feedback_to_a_rejection(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    comments = (Comment(path, "use tabs", 1),)
    for answer in (answering(outcome="reject", comments=comments), answering({}, comments=comments)):
        desk.approver.answers = [answer]
        with pytest.raises(Rejected) as caught:
            await desk.edit("a.py", "b\n")
        assert "a.py (rejected)" in caught.value.feedback
        assert caught.value.feedback.endswith("use tabs")
        assert [one["text"] for one in caught.value.metadata["said"]] == ["use tabs"]


async def test_what_was_said_is_kept_when_the_user_is_asked_again(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    planned = await desk.plan("a.py", TEN.replace("line 1", "ONE").replace("line 8", "EIGHT"))
    desk.approver.answers = [
        answering(comments=(Comment(path, "first", 1),)),
        answering(comments=(Comment(path, "second", 1),)),
    ]
    desk.approver.meanwhile = lambda: path.write_text(TEN.replace("line 8", "EIGHT")) and None
    result = await desk.changes.propose(plan(planned))
    assert len(desk.approver.requests) == 2
    assert [text.rpartition("\n")[2] for text in result.feedback.split("\n\n")] == ["first", "second"]


async def test_feedback_goes_with_the_rejection(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    desk.approver.answers = [PermissionAnswer("reject", feedback="use tabs")]
    with pytest.raises(Rejected) as caught:
        await desk.edit("a.py", "b\n")
    assert caught.value.feedback == "use tabs"


async def test_a_change_that_changes_nothing_is_not_asked(desk: Desk) -> None:
    desk.write("a.py", "a\r\n")
    result = await desk.edit("a.py", "a\n")
    assert [file.status for file in result.files] == ["unchanged"]
    assert (desk.approver.requests, desk.events) == ([], [])


async def test_a_denying_rule_is_named_and_nothing_is_asked(tmp_path) -> None:
    desk = Desk(tmp_path, permission={"edit": {"secret/*": "deny"}})
    desk.write("secret/a.py", "a\n")
    with pytest.raises(PermissionDenied, match=r"secret/\*.*the test"):
        await desk.edit("secret/a.py", "b\n")
    assert desk.approver.requests == []
    await desk.database.close()


async def test_a_rule_that_allows_is_not_asked_but_journaled(tmp_path) -> None:
    desk = Desk(tmp_path, permission={"edit": "allow"})
    desk.write("a.py", "a\n")
    await desk.edit("a.py", "b\n")
    assert desk.approver.requests == []
    assert await desk.states() == ["applied"]
    assert await desk.undo() == {"a.py": "restored"}
    await desk.database.close()


async def test_always_is_asked_once(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    desk.approver.answers = [ALWAYS]
    await desk.edit("a.py", "b\n")
    await desk.edit("a.py", "c\n")
    assert len(desk.approver.requests) == 1


async def test_always_is_not_offered_for_a_name_that_is_a_wildcard(desk: Desk) -> None:
    await desk.changes.propose(plan(create(desk.path("*"), "x\n")))
    assert desk.approver.requests[0].always == ()


async def test_nobody_to_ask_fails_at_once(tmp_path) -> None:
    desk = Desk(tmp_path, approver=Nobody())
    desk.write("a.py", "a\n")
    with pytest.raises(NobodyToAsk, match="edit"):
        await desk.edit("a.py", "b\n")
    await desk.database.close()


async def test_create_delete_and_rename_are_one_change(desk: Desk) -> None:
    gone, old = desk.write("gone.py", "gone\n"), desk.write("old.py", "x\ny\n")
    base = [(await desk.plan(name, "")).base_text for name in ("gone.py", "old.py")]
    result = await desk.changes.propose(
        plan(
            create(desk.path("new/made.py"), "made\n"),
            PlannedFile("delete", gone, base[0], None),
            PlannedFile("rename", old, base[1], "x\nz\n", desk.path("moved.py")),
        )
    )
    assert [desk.text(name) for name in ("new/made.py", "gone.py", "old.py", "moved.py")] == [
        "made\n",
        None,
        None,
        "x\nz\n",
    ]
    assert desk.approver.requests[0].patterns == ("new/made.py", "gone.py", "old.py", "moved.py")
    assert all(file.status == "applied" for file in result.files)


async def test_a_deletion_is_allowed_whole_or_not_at_all(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    planned = PlannedFile("delete", path, (await desk.plan("a.py", "")).base_text, None)
    desk.approver.answers = [answering({path: frozenset()})]
    with pytest.raises(Rejected):
        await desk.changes.propose(plan(planned))
    assert desk.text("a.py") == "a\n"


async def test_deleting_a_file_the_user_has_changed_since_is_a_conflict(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    planned = PlannedFile("delete", path, (await desk.plan("a.py", "")).base_text, None)
    path.write_text("a\nuser\n")
    with pytest.raises(EditConflict, match=r"\+user"):
        await desk.changes.propose(plan(planned))


async def test_after_a_change_the_ledger_holds_what_is_there(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    await desk.edit("a.py", "b\n")
    assert await desk.changes.base(path) == "b\n"
    await desk.changes.propose(plan(create(desk.path("b.py"), "new\n")))
    assert await desk.changes.base(desk.path("b.py")) == "new\n"


async def test_what_a_formatter_made_of_it_is_the_truth_and_is_told(desk: Desk) -> None:
    path = desk.write("a.py", "a = 1\n")
    desk.editor.open_buffer(path)
    desk.editor.format = lambda text: text.replace("b=2", "b = 2")
    result = await desk.edit("a.py", "a = 1\nb=2\n")
    assert "-b=2\n+b = 2" in result.files[0].formatted_diff
    assert "+b = 2" in result.files[0].diff
    assert await desk.changes.base(path) == "a = 1\nb = 2\n"
    assert await desk.undo() == {"a.py": "restored"}
    assert desk.text("a.py") == "a = 1\n"
