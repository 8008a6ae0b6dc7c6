import re

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.text.lines import dominant_line_ending, line_ending, restore_line_endings, split_lines, to_lf

RAGGED = st.text(alphabet="ab \r\n\x0b\x0c\x1c\x85\u2028\u2029é😀", max_size=40)
LF_ONLY = st.text(alphabet="ab \n\x0c\u2028é", max_size=40)


@given(RAGGED)
def test_lines_are_ended_by_crlf_lf_and_cr_and_nothing_else(text: str) -> None:
    assert split_lines(text) == re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text)


@given(RAGGED)
def test_joined_lines_are_the_text(text: str) -> None:
    assert "".join(split_lines(text)) == text


@corpus(
    ("text", "ending"),
    [("", "\n"), ("a", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\nb\r\n", "\n"), ("a\rb\rc\n", "\r"), ("a\r\n", "\r\n")],
)
def test_the_dominant_line_ending_is_the_most_frequent(text: str, ending: str) -> None:
    assert dominant_line_ending(text) == ending


@given(RAGGED, LF_ONLY)
def test_restored_line_endings_never_change_the_text_in_lf(base: str, new: str) -> None:
    assert to_lf(restore_line_endings(base, new)) == new


@given(RAGGED)
def test_an_unchanged_text_gets_its_own_line_endings_back(base: str) -> None:
    assert restore_line_endings(base, to_lf(base)) == base


def test_unchanged_lines_keep_their_own_ends_and_new_ones_take_the_dominant() -> None:
    base = "one\r\ntwo\nthree\r\nfour\r\n"

    assert restore_line_endings(base, "one\ntwo\nnew\nthree\n4\n") == "one\r\ntwo\nnew\r\nthree\r\n4\r\n"


def test_a_line_added_behind_an_unended_last_line_leaves_no_lone_lf() -> None:
    assert restore_line_endings("one\r\ntwo", "one\ntwo\nthree") == "one\r\ntwo\r\nthree"


def test_a_lone_cr_and_an_lf_that_come_together_do_not_become_one_line_end() -> None:
    assert restore_line_endings("a\rx\n\n", "a\n\n") == "a\r\r"


def test_crlf_in_the_new_text_is_read_as_lf() -> None:
    assert restore_line_endings("a\nb\n", "a\r\nc\r\n") == "a\nc\n"


ENDED = st.tuples(st.text("ab", max_size=3), st.sampled_from(["\n", "\r\n", "\r"]))


@given(st.lists(ENDED, max_size=12), st.data())
def test_an_edit_leaves_every_line_that_it_does_not_touch_byte_for_byte(ended: list, data: st.DataObject) -> None:
    lines = [f"{number}{content}{end}" for number, (content, end) in enumerate(ended)]
    start = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    new = [f"new {number}\n" for number in range(data.draw(st.integers(0, 4)))]

    result = restore_line_endings("".join(lines), to_lf("".join([*lines[:start], *new, *lines[end:]])))

    restored = split_lines(result)
    assert restored[:start] == lines[:start]
    assert restored[start + len(new) :] == lines[end:]
    replaced = [line_ending(line) for line in lines[start:end]]
    changed = [line_ending(line) for line in restored[start : start + len(new)]]
    assert changed[: len(replaced)] == replaced[: len(changed)]


def test_a_changed_line_keeps_the_end_it_had() -> None:
    base = "one\r\ntwo\nthree\r\nfour\r\n"

    assert restore_line_endings(base, "one\nTWO\nthree\nfour\n") == "one\r\nTWO\nthree\r\nfour\r\n"


def test_a_carriage_return_before_a_line_end_outlives_an_edit_beside_it() -> None:
    base = "one\r\r\ntwo\r\r\nthree\r\r\n"

    assert restore_line_endings(base, to_lf(base.replace("two", "2"))) == base.replace("two", "2")


def test_lines_that_come_back_end_as_they_did() -> None:
    base, earlier = "one\nthree\n", "one\ntwo\r\nthree\n"

    assert restore_line_endings(base, "one\ntwo\nthree\n", earlier) == earlier
