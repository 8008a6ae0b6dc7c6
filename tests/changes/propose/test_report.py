from changes_support.answers import answering
from changes_support.desk import Desk, create, plan
from placet.changes.propose.report import describe, metadata
from placet.changes.propose.result import ChangeResult
from placet.project.paths import Workspace
from placet.text.plan import PlannedFile

TEN = "".join(f"line {number}\n" for number in range(10))


def told(desk: Desk, result: ChangeResult) -> str:
    return describe(result, Workspace((desk.root,)))


async def test_a_plain_change_is_told_in_one_line(desk: Desk) -> None:
    desk.write("src/a.py", "a\n")
    assert told(desk, await desk.edit("src/a.py", "b\nc\n")) == "Changed src/a.py (+2 -1)."


async def test_every_kind_has_its_words(desk: Desk) -> None:
    gone, old = desk.write("gone.py", "x\n"), desk.write("old.py", "x\n")
    for name in ("gone.py", "old.py"):
        await desk.plan(name, "")
    result = await desk.changes.propose(
        plan(
            create(desk.path("made.py"), "x\n"),
            PlannedFile("delete", gone, "x\n", None),
            PlannedFile("rename", old, "x\n", None, desk.path("new.py")),
        )
    )
    assert told(desk, result).splitlines() == [
        "- Created made.py (+1 -0).",
        "- Deleted gone.py.",
        "- Renamed old.py to new.py.",
    ]


async def test_what_was_refused_and_what_the_user_said_is_told(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.approver.answers = [answering({path: frozenset({1})}, feedback="keep EIGHT out")]
    text = told(desk, await desk.edit("a.py", TEN.replace("line 1", "ONE").replace("line 8", "EIGHT")))
    assert "NOT applied" in text
    assert "+EIGHT" in text
    assert "keep EIGHT out" in text


async def test_a_file_that_was_merged_and_left_unsaved_says_so(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.editor.open_buffer(path)
    planned = await desk.plan("a.py", TEN.replace("line 8", "EIGHT"))
    desk.editor.type(path, "typed\n" + TEN)
    text = told(desk, await desk.changes.propose(plan(planned)))
    assert "+typed" in text
    assert "not saved" in text


async def test_nothing_changed_is_told_too(desk: Desk) -> None:
    desk.write("a.py", "a\n")
    assert "already as you want it" in told(desk, await desk.edit("a.py", "a\n"))


async def test_the_screen_gets_one_diff_of_what_was_applied(desk: Desk) -> None:
    one, two = desk.write("a.py", "a\n"), desk.write("b.py", "b\n")
    desk.approver.answers = [answering({one: frozenset({1})})]
    result = await desk.changes.propose(plan(await desk.plan("a.py", "A\n"), await desk.plan("b.py", "B\n")))
    data = metadata(result)
    assert data["diff"] == "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+A\n"
    assert (data["changeId"], data["additions"], data["deletions"]) == (result.id, 1, 1)
    assert [(file["uri"], file["status"]) for file in data["files"]] == [
        (one.as_uri(), "applied"),
        (two.as_uri(), "refused"),
    ]
    assert "+B" in data["files"][1]["refused"]
