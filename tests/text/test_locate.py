from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.errors import EditError
from placet.text.locate import replace_text
from placet.text.locate.content import Content, Quotation
from placet.text.locate.strategies import STRATEGIES

TEXT = st.text(alphabet="ab \n\t$\\&😀", max_size=25)


def found_by(content: str, old: str) -> str:
    """The name of the first strategy that finds anything."""
    return next(s.__name__ for s, _ in STRATEGIES if list(s(Content.of(content), Quotation.of(old))))


@corpus(
    ("strategy", "content", "old", "new", "expected"),
    [
        ("exact", "x = 1\ny = 2\n", "x = 1", "x = 3", "x = 3\ny = 2\n"),
        ("line_trimmed", "f(\n    a,\n    b,\n)\n", "f(\na,  \nb,\n)\n", "g(\n)\n", "g(\n)\n"),
        ("line_trimmed", "a\n  b  ", "b\n", "c\n", "a\n  c"),
        (
            "block_anchor",
            "def f():\n    total = sum(values)\n    return total\nend\n",
            "def f():\n    total = sum(value)\n    return total\n",
            "def g():\n    return 1\n",
            "def g():\n    return 1\nend\n",
        ),
        ("whitespace_normalized", "  if  a ==  b:\n    c\n", "if a == b:", "if a:", "  if a:\n    c\n"),
        ("whitespace_normalized", "x = f(a,   b) + 1\n", "f(a, b)", "g(a)", "x = g(a) + 1\n"),
        ("whitespace_normalized", "x  =\n  1\ny\n", "x =\n1 \n", "x = 2\n", "x = 2\ny\n"),
        ("escape_normalized", 'print("hi")\nx\n', 'print(\\"hi\\")\\n', "print(1)\n", "print(1)\nx\n"),
        ("escape_normalized", 'p("a\\tb")\nx\n', 'p("a\tb")\n', "p(1)\n", "p(1)\nx\n"),
        ("trimmed_boundary", "x = foo(1)\n", "\n  foo(1)\n", "\n  bar(1)\n", "x = bar(1)\n"),
        (
            "context_aware",
            "begin\n  same line here\n  entirely other\nend\n",
            "begin\n  same line here\n  qqqqqqqqqqqqqq\nend\n",
            "begin\nend\n",
            "begin\nend\n",
        ),
    ],
)
def test_each_strategy_replaces_exactly_the_place_it_finds(
    strategy: str, content: str, old: str, new: str, expected: str
) -> None:
    assert found_by(content, old) == strategy
    assert replace_text(content, old, new) == expected


def test_the_strategies_stand_in_opencodes_order() -> None:
    names = "exact line_trimmed block_anchor whitespace_normalized indentation_flexible escape_normalized"

    assert [strategy.__name__ for strategy, _ in STRATEGIES] == [*names.split(), "trimmed_boundary", "context_aware"]


def test_indentation_flexible_finds_lines_moved_together() -> None:
    flexible = {strategy.__name__: strategy for strategy, _ in STRATEGIES}["indentation_flexible"]
    (candidate,) = flexible(Content.of("x\n    a:\n      b\n"), Quotation.of("a:\n  b\n"))

    assert (candidate.start, candidate.end, candidate.indents[0]) == (2, 17, ("", "    "))


# The defects of OpenCode's edit tool, each absent.


def test_a_single_block_by_its_anchors_is_not_taken_when_its_middle_is_unrelated() -> None:
    content = "begin\n" + "".join(f"unrelated line {n}\n" for n in range(200)) + "end\n"

    with pytest.raises(EditError, match="not in the file"):
        replace_text(content, "begin\nsomething else\nend\n", "begin\nend\n")


def test_a_short_block_with_an_unrelated_middle_is_not_taken_either() -> None:
    with pytest.raises(EditError, match="not in the file"):
        replace_text("begin\n  one = two(three)\nend\n", "begin\n  qqq(zzzz)\nend\n", "")


def test_a_block_much_longer_than_the_quotation_is_not_taken_however_alike() -> None:
    line = "  one_long_line = that_is(almost, everything, there, is, in, the, block, and, so, counts)\n"
    within, beyond = "begin\n" + line + "\n" * 4 + "end\n", "begin\n" + line + "\n" * 5 + "end\n"
    old = "begin\n" + line + "end\n"

    assert replace_text(within, old, "x\n") == "x\n"
    with pytest.raises(EditError, match="not in the file"):
        replace_text(beyond, old, "x\n")


def test_first_and_last_lines_that_stand_everywhere_mark_no_place() -> None:
    with pytest.raises(EditError, match="not in the file"):
        replace_text("{\n  value = 1\n}\n" * 600, "{\n  value = 2\n}\n", "", replace_all=True)


def test_a_block_goes_to_the_last_line_that_makes_it_most_alike_and_not_to_the_nearest() -> None:
    content = "{\n  first(one)\n  }\n  second(two)\n}\nrest\n"

    assert replace_text(content, "{\n  first(one)\n  }\n  second(2)\n}\n", "{}\n") == "{}\nrest\n"


@corpus("new", ["[$&]", "$1$$", "\\1\\g<0>", "$`$'"])
@corpus("replace_all", [False, True])
def test_the_new_text_is_literal(new: str, replace_all: bool) -> None:
    assert replace_text("x a y\n", "a", new, replace_all=replace_all) == f"x {new} y\n"


def test_lines_found_by_their_trimmed_text_keep_the_files_indentation() -> None:
    content = "def f():\n  if a:\n    b\n  c\n"

    assert replace_text(content, "if a:\n  b\n", "if a:\n  d\nelse:\n  e\n") == (
        "def f():\n  if a:\n    d\n  else:\n    e\n  c\n"
    )


