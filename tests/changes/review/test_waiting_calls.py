"""Calls that wait in the change set for the user's decisions (docs/REVIEW.md, mode `ask`)."""

import asyncio
from pathlib import Path

import pytest

from changes_support.answers import Comment, answering
from changes_support.approver import ONCE, REJECT, PatientApprover
from changes_support.desk import SESSION, Desk, create, plan
from placet.changes.propose.result import ChangeResult
from placet.changes.review.parts import DecisionOutcome
from placet.changes.review.staged_file import StagedView
from placet.core.errors import Rejected
from placet.core.events import ChangeApplied
from placet.core.hunks import Decision
from placet.project.paths import Workspace
from placet.text.plan import PlannedFile
from time_support import limited

TEN = "".join(f"line {number}\n" for number in range(10))
WANTED = TEN.replace("line 1\n", "ONE\n").replace("line 5\n", "FIVE\n").replace("line 8\n", "EIGHT\n")


class Place:
    """A desk whose user decides in the change set, while the request stays on the screen."""

    def __init__(self, root: Path) -> None:
        self.approver = PatientApprover()
        self.desk = Desk(root, approver=self.approver)
        self.workspace = Workspace((root,))

    async def asked(self, *files: PlannedFile) -> "asyncio.Task[ChangeResult]":
        """The call, once the request is on the screen."""
        call = asyncio.ensure_future(self.desk.changes.propose(plan(*files)))
        async with limited(lambda: "the question"):
            await self.approver.shown("Change")
        return call

    async def views(self) -> list[StagedView]:
        return await self.desk.pipeline.reviews.views(SESSION, self.workspace, with_waiting=True)

    async def decide(self, *decisions: Decision) -> list[DecisionOutcome]:
        return await self.desk.pipeline.reviews.decide(SESSION, decisions, self.workspace)

    async def accept(self, *numbers: int) -> DecisionOutcome:
        """Accept the hunks of the only file by their places in the list; all without a number."""
        [view] = await self.views()
        hunks = frozenset(view.proposed.hunks[number].id for number in numbers) if numbers else None
        [outcome] = await self.decide(Decision(view.file.place, view.version, "accept", hunks))
        return outcome

    async def set_is_empty(self) -> bool:
        change_set = await self.desk.pipeline.change_sets.of(SESSION)
        return not change_set.waiting and not change_set.files


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_decisions_about_the_last_hunks_end_the_call_which_is_told_what_was_written_and_what_not(
    place: Place,
) -> None:
    place.desk.write("a.py", TEN)
    call = await place.asked(await place.desk.plan("a.py", WANTED))
    outcome = await place.accept(0)
    assert (outcome.status, place.desk.text("a.py")) == ("written", TEN.replace("line 1\n", "ONE\n"))
    assert not call.done()
    [view] = await place.views()
    five, eight = (frozenset((hunk.id,)) for hunk in view.proposed.hunks)
    await place.decide(
        Decision(view.file.place, view.version, "accept", five),
        Decision(view.file.place, view.version, "reject", eight, comment="not eight"),
    )
    async with limited(lambda: "the result"):
        result = await call
    assert place.desk.text("a.py") == WANTED.replace("EIGHT\n", "line 8\n")
    [file] = result.files
    assert file.status == "applied"
    assert [line for line in file.diff.splitlines() if line.startswith(("+ONE", "+FIVE", "+EIGHT"))] == [
        "+ONE",
        "+FIVE",
    ]
    assert "+EIGHT" in file.file.rejected_diff
    assert "On this part of a.py (rejected):" in result.feedback
    assert "not eight" in result.feedback
    assert place.approver.taken_off == ["Change"], "the request leaves the screen"
    assert await place.set_is_empty()


async def test_the_first_written_part_of_a_call_has_the_id_of_the_proposed_change(place: Place) -> None:
    place.desk.write("a.py", TEN)
    call = await place.asked(await place.desk.plan("a.py", WANTED))
    [view] = await place.views()
    await place.decide(Decision(view.file.place, view.version, "accept"))
    result = await call
    [applied] = [event for event in place.desk.events if isinstance(event, ChangeApplied)]
    assert view.file.changes == (applied.change_id,) == (result.id,)
    assert await place.desk.undo() == {"a.py": "restored"}
    assert place.desk.text("a.py") == TEN


async def test_an_answer_to_the_request_decides_about_all_files_of_the_call(place: Place) -> None:
    place.desk.write("a.py", TEN)
    call = await place.asked(await place.desk.plan("a.py", WANTED), create(place.desk.path("new.py"), "new\n"))
    assert [view.name for view in await place.views()] == ["a.py", "new.py"]
    place.approver.answer("Change", ONCE)
    assert [file.status for file in (await call).files] == ["applied", "applied"]
    assert await place.set_is_empty()


async def test_a_rejection_of_every_file_in_the_set_is_a_rejection_of_the_call(place: Place) -> None:
    place.desk.write("a.py", TEN)
    call = await place.asked(await place.desk.plan("a.py", WANTED), create(place.desk.path("new.py"), "new\n"))
    for view in await place.views():
        await place.decide(Decision(view.file.place, view.version, "reject", comment="no more files"))
    with pytest.raises(Rejected) as raised:
        await call
    assert "no more files" in raised.value.feedback
    assert place.desk.text("a.py") == TEN
    assert len(await place.desk.journal.rejections(SESSION)) == 1


