"""A change is taken out of a text that has been edited since, and the later edits stay."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import examples
from placet.text.lines import split_lines
from placet.text.without_change import without_change

BASE = "a\nb\nc\nd\ne\n"
LINES = st.lists(st.sampled_from("abcd"), max_size=8)
TEXTS = st.tuples(LINES, st.booleans()).map(lambda drawn: "\n".join(drawn[0]) + "\n" * drawn[1])


def test_the_change_goes_and_a_later_edit_elsewhere_stays() -> None:
    assert without_change("a\nB\nc\nd\ntyped\n", "a\nB\nc\nd\ne\n", BASE) == "a\nb\nc\nd\ntyped\n"


def test_a_later_edit_beside_the_change_stays() -> None:
    assert without_change("a\nB\ntyped\nc\nd\ne\n", "a\nB\nc\nd\ne\n", BASE) == "a\nb\ntyped\nc\nd\ne\n"


def test_replaced_lines_do_not_come_back_where_a_later_edit_stands() -> None:
    assert without_change("a\ntyped\nc\nd\ne\n", "a\nB\nc\nd\ne\n", BASE) == "a\ntyped\nc\nd\ne\n"


def test_of_added_lines_the_later_edited_lines_stay() -> None:
    changed = "a\nnew 1\nnew 2\nnew 3\nb\nc\nd\ne\n"
    assert without_change(changed.replace("new 2", "mine"), changed, BASE) == "a\nmine\nb\nc\nd\ne\n"


def test_removed_lines_come_back_beside_a_line_that_was_typed_in_their_place() -> None:
    assert without_change("a\ntyped\nd\ne\n", "a\nd\ne\n", BASE) == "a\nb\nc\ntyped\nd\ne\n"


def test_a_last_line_without_its_end_is_not_glued_to_the_next() -> None:
    assert without_change("typed\n", "", "b") == "b\ntyped\n"


@settings(max_examples=examples(400))
@given(TEXTS, TEXTS, TEXTS)
def test_without_later_edits_the_base_comes_back_and_nothing_is_taken_out_twice(
    changed: str, base: str, present: str
) -> None:
    assert without_change(changed, changed, base) == base
    assert without_change(base, changed, base) == base
    assert without_change(present, changed, changed) == present


@settings(max_examples=examples(400))
@given(TEXTS, TEXTS, st.integers(0, 8), LINES)
def test_every_line_that_was_typed_since_stays(changed: str, base: str, place: int, typed: list[str]) -> None:
    lines = split_lines(changed)
    own = [f"typed {line}\n" for line in typed]
    if place > 0 and place >= len(lines) and changed and not changed.endswith("\n"):
        return
    present = "".join([*lines[:place], *own, *lines[place:]])
    left = split_lines(without_change(present, changed, base))
    assert Counter(line for line in left if line.startswith("typed ")) == Counter(own)
