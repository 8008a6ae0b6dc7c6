"""The window in which two texts differ: whole lines, and the same before and after."""

from hypothesis import given
from hypothesis import strategies as st

from placet.text.line_matching import gaps
from placet.text.lines import split_lines
from placet.text.window import window

TEXT = st.text(st.sampled_from("ab\n\r\u2028"), max_size=30)


@given(TEXT, TEXT, TEXT, TEXT, st.integers(0, 3))
def test_the_texts_are_the_same_before_and_after_it(before: str, own: str, other: str, after: str, around: int) -> None:
    old, new = before + own + after, before + other + after
    start, old_part, new_part = window(old, new, around=around)
    assert old[:start] == new[:start]
    assert old[:start] + old_part + new[start + len(new_part) :] == old
    assert new[:start] + new_part + old[start + len(old_part) :] == new
    assert not start or old[start - 1] == "\n"


@given(TEXT, TEXT, TEXT, TEXT)
def test_the_lines_in_it_differ_as_those_of_the_whole_texts_do(before: str, own: str, other: str, after: str) -> None:
    old, new = before + own + after, before + other + after
    start, old_part, new_part = window(old, new)
    skipped = len(split_lines(old[:start]))
    assert [tuple(at + skipped for at in gap) for gap in gaps(split_lines(old_part), split_lines(new_part))] == [
        tuple(gap) for gap in gaps(split_lines(old), split_lines(new))
    ]


def test_as_many_lines_around_as_asked_for_are_in_it() -> None:
    lines = [f"{number}\n" for number in range(20)]
    old, new = "".join(lines), "".join(lines).replace("9\n", "nine\n", 1)
    assert window(old, new, around=3).old.startswith("6\n")
    assert "12\n" in window(old, new, around=3).old
    assert len(window(old, new).old) < 10