def test_spaces_quoted_for_tabs_come_out_as_tabs() -> None:
    content = "func f() {\n\tif a {\n\t\tb()\n\t}\n}\n"

    assert replace_text(content, "    if a {\n        b()\n    }\n", "    if a {\n        c()\n    }\n") == (
        "func f() {\n\tif a {\n\t\tc()\n\t}\n}\n"
    )


def test_replace_all_after_a_tolerant_match_replaces_every_variant() -> None:
    content = "if x:\n  go(1)\n\n    if x:\n      go(1)\nif x: \n\tgo(1)\n"

    assert replace_text(content, "if x:\ngo(1)\n", "stop()\n", replace_all=True) == ("stop()\n\n    stop()\nstop()\n")


def test_replace_all_replaces_every_exact_place() -> None:
    assert replace_text("a-a-aa", "a", "b", replace_all=True) == "b-b-bb"
    assert replace_text("aaa", "aa", "b", replace_all=True) == "ba"


def test_not_found_shows_the_nearest_region_and_the_first_line_that_differs() -> None:
    content = "".join(f"line {n}\n" for n in range(1, 30)) + "def area(w, h):\n    size = w * h\n    return size\n"

    with pytest.raises(EditError) as caught:
        replace_text(content, "def area(w, h):\n    print('no')\n    return 4.0 * w\n", "x\n")

    message = str(caught.value)
    assert "lines 30 to 32" in message
    assert "31:     size = w * h" in message
    assert "differs is line 31" in message
    assert "····print('no')" in message


def test_whitespace_that_differs_is_made_visible() -> None:
    with pytest.raises(EditError) as caught:
        replace_text("a\n\tvalue\u200b = 1\n", "    value = 1\n", "x\n")

    assert "→value\\u200b·=·1" in str(caught.value)
    assert "····value·=·1" in str(caught.value)


def test_nothing_alike_is_said_so() -> None:
    with pytest.raises(EditError, match="No line of the file resembles it"):
        replace_text("alpha\nbeta\n", "0123456789", "x")


def test_quoted_line_numbers_are_recognised() -> None:
    with pytest.raises(EditError, match="leave them out"):
        replace_text("foo\nbar\n", "1: foo\n2: bar\n", "x\n")


def test_an_edit_that_was_made_before_is_recognised() -> None:
    with pytest.raises(EditError, match="already there, at line 2"):
        replace_text("a\nnew_name = 1\n", "old_thing = 1\n", "new_name = 1\n")


def test_more_than_one_place_is_an_error_that_lists_their_lines() -> None:
    with pytest.raises(EditError, match=r"3 times, at lines 1, 3, 4\. Quote more"):
        replace_text("x\ny\nx\nx\n", "x\n", "z\n")


def test_overlapping_places_are_not_unique() -> None:
    with pytest.raises(EditError, match="2 times"):
        replace_text("aaa", "aa", "b")


def test_a_stricter_ambiguity_is_not_solved_by_a_more_tolerant_guess() -> None:
    with pytest.raises(EditError, match="2 times"):
        replace_text("foo\nfoobar\n", "foo", "x")


def test_two_blocks_about_as_alike_are_ambiguous_and_a_clearly_better_one_is_taken() -> None:
    first, second = "begin\n  alpha = compute(1)\nend\n", "begin\n  alpha = compute(2)\nend\n"
    with pytest.raises(EditError, match="2 times"):
        replace_text(first + second, "begin\n  alpha = compute(3)\nend\n", "x\n")

    far = "begin\n  alpha = other_thing(2)\nend\n"
    assert replace_text(first + far, "begin\n  alpha = compute(3)\nend\n", "x\n") == "x\n" + far


def test_a_trimmed_quotation_does_not_match_inside_a_word() -> None:
    with pytest.raises(EditError, match="not in the file"):
        replace_text("maximum\n", " max\t", "min")


@corpus(
    ("content", "old", "new", "message"),
    [
        ("a", "", "x", "use the write tool"),
        ("a", "a", "a", "the same"),
        ("a", "a\n", "a\r\n", "the same"),
        ("", "a", "b", "empty"),
        ("  a  \n", "a", "a ", ""),
    ],
)
def test_what_cannot_be_an_edit_says_what_to_do(content: str, old: str, new: str, message: str) -> None:
    if not message:
        assert replace_text(content, old, new) == "  a   \n"
        return
    with pytest.raises(EditError, match=message):
        replace_text(content, old, new)


def test_a_tolerant_match_that_would_change_nothing_says_so() -> None:
    with pytest.raises(EditError, match="already reads as newString"):
        replace_text("  a\n", "a \n", "a\n")


def test_blank_text_is_only_found_exactly() -> None:
    assert replace_text("a\n\n\nb\n", "\n\n\n", "\n\n") == "a\n\nb\n"
    with pytest.raises(EditError):
        replace_text("a\n\nb\n", " \n \n", "x")


@given(TEXT, TEXT.filter(bool), TEXT)
def test_a_text_that_is_there_once_is_replaced_as_on_a_plain_string(content: str, old: str, new: str) -> None:
    overlapping = sum(content.startswith(old, at) for at in range(len(content)))
    if overlapping == 1 and old != new:
        assert replace_text(content, old, new) == content.replace(old, new)


@given(TEXT, TEXT, TEXT, st.booleans())
def test_any_arguments_give_a_changed_text_or_an_edit_error(content: str, old: str, new: str, every: bool) -> None:
    with suppress(EditError):
        assert replace_text(content, old, new, replace_all=every) != content
