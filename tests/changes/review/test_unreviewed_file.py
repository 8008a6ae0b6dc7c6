"""Unreviewed files: changes are written and stack, the user types, keeps and undoes, and nothing is lost."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import examples
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.propose.proposal import propose
from placet.changes.review.news import news_of
from placet.changes.review.parts import DecidedPart, decided_part
from placet.changes.review.staged_file import StagedView, UndecidedFile, overlaid, stacked, view_of
from placet.changes.review.unreviewed_file import grown, on_document, unreviewed_view
from placet.changes.review.unreviewed_parts import decided_unreviewed_part
from placet.core.hunks import Decision
from placet.core.ports import Document
from placet.core.values import replace
from placet.text.plan import PlannedFile

PATH = Path("/project/a.txt")
OTHER = Path("/project/b.txt")
TEXT = "".join(f"line {number}\n" for number in range(12))
Outcome = Literal["accept", "reject"]


def place(turn: int = 1) -> tuple[TurnRef, ...]:
    return (TurnRef("ses", f"turn{turn}", f"msg{turn}"),)


def document(text: str, path: Path = PATH) -> Document:
    return Document(path, text, "disk")


def written(
    file: UndecidedFile | None, current: Document | None, planned: PlannedFile, turn: int = 1
) -> UndecidedFile | None:
    """Return the unreviewed file after a call has written the plan."""
    return grown(file, propose(planned, current, "a.txt"), place(turn), f"chg{turn}")


def modified(file: UndecidedFile | None, current: Document, text: str, turn: int = 1) -> UndecidedFile | None:
    return written(file, current, PlannedFile("modify", current.path, current.text, text), turn)


def view(file: UndecidedFile, current: Document | None) -> StagedView:
    return unreviewed_view(file, current, "a.txt", "")


def shown(file: UndecidedFile | None, current: Document | None) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    assert file is not None
    proposed = view(file, current).proposed
    assert proposed is not None
    return [(hunk.old_lines, hunk.new_lines) for hunk in proposed.hunks]


def decided(file: UndecidedFile, current: Document, outcome: Outcome, hunks: frozenset[int] | None) -> DecidedPart:
    seen = view(file, current)
    part = decided_unreviewed_part(seen, [Decision(PATH, seen.version, outcome, hunks)])
    assert part is not None
    return part


def carried_out(part: DecidedPart, current: Document) -> Document:
    """Return the document after the plans of the part."""
    for _, planned in part.plans:
        assert planned.base_text == current.text
        assert planned.new_text is not None
        current = replace(current, text=planned.new_text)
    return current


def test_the_hunks_show_what_was_written_on_the_present_text() -> None:
    text = TEXT.replace("line 1\n", "one\n")
    file = modified(None, document(TEXT), text)
    assert shown(file, document(text)) == [(("line 1\n",), ("one\n",))]
    assert shown(file, document(f"typed\n{text}")) == [(("line 1\n",), ("one\n",))]


def test_further_changes_stack_and_the_typing_between_belongs_to_neither_side() -> None:
    first = TEXT.replace("line 1\n", "one\n")
    file = modified(None, document(TEXT), first)
    typed = first.replace("line 4\n", "typed\n")
    second = typed.replace("line 9\n", "nine\n")
    file = modified(file, document(typed), second, turn=2)
    assert shown(file, document(second)) == [(("line 1\n",), ("one\n",)), (("line 9\n",), ("nine\n",))]
    assert file is not None
    assert [step.turn for step in file.steps] == [("ses", "turn1"), ("ses", "turn2")]
    assert file.changes == ("chg1", "chg2")
    current = on_document(file, document(f"mine\n{second}"))
    assert current is not None
    assert [step.text for step in current.steps] == [f"mine\n{typed}", f"mine\n{second}"]


def test_a_change_that_takes_back_the_earlier_change_leaves_nothing_to_review() -> None:
    file = modified(None, document(TEXT), "x\n")
    assert modified(file, document("x\n"), TEXT) is None


def test_lines_that_the_user_has_changed_since_are_the_users_own() -> None:
    text = TEXT.replace("line 1\n", "one\n").replace("line 9\n", "nine\n")
    file = modified(None, document(TEXT), text)
    assert shown(file, document(text.replace("one\n", "mine\n"))) == [(("line 9\n",), ("nine\n",))]


def test_a_file_whose_change_was_taken_back_by_the_user_is_done() -> None:
    file = modified(None, document(TEXT), "x\n")
    assert file is not None
    assert view(file, document(TEXT)).is_done
    assert view(file, None).is_done


def test_a_created_file_that_is_changed_renamed_and_deleted_follows_each_step() -> None:
    file = written(None, None, PlannedFile("create", PATH, None, "a\n"))
    file = modified(file, document("a\n"), "b\n")
    assert file is not None
    assert (file.kind, file.base_text, file.text) == ("create", None, "b\n")
    file = written(file, document("b\n"), PlannedFile("rename", PATH, "b\n", None, OTHER))
    assert file is not None
    assert (file.kind, file.place, file.base_text) == ("create", OTHER, None)
    assert written(file, document("b\n", OTHER), PlannedFile("delete", OTHER, "b\n", None)) is None


def test_a_changed_file_that_is_renamed_and_deleted_is_deleted_with_the_text_without_the_change() -> None:
    file = modified(None, document(TEXT), "x\n")
    file = written(file, document("x\n"), PlannedFile("rename", PATH, "x\n", None, OTHER))
    assert file is not None
    assert (file.kind, file.place, file.base_text) == ("rename", OTHER, TEXT)
    file = written(file, document("x\n", OTHER), PlannedFile("delete", OTHER, "x\n", None))
    assert file is not None
    assert (file.kind, file.place, file.base_text) == ("delete", PATH, TEXT)
    file = written(file, None, PlannedFile("create", PATH, None, "new\n"))
    assert file is not None
    assert (file.kind, file.base_text, file.text) == ("modify", TEXT, "new\n")


def test_a_deleted_file_that_the_user_has_made_again_is_the_users_own() -> None:
    file = written(None, document(TEXT), PlannedFile("delete", PATH, TEXT, None))
    assert file is not None
    assert not view(file, None).is_done
    assert view(file, document("mine\n")).is_done
    file = modified(file, document("mine\n"), "theirs\n")
    assert shown(file, document("theirs\n")) == [(("mine\n",), ("theirs\n",))]


@pytest.mark.parametrize(("kind", "hunks", "reverts"), [("create", (1,), True), ("rename", (1,), False)])
def test_the_journal_undoes_what_is_more_than_a_text(kind: str, hunks: tuple[int, ...], reverts: bool) -> None:
    if kind == "create":
        file, current = written(None, None, PlannedFile("create", PATH, None, "a\n")), document("a\n")
    else:
        file = written(None, document(TEXT), PlannedFile("rename", PATH, TEXT, "x\n", OTHER))
        current = document("x\n", OTHER)
    assert file is not None
    assert decided(file, current, "reject", None).reverts
    assert decided(file, current, "reject", frozenset(hunks)).reverts == reverts


def test_a_kept_hunk_keeps_the_rename_and_leaves_the_other_hunks() -> None:
    text = TEXT.replace("line 1\n", "one\n").replace("line 9\n", "nine\n")
    file = written(None, document(TEXT), PlannedFile("rename", PATH, TEXT, text, OTHER))
    assert file is not None
    rest = decided(file, document(text, OTHER), "accept", frozenset((1,))).rest
    assert rest is not None
    assert (rest.kind, rest.path, rest.new_path, rest.changes) == ("modify", OTHER, None, ())
    assert shown(rest, document(text, OTHER)) == [(("line 9\n",), ("nine\n",))]


@pytest.mark.parametrize("hunks", [None, frozenset((1,))])
def test_a_rename_whose_hunks_are_all_kept_leaves_nothing(hunks: frozenset[int] | None) -> None:
    text = TEXT.replace("line 1\n", "one\n")
    file = written(None, document(TEXT), PlannedFile("rename", PATH, TEXT, text, OTHER))
    assert file is not None
    part = decided(file, document(text, OTHER), "accept", hunks)
    assert (part.status, part.plans, part.rest) == ("kept", (), None)


def test_the_users_own_text_in_place_of_a_deletion_creates_the_file() -> None:
    file = written(None, document(TEXT), PlannedFile("delete", PATH, TEXT, None))
    assert file is not None
    seen = view(file, None)
    part = decided_unreviewed_part(seen, [Decision(PATH, seen.version, "accept", edited="mine\n")])
    assert part is not None
    ((_, planned),) = part.plans
    assert (planned.kind, planned.base_text, planned.new_text) == ("create", None, "mine\n")


def test_each_turn_undoes_its_own_share_newest_first() -> None:
    first = TEXT.replace("line 1\n", "one\n").replace("line 5\n", "five\n")
    second = first.replace("line 9\n", "nine\n")
    file = modified(modified(None, document(TEXT), first), document(first), second, turn=2)
    assert file is not None
    part = decided(file, document(second), "reject", frozenset((1, 3)))
    assert [(step.turn[1], planned.base_text, planned.new_text) for step, planned in part.plans] == [
        ("turn2", second, first),
        ("turn1", first, TEXT.replace("line 5\n", "five\n")),
    ]


def test_the_undone_hunk_of_an_early_turn_is_undone_in_this_turn_alone() -> None:
    first = TEXT.replace("line 1\n", "one\n")
    second = first.replace("line 9\n", "nine\n")
    file = modified(modified(None, document(TEXT), first), document(first), second, turn=2)
    assert file is not None
    part = decided(file, document(second), "reject", frozenset((1,)))
    assert [(step.turn[1], planned.base_text, planned.new_text) for step, planned in part.plans] == [
        ("turn1", second, TEXT.replace("line 9\n", "nine\n"))
    ]


def test_a_hunk_that_is_both_kept_and_undone_is_kept() -> None:
    text = TEXT.replace("line 1\n", "one\n")
    file = modified(None, document(TEXT), text)
    assert file is not None
    seen = view(file, document(text))
    part = decided_unreviewed_part(
        seen, [Decision(PATH, seen.version, "reject"), Decision(PATH, seen.version, "accept")]
    )
    assert part is not None
    assert (part.status, part.plans, part.rest) == ("kept", (), None)


def test_a_rejected_hunk_of_an_early_turn_does_not_come_back_in_the_share_of_the_turn() -> None:
    """A turn's share of an accepted text must not hold lines that the user rejected before."""
    first = TEXT.replace("line 1\n", "one\n").replace("line 5\n", "five\n")
    current = document(TEXT)
    file = stacked(None, None, propose(PlannedFile("modify", PATH, TEXT, first), current, "a.txt"), place(1))
    assert file is not None
    second = PlannedFile("modify", PATH, first, first.replace("line 9\n", "nine\n"))
    seen = overlaid(file, current, "a.txt")
    file = stacked(file, seen, propose(second, seen.document, "a.txt"), place(2))
    assert file is not None
    rejected = _staged_part(file, current, "reject", frozenset((1,))).rest
    assert rejected is not None
    accepted = _staged_part(rejected, current, "accept", None)
    assert all(planned.new_text is not None and "one\n" not in planned.new_text for _, planned in accepted.plans)


