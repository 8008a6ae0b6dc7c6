"""The user types in lines of some staged hunks: these hunks alone are in conflict, and the others stay as they were."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import examples
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.propose.proposal import propose
from placet.changes.review.parts import DecidedPart, decided_part
from placet.changes.review.staged_file import StagedView, UndecidedFile, conflict_text, overlaid, stacked, view_of
from placet.core.hunks import Decision, Hunk
from placet.core.ports import Document
from placet.text.diff import apply_hunks
from placet.text.merge import has_marks, merge_hunks
from placet.text.plan import PlannedFile

PATH = Path("/project/a.txt")
TEXT = "".join(f"line {number}\n" for number in range(30))
SIX = "".join(f"new {number}\n" if number % 5 == 0 else f"line {number}\n" for number in range(30))
TYPED = TEXT.replace("line 10\n", "line 10 \n")


def document(text: str) -> Document:
    return Document(PATH, text, "disk")


def edited(file: UndecidedFile | None, text: str, current: str, turn: int = 1) -> UndecidedFile:
    """Return the file after a call that leaves the text, made on the text that the session sees."""
    seen = None if file is None else overlaid(file, document(current), "a.txt")
    on = document(current) if seen is None or seen.document is None else seen.document
    planned = PlannedFile("modify", PATH, on.text, text)
    places = (TurnRef("ses", f"turn{turn}", f"msg{turn}"),)
    file = stacked(file, seen, propose(planned, on, "a.txt"), places)
    assert file is not None
    return file


def view(file: UndecidedFile | None, text: str) -> StagedView:
    assert file is not None
    return view_of(file, document(text), document(text), "a.txt", "")


def hunks(shown: StagedView) -> tuple[Hunk, ...]:
    assert shown.proposed is not None
    return shown.proposed.hunks


def decided(shown: StagedView, *decisions: Decision) -> DecidedPart:
    part = decided_part(shown, decisions)
    assert part is not None
    return part


def accept(shown: StagedView, *ids: int, edited: str | None = None) -> Decision:
    return Decision(PATH, shown.version, "accept", frozenset(ids) if ids else None, edited)


def reject(shown: StagedView, *ids: int) -> Decision:
    return Decision(PATH, shown.version, "reject", frozenset(ids) if ids else None)


def written(part: DecidedPart, text: str) -> str:
    """Return the document's text after the part is written."""
    for _, planned in part.plans:
        assert planned.base_text == text
        text = planned.new_text or ""
    return text


def test_a_blank_typed_in_one_of_six_hunks_makes_this_hunk_alone_a_conflict() -> None:
    shown = view(edited(None, SIX, TEXT), TYPED)
    assert shown.conflict == ""
    assert [hunk.is_in_conflict for hunk in hunks(shown)] == [False, False, True, False, False, False]
    (meeting,) = shown.hunks_in_conflict
    assert (meeting.old_lines, meeting.base_lines, meeting.new_lines) == (
        ("line 10 \n",),
        ("line 10\n",),
        ("new 10\n",),
    )


def test_the_acceptance_of_the_file_writes_the_hunks_that_fit_and_leaves_the_conflict() -> None:
    shown = view(edited(None, SIX, TEXT), TYPED)
    part = decided(shown, accept(shown))
    assert part.status == "written"
    text = written(part, TYPED)
    assert text == SIX.replace("new 10\n", "line 10 \n")
    (left,) = hunks(view(part.rest, text))
    assert (left.old_lines, left.base_lines, left.new_lines) == (("line 10 \n",), ("line 10\n",), ("new 10\n",))


def test_a_file_with_nothing_but_conflicts_is_not_accepted_as_a_whole() -> None:
    shown = view(edited(None, TEXT.replace("line 10\n", "new 10\n"), TEXT), TYPED)
    assert decided_part(shown, [accept(shown)]) is None
    assert "same lines" in shown.reason_against


def test_the_typing_taken_back_makes_the_hunk_fit_again_also_after_decisions_and_further_edits() -> None:
    file = edited(None, SIX, TEXT)
    shown = view(file, TYPED)
    part = decided(shown, accept(shown, 1), reject(shown, 6))
    text = written(part, TYPED)
    assert part.rest is not None
    seen = overlaid(part.rest, document(text), "a.txt").text
    file = edited(part.rest, seen.replace("line 12\n", "another 12\n"), text, turn=2)
    assert [hunk.is_in_conflict for hunk in hunks(view(file, text))] == [False, True, False, False, False]
    back = text.replace("line 10 \n", "line 10\n")
    assert not view(file, back).hunks_in_conflict
    assert [hunk.new_lines for hunk in hunks(view(file, back))][1:3] == [("new 10\n",), ("another 12\n",)]


def test_a_conflict_is_settled_by_the_proposal_by_the_typing_or_by_a_text_of_the_users_own() -> None:
    shown = view(edited(None, SIX, TEXT), TYPED)
    taken = decided(shown, accept(shown, 3))
    kept = decided(shown, reject(shown, 3))
    own = decided(shown, accept(shown, 3, edited="both 10\n"))
    assert written(taken, TYPED) == TYPED.replace("line 10 \n", "new 10\n")
    assert (kept.plans, kept.status) == ((), "rejected")
    assert written(own, TYPED) == TYPED.replace("line 10 \n", "both 10\n")
    for part, text in ((taken, written(taken, TYPED)), (kept, TYPED), (own, written(own, TYPED))):
        assert not view(part.rest, text).hunks_in_conflict
        assert len(hunks(view(part.rest, text))) == 5


