"""Staged files: calls stack, the user types meanwhile, parts are accepted and rejected, and nothing is lost."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import examples
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.propose.proposal import propose, with_text
from placet.changes.review.staged_file import (
    UndecidedFile,
    after_acceptance,
    after_rejection,
    base_of_rest,
    overlaid,
    proposal_of,
    shares,
    stacked,
)
from placet.core.errors import EditConflict
from placet.core.ports import Document
from placet.core.values import replace
from placet.text.diff import apply_hunks
from placet.text.plan import PlannedFile

PATH = Path("/project/a.txt")
OTHER = Path("/project/b.txt")
TEXT = "".join(f"line {number}\n" for number in range(12))


def place(turn: int = 1) -> tuple[TurnRef, ...]:
    return (TurnRef("ses", f"turn{turn}", f"msg{turn}"),)


def document(text: str, path: Path = PATH) -> Document:
    return Document(path, text, "disk")


def staged(
    file: UndecidedFile | None, current: Document | None, planned: PlannedFile, turn: int = 1
) -> UndecidedFile | None:
    """Return the file after a call with the plan, made on the text that the session sees."""
    seen = None if file is None else overlaid(file, current, "a.txt")
    return stacked(file, seen, propose(planned, current if seen is None else seen.document, "a.txt"), place(turn))


def modified(file: UndecidedFile | None, current: Document, text: str, turn: int = 1) -> UndecidedFile | None:
    seen = current.text if file is None else overlaid(file, current, "a.txt").text
    path = PATH if file is None else file.place
    return staged(file, current, PlannedFile("modify", path, seen, text), turn)


def renamed(file: UndecidedFile | None, current: Document, to: Path) -> UndecidedFile | None:
    seen = current.text if file is None else overlaid(file, current, "a.txt").text
    return staged(file, current, PlannedFile("rename", PATH if file is None else file.place, seen, None, to))


def created(text: str) -> UndecidedFile | None:
    return staged(None, None, PlannedFile("create", PATH, None, text))


def deleted(file: UndecidedFile | None, current: Document | None) -> UndecidedFile | None:
    base = overlaid(file, current, "a.txt").text if file is not None else TEXT
    return staged(file, current, PlannedFile("delete", PATH if file is None else file.place, base, None))


def test_edits_of_one_file_stack() -> None:
    current = document(TEXT)
    file = modified(modified(None, current, TEXT.replace("line 1\n", "one\n")), current, "zero\n", turn=2)
    assert file is not None
    assert (file.kind, file.base_text, file.text) == ("modify", TEXT, "zero\n")
    assert [step.turn for step in file.steps] == [("ses", "turn1"), ("ses", "turn2")]


def test_an_edit_that_takes_back_the_staged_change_leaves_nothing() -> None:
    current = document(TEXT)
    assert modified(modified(None, current, "x\n"), current, TEXT) is None


def test_a_created_file_that_is_changed_is_still_created() -> None:
    file = created("a\n")
    assert file is not None
    file = staged(file, None, PlannedFile("modify", PATH, "a\n", "b\n"))
    assert file is not None
    assert (file.kind, file.base_text, file.text) == ("create", None, "b\n")


def test_a_created_file_that_is_renamed_is_created_there() -> None:
    file = created("a\n")
    assert file is not None
    file = staged(file, None, PlannedFile("rename", PATH, "a\n", None, OTHER))
    assert file is not None
    assert (file.kind, file.path, file.new_path, file.text) == ("create", OTHER, None, "a\n")


def test_a_created_file_that_is_deleted_leaves_nothing() -> None:
    assert deleted(created("a\n"), None) is None


def test_a_deleted_file_that_is_created_is_changed() -> None:
    current = document(TEXT)
    file = deleted(None, current)
    assert file is not None
    file = staged(file, current, PlannedFile("create", PATH, None, "new\n"))
    assert file is not None
    assert (file.kind, file.base_text, file.text) == ("modify", TEXT, "new\n")


def test_a_changed_file_that_is_deleted_is_deleted() -> None:
    current = document(TEXT)
    file = deleted(modified(None, current, "x\n"), current)
    assert file is not None
    assert (file.kind, file.base_text, file.text) == ("delete", TEXT, "")
    assert overlaid(file, current, "a.txt").document is None


def test_a_renamed_file_is_changed_and_renamed_on_and_back() -> None:
    current = document(TEXT)
    file = renamed(None, current, OTHER)
    file = modified(file, current, "x\n")
    assert file is not None
    assert (file.kind, file.path, file.place, file.text) == ("rename", PATH, OTHER, "x\n")
    file = renamed(file, current, PATH)
    assert file is not None
    assert (file.kind, file.place, file.new_path, file.text) == ("modify", PATH, None, "x\n")
    assert modified(file, current, TEXT) is None


def test_a_renamed_file_that_is_deleted_is_deleted_at_its_own_path() -> None:
    current = document(TEXT)
    file = deleted(renamed(None, current, OTHER), current)
    assert file is not None
    assert (file.kind, file.path, file.new_path) == ("delete", PATH, None)


def test_the_session_sees_the_typing_of_the_user_below_the_staged_change() -> None:
    file = modified(None, document(TEXT), TEXT.replace("line 1\n", "one\n"))
    assert file is not None
    seen = overlaid(file, document(TEXT + "typed\n"), "a.txt")
    assert seen.text == TEXT.replace("line 1\n", "one\n") + "typed\n"
    assert seen.document is not None
    assert seen.document.dirty


def test_of_lines_that_both_have_changed_the_session_sees_its_own_and_elsewhere_what_the_user_typed() -> None:
    file = modified(None, document(TEXT), TEXT.replace("line 1\n", "one\n"))
    assert file is not None
    current = document(TEXT.replace("line 1\n", "uno\n") + "typed\n")
    seen = overlaid(file, current, "a.txt")
    assert (seen.conflict, seen.text) == ("", file.text + "typed\n")


def test_a_deleted_file_in_which_the_user_types_is_in_conflict_as_a_whole() -> None:
    file = deleted(None, document(TEXT))
    assert file is not None
    with pytest.raises(EditConflict):
        proposal_of(file, document(TEXT + "typed\n"), "a.txt")


def test_a_file_that_the_user_makes_meanwhile_is_a_conflict() -> None:
    file = created("a\n")
    assert file is not None
    assert "exists already" in overlaid(file, document("other\n"), "a.txt").conflict


def test_line_endings_are_those_of_the_file() -> None:
    current = document("a\r\nb\r\n")
    file = modified(None, current, "a\nc\n")
    assert file is not None
    seen = overlaid(file, current, "a.txt").document
    assert seen is not None
    assert seen.text == "a\r\nc\r\n"


def test_a_new_file_keeps_its_line_ending_and_bom() -> None:
    file = created("\ufeffa\r\nb\r\n")
    assert file is not None
    seen = overlaid(file, None, "a.txt").document
    assert seen is not None
    assert (seen.text, seen.bom) == ("a\r\nb\r\n", True)


def decided(
    file: UndecidedFile, current: Document, accepted: frozenset[int], rejected: frozenset[int]
) -> tuple[UndecidedFile | None, str]:
    """Return the rest of the file, and the text of the document afterwards."""
    proposed = proposal_of(file, current, "a.txt")
    kept = apply_hunks(proposed.old_text, proposed.hunks, {hunk.id for hunk in proposed.hunks} - rejected)
    rest = after_rejection(file, proposed, kept, base_of_rest(proposed, (), rejected)) if rejected else file
    if rest is None or not accepted:
        return rest, current.text
    written = with_text(proposed, apply_hunks(proposed.old_text, proposed.hunks, accepted))
    return after_acceptance(rest, written, kept, base_of_rest(proposed, accepted, rejected)), written.new_text


def test_accepting_seven_of_ten_hunks_and_rejecting_one_leaves_two() -> None:
    base = "".join(f"line {number}\n" for number in range(40))
    wanted = "".join(f"new {number}\n" if number % 4 == 0 else f"line {number}\n" for number in range(40))
    current = document(base)
    file = modified(None, current, wanted)
    assert file is not None
    rest, text = decided(file, current, frozenset(range(1, 8)), frozenset((8,)))
    assert rest is not None
    assert [line for line in text.split("\n") if line.startswith("new")] == [f"new {n}" for n in range(0, 28, 4)]
    assert [hunk.new_lines for hunk in proposal_of(rest, document(text), "a.txt").hunks] == [
        ("new 32\n",),
        ("new 36\n",),
    ]


def test_a_rejected_rename_leaves_nothing_and_an_accepted_rename_leaves_the_undecided_hunks() -> None:
    current = document(TEXT)
    file = modified(renamed(None, current, OTHER), current, TEXT.replace("line 1\n", "one\n"))
    assert file is not None
    proposed = proposal_of(file, current, "a.txt")
    rest = after_acceptance(file, with_text(proposed, TEXT), proposed.new_text, TEXT)
    assert rest is not None
    assert (rest.kind, rest.path, rest.new_path) == ("modify", OTHER, None)
    assert proposal_of(rest, document(TEXT, OTHER), "b.txt").hunks == proposed.hunks


def test_each_turn_has_its_share_of_an_accepted_text() -> None:
    current = document(TEXT)
    file = modified(None, current, TEXT.replace("line 1\n", "one\n"))
    file = modified(file, current, TEXT.replace("line 1\n", "one\n").replace("line 9\n", "nine\n"), turn=2)
    assert file is not None
    assert [(step.places, before, after) for step, before, after in shares(file, TEXT, file.text)] == [
        (place(1), TEXT, file.steps[0].text),
        (place(2), file.steps[0].text, file.text),
    ]


def test_a_turn_whose_part_was_not_accepted_has_no_share() -> None:
    current = document(TEXT)
    file = modified(None, current, TEXT.replace("line 1\n", "one\n"))
    file = modified(file, current, TEXT.replace("line 1\n", "one\n").replace("line 9\n", "nine\n"), turn=2)
    assert file is not None
    written = TEXT.replace("line 9\n", "nine\n")
    assert [(step.places, before, after) for step, before, after in shares(file, TEXT, written)] == [
        (place(2), TEXT, written)
    ]


LINES = st.lists(st.sampled_from([f"{word}\n" for word in "abcdefgh"]), max_size=3)


@st.composite
def edits(draw: st.DrawFn, text: str, mark: str) -> str:
    """Return the text with one run of lines replaced; new lines name who wrote them."""
    lines = text.splitlines(keepends=True)
    start = draw(st.integers(0, len(lines)))
    end = draw(st.integers(start, min(len(lines), start + 2)))
    new = [f"{mark}{line}" for line in draw(LINES)]
    return "".join([*lines[:start], *new, *lines[end:]])


@settings(max_examples=examples(2000), deadline=None)
@given(data=st.data())
def test_random_interleavings_lose_nothing(data: st.DataObject) -> None:
    """What is on the disk is only ever the user's own typing and what was accepted, and accepting all gives the text
    that the session sees.
    """
    current, file = document(TEXT), None
    for number in range(data.draw(st.integers(1, 8))):
        match data.draw(st.sampled_from(["edit", "type", "accept", "reject", "accept all"])):
            case "edit":
                seen = current.text if file is None else overlaid(file, current, "a.txt").text
                file = modified(file, current, data.draw(edits(seen, f"agent{number} ")), turn=number)
            case "type":
                before = file and overlaid(file, current, "a.txt")
                typed = data.draw(edits(current.text, f"user{number} "))
                current = replace(current, text=typed)
                after = file and overlaid(file, current, "a.txt")
                if file and before and after and not after.conflict:
                    meeting = [hunk for hunk in proposal_of(file, current, "a.txt").hunks if hunk.is_in_conflict]
                    replaced = [line.rstrip("\n") for hunk in meeting for line in hunk.old_lines]
                    typed_lines = [line for line in typed.splitlines() if f"user{number} " in line]
                    assert Counter(typed_lines) <= Counter([*after.text.splitlines(), *replaced])
            case decision if file is not None and not overlaid(file, current, "a.txt").conflict:
                ids = [hunk.id for hunk in proposal_of(file, current, "a.txt").hunks]
                seen = overlaid(file, current, "a.txt").text
                if not ids:
                    assert seen == current.text
                    continue
                chosen = frozenset(ids if decision == "accept all" else data.draw(st.sets(st.sampled_from(ids))))
                is_reject = decision == "reject"
                others = [] if is_reject else sorted(set(ids) - chosen)
                refused = (
                    chosen if is_reject else frozenset(data.draw(st.sets(st.sampled_from(others))) if others else ())
                )
                taken = frozenset() if is_reject else chosen
                old = current.text
                rest, text = decided(file, current, taken, refused)
                assert "".join(text for _, _, text in list(shares(file, old, text))[-1:]) == text
                current, file = replace(current, text=text), rest
                if refused and not taken:
                    assert text == old
                if not taken | refused:
                    assert rest == file
                if {*taken, *refused} == set(ids):
                    assert file is None
                else:
                    assert file is not None
                    left = proposal_of(file, current, "a.txt").hunks
                    assert len(left) >= 1
                if decision == "accept all":
                    assert text == seen
            case _:
                pass


@settings(max_examples=examples(500), deadline=None)
@given(data=st.data())
def test_shares_follow_one_another_from_the_text_before_to_the_text_after(data: st.DataObject) -> None:
    current, file = document(TEXT), None
    for number in range(data.draw(st.integers(1, 5))):
        seen = TEXT if file is None else file.text
        file = modified(file, current, data.draw(edits(seen, f"agent{number} ")), turn=number // 2)
    if file is None:
        return
    hunks = proposal_of(file, current, "a.txt").hunks
    ids = data.draw(st.sets(st.sampled_from([hunk.id for hunk in hunks])))
    after = apply_hunks(TEXT, hunks, ids)
    found = list(shares(file, TEXT, after))
    assert found[0][1] == TEXT
    assert found[-1][2] == after
    assert all(one[2] == next_one[1] for one, next_one in pairwise(found))
    turns = [step.turn for step, _, _ in found]
    assert turns == sorted(set(turns))