def test_typing_below_a_staged_file_is_in_no_turns_share() -> None:
    first, current = TEXT.replace("line 1\n", "one\n"), document(TEXT)
    file = stacked(None, None, propose(PlannedFile("modify", PATH, TEXT, first), current, "a.txt"), place(1))
    assert file is not None
    current = document(TEXT.replace("line 5\n", "typed\n"))
    seen = overlaid(file, current, "a.txt")
    assert seen.document is not None
    second = PlannedFile("modify", PATH, seen.text, seen.text.replace("line 9\n", "nine\n"))
    file = stacked(file, seen, propose(second, seen.document, "a.txt"), place(2))
    assert file is not None
    part = _staged_part(file, current, "accept", None)
    assert all(planned.new_text is not None and "typed\n" in planned.new_text for _, planned in part.plans)


def _staged_part(file: UndecidedFile, current: Document, outcome: Outcome, hunks: frozenset[int] | None) -> DecidedPart:
    seen = view_of(file, current, current, "a.txt", "")
    part = decided_part(seen, [Decision(PATH, seen.version, outcome, hunks)])
    assert part is not None
    return part


def test_the_account_of_very_many_undone_files_names_each_file_and_shows_the_first_lines() -> None:
    text = "".join(f"agent {number}\n" for number in range(100))
    file = modified(None, document(TEXT), text)
    assert file is not None
    news = news_of([decided(file, document(text), "reject", None)] * 100, {})
    assert news.count("a.txt: this part of the change is undone") == 100
    assert news.count("```diff") > 10
    assert news.count("left out") > 10
    assert len(news) < 60_000


