"""What an edit did to diagnostics, whatever it moved."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from placet.core.ports import Diagnostic
from placet.languages.diagnostics_diff import difference


def error(line: int, message: str = "bad", *, column: int = 0, source: str = "pyright", code: str = "E1") -> Diagnostic:
    return Diagnostic(Path("a.py"), line, column, line, column + 1, 1, message, source, code)


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_an_error_that_the_edit_pushed_down_is_neither_new_nor_gone() -> None:
    effect = difference([error(1)], [error(3)], text("a", "b"), text("x", "y", "a", "b"))
    assert (effect.new, effect.gone, effect.kept) == ((), (), 1)


def test_one_is_new_and_one_is_gone_among_ten_below_the_edit() -> None:
    old = [f"line {number}" for number in range(20)]
    new = ["line 0", "mended", "broken", "more", *old[3:]]
    below = range(8, 18)
    before = [error(1, "to be mended"), *(error(line) for line in below)]
    after = [error(2, "brought in"), *(error(line + 1) for line in below)]
    effect = difference(before, after, text(*old), text(*new))
    assert [diagnostic.message for diagnostic in effect.new] == ["brought in"]
    assert [diagnostic.message for diagnostic in effect.gone] == ["to be mended"]
    assert effect.kept == 10


def test_an_error_on_a_line_that_was_rewritten_and_still_has_it_is_the_same() -> None:
    effect = difference(
        [error(1, column=4)], [error(1, column=8)], text("a", "    b", "c"), text("a", "        b", "c")
    )
    assert (effect.new, effect.gone) == ((), ())


def test_an_error_on_a_line_that_was_moved_elsewhere_is_the_same() -> None:
    effect = difference([error(0)], [error(4)], text("bad()", "a", "b", "c", "d"), text("a", "b", "c", "d", "bad()"))
    assert (effect.new, effect.gone) == ((), ())


def test_one_more_of_the_same_error_is_one_new() -> None:
    effect = difference([error(0), error(1)], [error(0), error(1), error(2)], text("a", "a"), text("a", "a", "a"))
    assert [diagnostic.line for diagnostic in effect.new] == [2]
    assert effect.gone == ()


def test_another_message_source_or_code_is_another_error() -> None:
    for other in (error(0, "worse"), error(0, source="ruff"), error(0, code="E2")):
        effect = difference([error(0)], [other], text("a"), text("a"))
        assert (len(effect.new), len(effect.gone)) == (1, 1)


def test_equal_errors_at_one_place_are_counted() -> None:
    effect = difference([error(0), error(0)], [error(0)], text("a"), text("a"))
    assert (len(effect.new), len(effect.gone)) == (0, 1)


def test_a_file_that_was_made_has_only_new_ones_and_one_that_was_emptied_only_gone_ones() -> None:
    assert len(difference([], [error(0)], "", text("a")).new) == 1
    assert len(difference([error(0)], [], text("a"), "").gone) == 1


@given(st.data())
def test_lines_put_in_or_taken_out_elsewhere_change_nothing(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 30))
    lines = [f"statement {number}" for number in range(size)]
    bad = data.draw(st.sets(st.integers(0, size - 1), max_size=size))
    new_lines: list[str] = []
    moved: dict[int, int] = {}
    for number, line in enumerate(lines):
        new_lines += [f"inserted {number} {copy}" for copy in range(data.draw(st.integers(0, 3)))]
        if number in bad or data.draw(st.booleans()):
            moved[number] = len(new_lines)
            new_lines.append(line)
    before = [error(number, f"bad {number}") for number in sorted(bad)]
    after = [error(moved[number], f"bad {number}") for number in sorted(bad)]
    effect = difference(before, after, text(*lines), text(*new_lines))
    assert (effect.new, effect.gone, effect.kept) == ((), (), len(bad))


@given(
    st.lists(st.integers(0, 5)),
    st.lists(st.integers(0, 5)),
    st.lists(st.sampled_from("abc")),
    st.lists(st.sampled_from("abc")),
)
def test_nothing_is_lost_or_counted_twice(old: list[int], new: list[int], before: list[str], after: list[str]) -> None:
    effect = difference([error(n) for n in old], [error(n) for n in new], text(*before), text(*after))
    assert effect.kept + len(effect.gone) == len(old)
    assert effect.kept + len(effect.new) == len(new)
