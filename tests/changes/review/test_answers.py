"""Answers to a permission request about a change: what the model is told of the words, and what stands when the files
have changed meanwhile.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from changes_support.answers import Answer, Comment, answering
from changes_support.desk import Desk, create, plan
from corpus_support import corpus
from placet.changes.propose.report import metadata
from placet.changes.review.answers import answer_by_hunks, answer_of, decision_on
from placet.core.errors import EditConflict, Rejected
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.core.values import replace
from placet.text.plan import PlannedFile

TWO, WANTED = "a\nb\nc\n", "A\nb\nC\n"
TEN = "".join(f"line {number}\n" for number in range(10))
ONE_EIGHT = TEN.replace("line 1\n", "ONE\n").replace("line 8\n", "EIGHT\n")


async def feedback(desk: Desk, answer: Answer, *planned: PlannedFile) -> str:
    """Return the words that the model is told of the answer."""
    desk.approver.answers = [answer]
    try:
        return (await desk.changes.propose(plan(*planned))).feedback
    except Rejected as rejection:
        return rejection.feedback


def by_hunk(*decisions: tuple[int, str, str | None]) -> Callable[[PermissionRequest], PermissionAnswer]:
    """Return the answer about hunks of the first file: the id, the outcome, and the user's own lines or None."""

    def answer(request: PermissionRequest) -> PermissionAnswer:
        assert request.change is not None
        first, *others = request.change.files
        own = [
            replace(decision_on(first, "accept" if outcome == "accept" else "reject", frozenset((hunk,))), edited=text)
            for hunk, outcome, text in decisions
        ]
        return answer_of([*own, *(decision_on(file, "accept") for file in others)])

    return answer


# ---------------------------------------------------------------- words