LINES = st.lists(st.sampled_from([f"{word}\n" for word in "abcdefgh"]), max_size=3)


@st.composite
def edits(draw: st.DrawFn, text: str, mark: str) -> str:
    """Return the text with one run of lines replaced; new lines name who wrote them."""
    lines = text.splitlines(keepends=True)
    start = draw(st.integers(0, len(lines)))
    end = draw(st.integers(start, min(len(lines), start + 2)))
    new = [f"{mark}{line}" for line in draw(LINES)]
    return "".join([*lines[:start], *new, *lines[end:]])


def typed_lines(text: str) -> Counter[str]:
    return Counter(line for line in text.splitlines() if line.startswith("user"))


class Session:
    """Model of one file: the document, the unreviewed file and the staged file over it."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.current = document(TEXT)
        self.unreviewed: UndecidedFile | None = None
        self.staged: UndecidedFile | None = None
        self.is_pure = True
        """True until the user types, keeps or accepts: undoing all then gives the first text."""

    def act(self, act: str, turn: int) -> None:
        match act:
            case "edit" if self.staged is None:
                text = self.data.draw(edits(self.current.text, f"agent{turn} "))
                self.unreviewed = modified(self.unreviewed, self.current, text, turn // 2)
                self.current = replace(self.current, text=text)
            case "stage":
                self.stage(turn)
            case "type":
                self.current = replace(self.current, text=self.data.draw(edits(self.current.text, f"user{turn} ")))
                self.is_pure = False
            case "keep" | "undo" if self.unreviewed is not None:
                self.review(self.unreviewed, act)
            case "accept" | "reject" if self.staged is not None:
                self.decide(self.staged, act)
            case _:
                pass

    def stage(self, turn: int) -> None:
        seen = None if self.staged is None else overlaid(self.staged, self.current, "a.txt")
        base = self.current if seen is None else seen.document
        assert base is not None
        planned = PlannedFile("modify", PATH, base.text, self.data.draw(edits(base.text, f"agent{turn} ")))
        self.staged = stacked(self.staged, seen, propose(planned, base, "a.txt"), place(turn // 2))

    def review(self, file: UndecidedFile, act: str) -> None:
        before, seen = self.current, view(file, self.current)
        if seen.proposed is None:
            self.unreviewed = None
            return
        old_text, ids = seen.proposed.old_text, [hunk.id for hunk in seen.proposed.hunks]
        assert typed_lines(old_text) >= typed_lines(before.text)
        chosen = frozenset(self.data.draw(st.sets(st.sampled_from(ids)))) if ids else frozenset[int]()
        part = decided(file, before, "accept" if act == "keep" else "reject", chosen)
        assert all(typed_lines(planned.new_text or "") >= typed_lines(before.text) for _, planned in part.plans)
        self.current = carried_out(part, before)
        self.unreviewed = part.rest
        self.is_pure &= act != "keep" or not chosen
        assert typed_lines(self.current.text) >= typed_lines(before.text)
        if act == "keep":
            assert self.current == before
        elif chosen == frozenset(ids):
            assert self.current.text == old_text
        if len(chosen) == len(ids):
            assert part.rest is None
        else:
            assert part.rest is not None
            rest = on_document(part.rest, self.current)
            assert rest is not None
            assert act == "keep" or rest.base_text == old_text

    def decide(self, file: UndecidedFile, act: str) -> None:
        seen = view_of(file, self.current, self.current, "a.txt", "")
        if seen.proposed is None or not seen.proposed.hunks:
            self.staged = None
            return
        ids = [hunk.id for hunk in seen.proposed.hunks]
        chosen = frozenset(self.data.draw(st.sets(st.sampled_from(ids), min_size=1)))
        part = _staged_part(file, self.current, "accept" if act == "accept" else "reject", chosen)
        self.current = carried_out(part, self.current)
        self.staged = part.rest
        self.is_pure &= act != "accept"


@settings(max_examples=examples(2000), deadline=None)
@given(data=st.data())
def test_random_interleavings_of_both_kinds_lose_nothing(data: st.DataObject) -> None:
    """Only the user's own acts change the user's lines; undoing everything restores the first text."""
    session = Session(data)
    acts = st.sampled_from(["edit", "edit", "stage", "type", "keep", "undo", "accept", "reject"])
    for turn in range(data.draw(st.integers(1, 9))):
        session.act(data.draw(acts), turn)
    if session.unreviewed is not None and session.is_pure:
        part = decided(session.unreviewed, session.current, "reject", None)
        assert carried_out(part, session.current).text == TEXT
        assert all(planned.new_text == later.base_text for (_, planned), (_, later) in pairwise(part.plans))
