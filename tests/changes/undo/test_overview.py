from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from changes_support.answers import Comment, answering
from changes_support.approver import REJECT
from changes_support.desk import SESSION, Desk, create, plan
from corpus_support import examples
from placet.changes.undo import overview as overview_module
from placet.changes.undo.overview import hunks_and_counts, overview, proposed
from placet.core.errors import Rejected
from placet.core.events import ChangeApplied
from placet.core.hunks import Hunk
from placet.core.messages import JsonObject
from placet.core.ports import PermissionRequest
from placet.text.diff import apply_hunks, make_hunks

TEN = "".join(f"line {number}\n" for number in range(10))
THREE = TEN.replace("line 1", "ONE").replace("line 4", "FOUR").replace("line 8", "EIGHT")


def states(file: JsonObject) -> list[tuple[int, str, list[str]]]:
    return [(hunk["id"], hunk["state"], hunk["newLines"]) for hunk in file["hunks"]]


async def test_hunks_that_were_kept_and_dropped_stand_in_order_under_the_proposals_ids(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.approver.answers = [answering({path: frozenset({1, 3})})]
    await desk.edit("a.py", THREE)

    (change,) = await overview(desk.journal, SESSION, contents=True)

    (file,) = change["files"]
    assert states(file) == [(1, "kept", ["ONE\n"]), (2, "dropped", ["FOUR\n"]), (3, "kept", ["EIGHT\n"])]
    assert (file["state"], file["additions"], file["deletions"]) == ("kept", 2, 2)
    assert (file["oldText"], file["newText"]) == (TEN, THREE.replace("FOUR", "line 4"))
    (applied,) = (event for event in desk.events if isinstance(event, ChangeApplied))
    assert applied.refused is not None
    (refused,) = applied.refused
    assert (refused.uri, refused.whole) == (path.as_uri(), False)
    assert [(hunk.id, hunk.new_lines) for hunk in refused.hunks] == [(2, ("FOUR\n",))]
    await desk.undo()
    (change, undo) = await overview(desk.journal, SESSION)
    assert [state for _, state, _ in states(change["files"][0])] == ["reverted", "dropped", "reverted"]
    assert "oldText" not in change["files"][0]
    assert (undo["kind"], "hunks" in undo["files"][0]) == ("undo", False)


async def test_a_file_of_which_nothing_was_allowed_is_listed_beside_the_others(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    desk.approver.answers = [answering({path: frozenset({1})})]
    await desk.changes.propose(plan(await desk.plan("a.py", "b\n"), create(desk.path("b.py"), "new\n")))

    (change,) = await overview(desk.journal, SESSION)

    kept, dropped = change["files"]
    assert (kept["state"], dropped["state"], dropped["kind"]) == ("kept", "dropped", "create")
    assert states(dropped) == [(1, "dropped", ["new\n"])]
    (applied,) = (event for event in desk.events if isinstance(event, ChangeApplied))
    assert applied.refused is not None
    assert [(file.uri, file.whole) for file in applied.refused] == [(desk.path("b.py").as_uri(), True)]


async def test_a_change_that_was_refused_whole_is_listed_and_the_rejection_shows_it(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.approver.answers = [REJECT]
    with pytest.raises(Rejected) as caught:
        await desk.edit("a.py", THREE)

    (change,) = await overview(desk.journal, SESSION)

    assert (change["state"], change["turnId"], change["callId"]) == ("refused", "msg_turn", "call_1")
    assert [state for _, state, _ in states(change["files"][0])] == ["dropped"] * 3
    (file,) = caught.value.metadata["files"]
    assert caught.value.metadata["changeId"] == change["id"]
    assert (file["uri"], file["status"]) == (path.as_uri(), "refused")
    assert [hunk["newLines"] for hunk in file["refusedHunks"]] == [["ONE\n"], ["FOUR\n"], ["EIGHT\n"]]


async def test_a_refusal_by_file_of_everything_is_one_too(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    desk.approver.answers = [answering({}, comments=(Comment(path, "no"),))]
    with pytest.raises(Rejected):
        await desk.edit("a.py", "b\n")
    assert [one["state"] for one in await overview(desk.journal, SESSION)] == ["refused"]


async def test_a_proposal_that_the_user_edited_says_so(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    desk.approver.answers = [answering(edited={path: "mine\n"})]
    await desk.edit("a.py", "b\n")
    (change,) = await overview(desk.journal, SESSION)
    assert change["files"][0]["edited"]
    (applied,) = (event for event in desk.events if isinstance(event, ChangeApplied))
    assert applied.files[0].edited


async def test_what_is_too_much_is_left_out_of_the_oldest(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview_module, "MOST_CONTENT", 100)
    monkeypatch.setattr(overview_module, "MOST_COMPARED_CHARACTERS", 170)
    for name in ("a.py", "b.py", "c.py"):
        await desk.changes.propose(plan(create(desk.path(name), "x" * 80)))
    listed = [change["files"][0] for change in await overview(desk.journal, SESSION, contents=True)]
    assert ["oldText" in file for file in listed] == [False, False, True]
    assert ["hunks" in file for file in listed] == [False, True, True]
    assert [file["state"] for file in listed] == ["kept"] * 3


async def test_only_the_changes_that_were_asked_for_are_told(desk: Desk) -> None:
    first, second = [(await desk.changes.propose(plan(create(desk.path(name), "x")))).id for name in ("a", "b")]
    assert [one["id"] for one in await overview(desk.journal, SESSION, change_ids=[second])] == [second]
    assert [one["id"] for one in await overview(desk.journal, SESSION)] == [first, second]


async def test_what_waits_is_a_proposal_with_its_request(desk: Desk) -> None:
    desk.write("a.py", TEN)
    seen: list[PermissionRequest] = desk.approver.requests
    await desk.edit("a.py", THREE)
    (one,) = proposed(seen, SESSION, {"msg_turn_answer": "msg_turn"}, contents=True)
    assert (one["state"], one["requestId"], one["turnId"]) == ("proposed", seen[0].id, "msg_turn")
    assert [state for _, state, _ in states(one["files"][0])] == ["proposed"] * 3
    assert one["files"][0]["newText"] == THREE
    assert proposed(seen, SESSION, {}, change_ids=["chg_other"]) == []


@settings(max_examples=examples(100))
@given(
    st.lists(st.sampled_from(["a\n", "b\n", "c\n"]), max_size=8),
    st.lists(st.sampled_from(["a\n", "b\n", "d\n"]), max_size=8),
    st.data(),
)
def test_kept_and_dropped_hunks_together_are_the_proposal(old: list[str], new: list[str], data: st.DataObject) -> None:
    """Numbered by place, each has the id it had when the user was asked."""
    before, after = "".join(old), "".join(new)
    hunks = make_hunks(before, after)
    allowed = data.draw(st.sets(st.sampled_from([hunk.id for hunk in hunks]))) if hunks else set()
    kept = make_hunks(before, apply_hunks(before, hunks, allowed))
    dropped = [hunk for hunk in hunks if hunk.id not in allowed]

    told = hunks_and_counts(kept, "kept", dropped)["hunks"]

    assert all(one["oldStart"] <= other["oldStart"] for one, other in pairwise(told))
    assert len({one["id"] for one in told}) == len(told)
    assert {one["id"] for one in told if one["state"] == "dropped"} == {hunk.id for hunk in dropped}
    if len(kept) == len(allowed):  # Where the two ways to cut the text agree.
        assert [one["id"] for one in told if one["state"] == "kept"] == sorted(allowed)


def test_ids_stay_apart_when_the_user_was_asked_twice() -> None:
    dropped = [Hunk(1, 5, ("a\n",), 5, ()), Hunk(1, 2, ("b\n",), 2, ())]
    told = hunks_and_counts((Hunk(1, 9, ("c\n",), 7, ()),), "kept", dropped)["hunks"]
    assert [(one["id"], one["oldStart"]) for one in told] == [(2, 2), (1, 5), (3, 9)]


def test_a_hunk_is_told_as_it_was(tmp_path: Path) -> None:
    hunk = Hunk(4, 2, ("a\n",), 3, ("b\n", "c\n"))
    (told,) = hunks_and_counts((hunk,), "kept")["hunks"]
    assert told == {"id": 1, "oldStart": 2, "oldLines": ["a\n"], "newStart": 3, "newLines": ["b\n", "c\n"]} | {
        "state": "kept"
    }
