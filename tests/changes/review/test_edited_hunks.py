"""The user puts a text of their own in place of single hunks, and comments on hunks without a decision."""

from pathlib import Path
from typing import Literal

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
from placet.text.plan import PlannedFile

PATH = Path("/project/a.txt")
TEXT = "".join(f"line {number}\n" for number in range(9))
TWO = TEXT.replace("line 1\n", "one\n").replace("line 6\n", "six\n")


def document(text: str) -> Document:
    return Document(PATH, text, "disk")


def places(turn: int) -> tuple[TurnRef, ...]:
    return (TurnRef("ses", f"turn{turn}", f"msg{turn}"),)


def staged(*texts: str, first: str = TEXT) -> UndecidedFile | None:
    """Return the staged file after an edit to each text, each edit in a turn of its own."""
    file, current = None, document(first)
    for turn, text in enumerate(texts):
        seen = None if file is None else overlaid(file, current, "a.txt")
        base = current if seen is None or seen.document is None else seen.document
        file = stacked(file, seen, propose(PlannedFile("modify", PATH, base.text, text), base, "a.txt"), places(turn))
    return file


def unreviewed(*texts: str, first: str = TEXT) -> UndecidedFile | None:
    """Return the unreviewed file after a written edit to each text, each edit in a turn of its own."""
    file, current = None, document(first)
    for turn, text in enumerate(texts):
        planned = PlannedFile("modify", PATH, current.text, text)
        file, current = (
            grown(file, propose(planned, current, "a.txt"), places(turn), f"chg{turn}"),
            document(text),
        )
    return file


def staged_view(file: UndecidedFile | None, text: str = TEXT) -> StagedView:
    assert file is not None
    return view_of(file, document(text), document(text), "a.txt", "")


def view_of_unreviewed(file: UndecidedFile | None, text: str) -> StagedView:
    assert file is not None
    return unreviewed_view(file, document(text), "a.txt", "")


def hunks(view: StagedView) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    assert view.proposed is not None
    return [(hunk.old_lines, hunk.new_lines) for hunk in view.proposed.hunks]


def own(view: StagedView, hunk: int, text: str) -> Decision:
    return Decision(PATH, view.version, "accept", frozenset((hunk,)), text)


def written(part: DecidedPart | None, text: str) -> str:
    """Return the text after the plans of the part."""
    assert part is not None
    for _, planned in part.plans:
        assert planned.base_text == text
        assert planned.new_text is not None
        text = planned.new_text
    return text


def test_an_edited_hunk_of_a_staged_file_is_written_and_the_other_hunk_stays_staged() -> None:
    view = staged_view(staged(TWO))
    part = decided_part(view, [own(view, 1, "mine\nand more")])
    assert part is not None
    after = TEXT.replace("line 1\n", "mine\nand more\n")
    assert written(part, TEXT) == after
    assert part.status == "written"
    assert hunks(staged_view(part.rest, after)) == [(("line 6\n",), ("six\n",))]
    assert part.rest_unwritten == view.file
    news = news_of([part], {})
    assert "a part is accepted and written. The undecided rest is still staged." in news
    assert "-one\n+mine\n+and more" in news


def test_an_edited_hunk_of_an_unreviewed_file_replaces_its_lines_and_the_other_hunk_stays_unreviewed() -> None:
    view = view_of_unreviewed(unreviewed(TWO), TWO)
    part = decided_unreviewed_part(view, [own(view, 2, "mine\n")])
    assert part is not None
    after = TWO.replace("six\n", "mine\n")
    assert written(part, TWO) == after
    assert part.status == "kept"
    assert hunks(view_of_unreviewed(part.rest, after)) == [(("line 1\n",), ("one\n",))]
    assert part.rest_unwritten == view.file
    assert "another text in place:\n```diff" in news_of([part], {})
    assert "-six\n+mine" in news_of([part], {})


def test_the_text_of_a_hunk_in_the_middle_ends_its_line_and_of_the_last_hunk_ends_as_the_user_wrote() -> None:
    first = "a\nb\nc"
    view = staged_view(staged("A\nb\nC", first=first), first)
    part = decided_part(view, [own(view, 1, "one"), own(view, 2, "three")])
    assert written(part, first) == "one\nb\nthree"


def test_an_edited_hunk_of_a_deletion_keeps_the_file_with_the_text() -> None:
    file = stacked(None, None, propose(PlannedFile("delete", PATH, TEXT, None), document(TEXT), "a.txt"), places(1))
    view = staged_view(file)
    assert written(decided_part(view, [own(view, 1, "only this\n")]), TEXT) == "only this\n"


def test_a_hunk_that_the_user_edits_back_to_the_old_lines_writes_nothing() -> None:
    view = staged_view(staged(TWO))
    part = decided_part(view, [own(view, 1, "line 1\n")])
    assert part is not None
    assert (part.plans, part.status) == ((), "rejected")
    assert hunks(staged_view(part.rest)) == [(("line 6\n",), ("six\n",))]
    assert "-one\n+line 1" in news_of([part], {})


