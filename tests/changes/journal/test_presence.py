from hypothesis import assume, given, settings
from hypothesis import strategies as st

from corpus_support import examples
from placet.changes.journal.presence import presence, without
from placet.text.lines import to_lf

TEN = "".join(f"line {number}\n" for number in range(10))
AFTER = TEN.replace("line 8", "EIGHT")

texts = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=6).map(lambda lines: "".join(f"{it}\n" for it in lines))


@settings(max_examples=examples(100))
@given(texts, texts)
def test_the_two_texts_of_a_change_are_told_apart(before: str, after: str) -> None:
    assume(before != after)
    assert presence(before, after, after) == "after"
    assert presence(before, after, before) == "before"


@settings(max_examples=examples(100))
@given(texts, texts, st.sampled_from(["\n", "\r\n"]))
def test_a_change_taken_out_of_its_own_result_leaves_what_was_before(before: str, after: str, ending: str) -> None:
    before, after = before.replace("\n", ending), after.replace("\n", ending)
    assert without(before, after, after) == before
    assert to_lf(without(before, after, before)) == to_lf(before)


def test_typing_elsewhere_hides_neither_the_change_nor_its_absence() -> None:
    assert presence(TEN, AFTER, "typed\n" + AFTER) == "after"
    assert presence(TEN, AFTER, "typed\n" + TEN) == "before"


def test_half_a_change_and_a_double_one_are_mixed() -> None:
    both = AFTER.replace("line 1", "ONE")
    assert presence(TEN, both, AFTER) == "mixed"
    inserted = TEN.replace("line 4\n", "line 4\nnew\n")
    assert presence(TEN, inserted, inserted.replace("new\n", "new\nnew\n")) == "mixed"


def test_a_missing_file_is_the_side_that_has_none() -> None:
    assert presence(None, "a\n", None) == "before"
    assert presence(None, "a\n", "a\n") == "after"
    assert presence("a\n", None, None) == "after"
    assert presence("a\n", "b\n", None) == "mixed"
    assert presence(None, "a\n", "b\n") == "mixed"


def test_line_endings_do_not_count() -> None:
    assert presence(TEN, AFTER, AFTER.replace("\n", "\r\n")) == "after"