def test_a_text_with_conflict_markers_settles_nothing() -> None:
    shown = view(edited(None, SIX, TEXT), TYPED)
    text = conflict_text(shown)
    assert has_marks(text)
    assert "new 5\n" in text
    assert "<<<<<<< the file now\nline 10 \n||||||| before both changes\nline 10\n=======\nnew 10\n>>>>>>> " in text
    marks = text[text.index("<<<<") : text.index("line 11\n")]
    assert decided_part(shown, [accept(shown, 3, edited=marks)]) is None
    assert decided_part(shown, [Decision(PATH, shown.version, "accept", None, text)]) is None


def test_typing_beside_a_hunk_fits() -> None:
    shown = view(edited(None, SIX, TEXT), TEXT.replace("line 9\n", "nine\n").replace("line 11\n", "eleven\n"))
    assert not shown.hunks_in_conflict
    assert len(hunks(shown)) == 6


def test_a_renamed_file_has_conflicts_by_hunk() -> None:
    file = edited(None, SIX, TEXT)
    renamed = propose(PlannedFile("rename", PATH, SIX, None, PATH.with_name("b.txt")), document(SIX), "a.txt", "b.txt")
    file = stacked(file, overlaid(file, document(TEXT), "a.txt"), renamed, file.steps[0].places)
    assert file is not None
    shown = view_of(file, document(TYPED), None, "a.txt", "b.txt")
    assert len(shown.hunks_in_conflict) == 1
    part = decided(shown, accept(shown))
    assert part.rest is not None
    assert part.rest.kind == "modify"
    assert len(view(part.rest, SIX.replace("new 10\n", "line 10 \n")).hunks_in_conflict) == 1


LINES = st.lists(st.sampled_from([f"line {number}\n" for number in range(8)]), max_size=8)
OURS = st.lists(st.sampled_from([f"line {number}\n" for number in range(8)] + ["our\n"]), max_size=9)
THEIRS = st.lists(st.sampled_from([f"line {number}\n" for number in range(8)] + ["their\n"]), max_size=9)


@settings(max_examples=examples(500))
@given(LINES, THEIRS, OURS)
def test_hunks_stand_apart_in_order_and_conflicts_know_the_lines_before(
    base_lines: list[str], theirs_lines: list[str], ours_lines: list[str]
) -> None:
    base, theirs, ours = ("".join(lines) for lines in (base_lines, theirs_lines, ours_lines))
    found = merge_hunks(base, theirs, ours)
    at = -1
    for hunk in found:
        assert hunk.old_start > at
        assert tuple(theirs_lines[hunk.old_start : hunk.old_start + len(hunk.old_lines)]) == hunk.old_lines
        at = hunk.old_start + len(hunk.old_lines)
    everything = apply_hunks(theirs, found, {hunk.id for hunk in found})
    for hunk in found:
        lines = everything.splitlines(keepends=True)
        assert tuple(lines[hunk.new_start : hunk.new_start + len(hunk.new_lines)]) == hunk.new_lines
    assert everything.count("our\n") == ours.count("our\n")
    replaced = [line for hunk in found if hunk.is_in_conflict for line in hunk.old_lines]
    assert everything.count("their\n") + replaced.count("their\n") >= theirs.count("their\n")
    if theirs == base:
        assert (everything, any(hunk.is_in_conflict for hunk in found)) == (ours, False)


@settings(max_examples=examples(500))
@given(st.data())
def test_conflicts_left_behind_stay_the_same_conflicts_whatever_is_decided_about_the_others(
    data: st.DataObject,
) -> None:
    lines = TEXT.splitlines(keepends=True)[:12]
    ours, theirs = list(lines), list(lines)
    for number in data.draw(st.sets(st.integers(0, 11), max_size=6)):
        ours[number] = data.draw(st.sampled_from(["", f"our {number}\n", f"our {number}\nmore {number}\n"]))
    for number in data.draw(st.sets(st.integers(0, 11), max_size=6)):
        theirs[number] = data.draw(st.sampled_from(["", f"their {number}\n", f"their {number}\n{lines[number]}"]))
    base, text, wanted = "".join(lines), "".join(theirs), "".join(ours)
    if wanted == base:
        return
    file = edited(None, wanted, base)
    shown = view(file, text)
    ids = [hunk.id for hunk in hunks(shown)]
    taken = data.draw(st.sets(st.sampled_from(ids))) if ids else set[int]()
    refused = (data.draw(st.sets(st.sampled_from(ids))) if ids else set[int]()) - taken
    if not taken | refused:
        return
    choices = [accept(shown, *taken)] if taken else []
    part = decided(shown, *choices, *([reject(shown, *refused)] if refused else []))
    left = [hunk for hunk in hunks(shown) if hunk.id not in taken | refused]
    text = written(part, text)
    found = [] if part.rest is None else hunks(view(part.rest, text))
    assert [(hunk.old_lines, hunk.base_lines, hunk.new_lines) for hunk in found] == [
        (hunk.old_lines, hunk.base_lines, hunk.new_lines) for hunk in left
    ]