def test_a_comment_alone_decides_nothing_and_shows_the_model_its_lines() -> None:
    view = staged_view(staged(TWO))
    part = decided_part(view, [Decision(PATH, view.version, "comment", frozenset((2,)), comment="Why?")])
    assert part is not None
    assert (part.rest, part.plans, part.status) == (view.file, (), "commented")
    news = news_of([part], {})
    assert "the user has not decided yet, and the change is still staged" in news
    assert "On this part (undecided):\n```diff\n@@ -7,1 +7,1 @@\n-line 6\n+six\n```\n  The user said: Why?" in news
    view = view_of_unreviewed(unreviewed(TWO), TWO)
    part = decided_unreviewed_part(view, [Decision(PATH, view.version, "comment", comment="Why?")])
    assert part is not None
    assert (part.rest, part.plans, part.status) == (view.file, (), "commented")
    assert "the change stands.\n  The user said: Why?" in news_of([part], {})


def test_a_hunk_in_conflict_can_be_commented_on() -> None:
    typed = TEXT.replace("line 1\n", "typed\n")
    view = staged_view(staged(TWO), typed)
    assert view.hunks_in_conflict
    part = decided_part(view, [Decision(PATH, view.version, "comment", comment="Mine!")])
    assert part is not None
    assert part.status == "commented"


OWN = st.lists(st.sampled_from(["mine\n", "own\n", "line 4\n"]), max_size=2).map("".join)
Act = Literal["edit", "accept", "reject", "leave"]
ACTS: st.SearchStrategy[Act] = st.sampled_from(["edit", "edit", "accept", "reject", "leave"])


@st.composite
def agent_texts(draw: st.DrawFn) -> list[str]:
    texts, lines = [], TEXT.splitlines(keepends=True)
    for turn in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(lines)))
        end = draw(st.integers(start, min(len(lines), start + 2)))
        lines[start:end] = [f"agent{turn} {number}\n" for number in range(draw(st.integers(0, 2)))]
        texts.append("".join(lines))
    return texts


def drawn(data: st.DataObject, view: StagedView) -> tuple[list[Decision], dict[int, Act], dict[int, str]]:
    """Return decisions about the hunks of the view, with the act of each hunk and the user's texts."""
    assert view.proposed is not None
    decisions: list[Decision] = []
    acts: dict[int, Act] = {}
    texts: dict[int, str] = {}
    for hunk in view.proposed.hunks:
        acts[hunk.id] = act = data.draw(ACTS)
        if act == "edit":
            texts[hunk.id] = data.draw(OWN)
            decisions.append(own(view, hunk.id, texts[hunk.id]))
        elif act != "leave":
            outcome: Literal["accept", "reject"] = act
            decisions.append(Decision(PATH, view.version, outcome, frozenset((hunk.id,))))
    return decisions, acts, texts


def by_hand(view: StagedView, chosen: dict[int, Act], taken: set[Act], texts: dict[int, str]) -> str:
    """Return the old text with the hunks whose act is taken, and the user's texts in their places."""
    assert view.proposed is not None
    lines = view.proposed.old_text.splitlines(keepends=True)
    for hunk in reversed(view.proposed.hunks):
        if chosen[hunk.id] in taken:
            new = [texts[hunk.id]] if hunk.id in texts else list(hunk.new_lines)
            lines[hunk.old_start : hunk.old_start + len(hunk.old_lines)] = new
    return "".join(lines)


@settings(max_examples=examples(1000), deadline=None)
@given(texts=agent_texts(), data=st.data())
def test_any_decisions_and_texts_write_exactly_these_and_leave_exactly_the_rest(
    texts: list[str], data: st.DataObject
) -> None:
    file = staged(*texts)
    if file is not None:
        view = staged_view(file)
        decisions, acts, own_texts = drawn(data, view)
        if decisions and (part := decided_part(view, decisions)) is not None:
            after = by_hand(view, acts, {"edit", "accept"}, own_texts)
            assert written(part, TEXT) == after
            wanted = by_hand(view, acts, {"edit", "accept", "leave"}, own_texts)
            seen = after if part.rest is None else overlaid(part.rest, document(after), "a.txt").text
            assert seen == wanted
    file = unreviewed(*texts)
    if file is not None:
        view = view_of_unreviewed(file, texts[-1])
        decisions, acts, own_texts = drawn(data, view)
        if decisions and (part := decided_unreviewed_part(view, decisions)) is not None and not part.reverts:
            after = by_hand(view, acts, {"edit", "accept", "leave"}, own_texts)
            assert written(part, texts[-1]) == after
            rest = None if part.rest is None else on_document(part.rest, document(after))
            old_text = after if rest is None else rest.base_text
            assert old_text == by_hand(view, acts, {"edit", "accept"}, own_texts)
            turns = [step.turn for step, _ in part.plans]
            assert turns == sorted(set(turns), reverse=True)