@corpus(
    ("hunks", "edited", "outcome", "hunk", "told"),
    [
        (None, None, "once", 1, "accepted"),
        (None, None, "once", None, "accepted"),
        (None, None, "reject", 1, "rejected"),
        (None, None, "reject", None, "rejected"),
        ({1}, None, "once", 1, "accepted"),
        ({1}, None, "once", 2, "rejected"),
        ({1}, None, "once", None, "accepted in part"),
        (set(), None, "once", None, "rejected"),
        (None, "mine\n", "once", 2, "replaced by the user's own text"),
    ],
)
async def test_a_comment_tells_what_became_of_what_it_is_about(
    hunks: set[int] | None, edited: str | None, outcome: str, hunk: int | None, told: str, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    path = desk.write("a.py", TWO)
    answer = answering(
        None if hunks is None else {path: hunks},
        edited={} if edited is None else {path: edited},
        comments=[Comment(path, "hm", hunk)],
        outcome="reject" if outcome == "reject" else "once",
    )
    assert f"a.py ({told}):" in await feedback(desk, answer, await desk.plan("a.py", WANTED))


async def test_the_screen_has_each_word_with_what_it_is_about(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    path = desk.write("a.py", TWO)
    comments = [Comment(path, "louder", 2), Comment(path, "and a test")]
    desk.approver.answers = [answering(comments=comments, feedback="fine")]
    result = await desk.edit("a.py", WANTED)
    hunk = {"id": 2, "oldStart": 2, "oldLines": ["c\n"], "newStart": 2, "newLines": ["C\n"]}
    uri = path.as_uri()
    assert metadata(result)["said"] == [
        {"text": "fine"},
        {"text": "louder", "uri": uri, "hunk": hunk},
        {"text": "and a test", "uri": uri},
    ]
    assert result.feedback.startswith("fine\n"), "the words about the whole come first"


async def test_a_delete_and_an_empty_file_are_accepted_or_rejected_as_a_whole(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    path, empty = desk.write("a.py", "a\n"), desk.path("empty.py")
    said = [Comment(path, "keep it", 1), Comment(empty, "hm")]
    deletion = PlannedFile("delete", path, (await desk.plan("a.py", "")).base_text, None)
    told = await feedback(desk, answering({path: set(), empty: set()}, comments=said), deletion, create(empty, ""))
    assert "On this part of a.py (rejected):" in told
    assert "On the change of empty.py (accepted): hm" in told
    assert (desk.text("a.py"), desk.text("empty.py")) == ("a\n", "")
    empty.unlink()
    told = await feedback(desk, answering({}, comments=said), create(empty, ""))
    assert "On the change of empty.py (rejected): hm" in told


async def test_an_answer_that_accepts_nothing_is_a_rejection_and_all_accepted_needs_no_decisions(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path)
    path = desk.write("a.py", TWO)
    await feedback(desk, PermissionAnswer("once"), await desk.plan("a.py", WANTED))
    [request] = desk.approver.requests
    files = request.change.files
    assert answer_by_hunks(files, {}) == PermissionAnswer("reject")
    assert answer_by_hunks(files, {path: {1, 2, 9}}, "always", "project") == PermissionAnswer("always", "project")
    assert answer_of([]).outcome == "reject"


# ---------------------------------------------------------------- a second question


def makes_one(desk: Desk, text: str = TEN) -> Callable[[], None]:
    """Return the user who makes the first change of the proposal while the question is on the screen."""

    def meanwhile() -> None:
        desk.approver.meanwhile = lambda: None
        desk.write("a.py", text.replace("line 1\n", "ONE\n"))

    return meanwhile


async def test_a_text_of_the_users_own_is_not_asked_again_as_the_agents(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    path = desk.write("a.py", TEN)
    planned = await desk.plan("a.py", ONE_EIGHT)
    desk.approver.answers = [answering(edited={path: ONE_EIGHT.replace("EIGHT", "MINE")})]
    desk.approver.meanwhile = makes_one(desk)
    result = await desk.changes.propose(plan(planned))
    assert len(desk.approver.requests) == 1
    assert desk.text("a.py") == ONE_EIGHT.replace("EIGHT", "MINE")
    assert "-EIGHT\n+MINE" in result.files[0].file.edited_diff


async def test_lines_of_the_users_own_stand_where_another_hunk_is_gone(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a.py", TEN)
    planned = await desk.plan("a.py", ONE_EIGHT)
    desk.approver.answers = [by_hunk((1, "accept", None), (2, "accept", "MINE\n"))]
    desk.approver.meanwhile = makes_one(desk)
    result = await desk.changes.propose(plan(planned))
    assert len(desk.approver.requests) == 1
    assert desk.text("a.py") == ONE_EIGHT.replace("EIGHT", "MINE")
    assert "-EIGHT\n+MINE" in result.files[0].file.edited_diff


async def test_the_second_question_is_about_what_the_user_has_not_written_or_rejected(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a.py", TEN)
    planned = await desk.plan("a.py", ONE_EIGHT.replace("line 4\n", "FOUR\n").replace("line 6\n", "SIX\n"))
    desk.approver.answers = [by_hunk((2, "accept", "MY FOUR\n"), (3, "reject", None)), PermissionAnswer("once")]
    desk.approver.meanwhile = makes_one(desk)
    result = await desk.changes.propose(plan(planned))
    second = desk.approver.requests[1].change.files[0]
    assert [hunk.new_lines for hunk in second.hunks] == [("EIGHT\n",)]
    assert desk.text("a.py") == ONE_EIGHT.replace("line 4\n", "MY FOUR\n")
    assert "+SIX" in result.files[0].file.rejected_diff


async def test_a_text_of_the_users_own_that_no_longer_fits_is_asked_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    path = desk.write("a.py", TEN)
    planned = await desk.plan("a.py", ONE_EIGHT)
    desk.approver.answers = [answering(edited={path: ONE_EIGHT.replace("line 4", "MINE")})]
    desk.approver.meanwhile = makes_one(desk, TEN.replace("line 4", "typed since"))
    await desk.changes.propose(plan(planned))
    assert len(desk.approver.requests) == 2
    assert desk.text("a.py") == ONE_EIGHT.replace("line 4", "typed since")


async def test_a_grant_lets_nothing_pass_where_a_text_of_the_users_own_no_longer_fits(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    path, typed = desk.write("a.py", TEN), TEN.replace("line 4", "typed since")
    planned = await desk.plan("a.py", ONE_EIGHT)
    desk.approver.answers = [answering(edited={path: ONE_EIGHT.replace("line 4", "MINE")}, outcome="always")]
    desk.approver.meanwhile = makes_one(desk, typed)
    with pytest.raises(EditConflict, match="the text that the user has written instead no longer fits"):
        await desk.changes.propose(plan(planned))
    assert desk.text("a.py") == typed.replace("line 1\n", "ONE\n")


async def test_of_a_decision_about_hunks_of_a_list_that_has_changed_the_comment_stays(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a.py", TEN)

    def old(request: PermissionRequest) -> PermissionAnswer:
        decision = decision_on(request.change.files[0], "reject", frozenset((2,)), comment="why 8?")
        return PermissionAnswer("once", decisions=(replace(decision, version="old"),))

    desk.approver.answers = [old, PermissionAnswer("once")]
    result = await desk.changes.propose(plan(await desk.plan("a.py", ONE_EIGHT)))
    assert len(desk.approver.requests) == 2
    assert result.feedback == "On the change of a.py (undecided): why 8?"
    assert desk.text("a.py") == ONE_EIGHT


async def test_the_agents_text_is_asked_again_in_every_file_as_long_as_one_region_has_moved_on(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a.py", TEN)
    desk.write("b.py", "b\n")
    planned = plan(await desk.plan("a.py", ONE_EIGHT), await desk.plan("b.py", "B\n"))
    desk.approver.answers = [PermissionAnswer("once"), PermissionAnswer("reject")]
    desk.approver.meanwhile = makes_one(desk)
    with pytest.raises(Rejected):
        await desk.changes.propose(planned)
    assert [len(request.change.files) for request in desk.approver.requests] == [2, 2]
    assert desk.text("b.py") == "b\n"


async def test_of_two_equal_hunks_of_which_one_is_gone_no_decision_stands(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    text = f"same\n{TEN}same\n"
    desk.write("a.py", text)
    planned = await desk.plan("a.py", text.replace("same", "SAME"))
    desk.approver.answers = [by_hunk((1, "reject", None), (2, "accept", None)), PermissionAnswer("once")]
    desk.approver.meanwhile = lambda: desk.write("a.py", f"SAME\n{TEN}same\n") and None
    await desk.changes.propose(plan(planned))
    assert len(desk.approver.requests) == 2
    assert desk.text("a.py") == f"SAME\n{TEN}SAME\n"


async def test_a_comment_on_a_hunk_that_is_gone_is_told_as_a_comment_on_the_file(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    path = desk.write("a.py", TEN)
    planned = await desk.plan("a.py", ONE_EIGHT)
    desk.approver.answers = [answering(comments=[Comment(path, "why not 1?", 1)]), PermissionAnswer("once")]
    desk.approver.meanwhile = makes_one(desk)
    result = await desk.changes.propose(plan(planned))
    assert result.feedback == "On the change of a.py (undecided): why not 1?"
    assert [one["text"] for one in metadata(result)["said"]] == ["why not 1?"]


async def test_a_rejection_with_words_is_told_also_when_the_file_has_changed_meanwhile(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    path = desk.write("a.py", TEN)
    planned = await desk.plan("a.py", ONE_EIGHT)
    desk.approver.meanwhile = makes_one(desk)
    told = await feedback(desk, answering(outcome="reject", comments=[Comment(path, "use tabs", 2)]), planned)
    assert told.startswith("On this part of a.py (rejected):")
    assert told.endswith("use tabs")
    assert len(desk.approver.requests) == 1