async def test_hunks_that_are_rejected_one_by_one_are_all_stored_with_the_change_of_the_call(place: Place) -> None:
    place.desk.write("a.py", TEN)
    call = await place.asked(await place.desk.plan("a.py", WANTED))
    for outcome in ("reject", "accept", "reject"):
        [view] = await place.views()
        hunk = frozenset((view.proposed.hunks[0].id,))
        await place.decide(Decision(view.file.place, view.version, outcome, hunk))
    change = (await call).id
    rejections = await place.desk.journal.rejections(SESSION)
    assert list(rejections) == [change]
    [part] = rejections[change].files
    assert not part.is_whole
    assert {line for hunk in part.hunks for line in hunk.new_lines} == {"ONE\n", "EIGHT\n"}
    assert len(part.hunks) == 2


async def test_a_decision_that_could_not_be_written_can_be_tried_again(place: Place) -> None:
    path = place.desk.write("a.py", TEN)
    call = await place.asked(await place.desk.plan("a.py", WANTED), create(place.desk.path("new/b.py"), "new\n"))
    (path.parent / "new").write_text("in the way")
    [edited, created] = await place.views()
    accepted = Decision(created.file.place, created.version, "accept")
    [outcome] = await place.decide(accepted)
    assert outcome.status == "failed"
    (path.parent / "new").unlink()
    [outcome] = await place.decide(accepted)
    assert (outcome.status, place.desk.text("new/b.py")) == ("written", "new\n")
    await place.decide(Decision(edited.file.place, edited.version, "reject"))
    assert sorted(file.status for file in (await call).files) == ["applied", "refused"]


async def test_an_answer_counts_after_a_decision_that_could_not_be_written(place: Place) -> None:
    path = place.desk.path("new/b.py")
    call = await place.asked(create(path, "new\n"))
    path.parent.write_text("in the way")
    [view] = await place.views()
    [outcome] = await place.decide(Decision(view.file.place, view.version, "accept"))
    assert outcome.status == "failed"
    path.parent.unlink()
    place.approver.answer("Change", ONCE)
    assert [file.status for file in (await call).files] == ["applied"]
    assert place.desk.text("new/b.py") == "new\n"


async def test_a_cancelled_call_leaves_nothing_in_the_set_and_writes_nothing_later(place: Place) -> None:
    place.desk.write("a.py", TEN)
    call = await place.asked(await place.desk.plan("a.py", WANTED))
    [view] = await place.views()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert await place.set_is_empty()
    [outcome] = await place.decide(Decision(view.file.place, view.version, "accept"))
    assert (outcome.status, place.desk.text("a.py")) == ("moved", TEN)


async def test_the_session_sees_nothing_of_a_change_that_waits(place: Place) -> None:
    path = place.desk.write("a.py", TEN)
    call = await place.asked(await place.desk.plan("a.py", WANTED))
    assert (await place.desk.changes.read(path)).text == TEN
    assert await place.desk.changes.staged() == []
    place.approver.answer("Change", REJECT)
    await asyncio.gather(call, return_exceptions=True)


async def test_a_second_call_about_a_file_is_asked_after_the_first_and_stands_on_its_text(place: Place) -> None:
    path = place.desk.write("a.py", TEN)
    first = await place.asked(await place.desk.plan("a.py", TEN.replace("line 1\n", "ONE\n")))
    second = asyncio.ensure_future(
        place.desk.turn("msg_other").propose(plan(PlannedFile("modify", path, TEN, TEN.replace("line 8\n", "EIGHT\n"))))
    )
    await asyncio.sleep(0)
    assert len(await place.views()) == 1
    place.approver.answer("Change", ONCE)
    await first
    async with limited(lambda: "the second question"):
        await place.approver.shown("Change")
    place.approver.answer("Change", ONCE)
    await second
    assert place.desk.text("a.py") == TEN.replace("line 1\n", "ONE\n").replace("line 8\n", "EIGHT\n")


async def test_what_the_user_types_between_two_decisions_is_kept_and_told(place: Place) -> None:
    path = place.desk.write("a.py", TEN)
    buffer = place.desk.editor.open_buffer(path)
    call = await place.asked(await place.desk.plan("a.py", WANTED))
    await place.accept(0)
    place.desk.editor.type(path, buffer.text.replace("line 3\n", "typed\n"))
    await place.accept()
    [file] = (await call).files
    assert buffer.text == WANTED.replace("line 3\n", "typed\n")
    assert "+typed" in file.file.merged_diff
    assert "typed" not in file.diff.replace(" typed", "")


async def test_comments_of_an_answer_reach_the_model(place: Place) -> None:
    path = place.desk.write("a.py", TEN)
    call = await place.asked(await place.desk.plan("a.py", WANTED))
    place.approver.answer("Change", answering(comments=(Comment(path, "well done", 1),)))
    assert "well done" in (await call).feedback
